"""Between the parameter memory and the skewed banks of compressed weights, in both directions."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..bits import count_ones, rotate
from ..component import ConfiguredComponent
from ..layouts import layout_of_fields, take_fields
from ..memory.ports import ReadPort, WritePort
from ..pipeline import delay
from .address_generator import parameter_word
from .config import SparseConfig
from .networks import close_up, spread_out

__all__ = ["PLACED", "WeightCompressor", "WeightExpander"]


# What the banks need of a word.
PLACED = ("mask", "weight_address", "phase", "turn")


def bank_addresses(m, config, word, name):
    """``(enables, addresses)`` of the banks that a word's unmasked weights are in."""
    ones = count_ones(m, word.mask, f"{name}_ones")
    taken, carries = [], []
    for number in range(config.banks):
        is_taken = Signal(name=f"{name}_taken_{number}")
        carry = Signal(name=f"{name}_carry_{number}")
        m.d.comb += [is_taken.eq(number < ones), carry.eq(word.phase + number >= config.banks)]
        taken.append(is_taken)
        carries.append(carry)
    enables = rotate(m, taken, word.turn, f"{name}_enable")
    carries = rotate(m, carries, word.turn, f"{name}_carried")
    addresses = []
    for number, carry in enumerate(carries):
        address = Signal(range(config.weight_words), name=f"{name}_address_{number}")
        m.d.comb += address.eq(word.weight_address + carry)
        addresses.append(address)
    return enables, addresses


class WeightCompressor(ConfiguredComponent):
    """Reads words of parameters and writes their unmasked weights into the banks.

    Latency: ``parameter_latency`` + 2 cycles from a word of the address stream to its writes. Throughput: a word a
    cycle, up to ``lanes`` weights; it is always ready.

    Parameters
    ----------
    config : SparseConfig

    Members
    -------
    words : stream, in
        ``parameter_word`` of the address generator.
    parameters : Out(ReadPort)
        The data come ``parameter_latency`` cycles after the address.
    weights : Out(WritePort).array(banks)
    busy : Out(1)
        Words are under way.

    Source
    ------
    LearningGroup, III-C, figure 6.
    """

    def __init__(self, config: SparseConfig):
        row = data.ArrayLayout(config.weight_width, config.lanes)
        super().__init__(
            config,
            {
                "words": In(stream.Signature(parameter_word(config), always_ready=True)),
                "parameters": Out(ReadPort(row, config.parameter_words, latency=config.parameter_latency)),
                "weights": Out(WritePort(config.weight_width, config.weight_words)).array(config.banks),
                "busy": Out(1),
            },
        )

    @property
    def latency(self):
        """Cycles from a word to its writes."""
        return self.config.parameter_latency + 2

    def elaborate(self, platform):
        m = Module()
        config, reading = self.config, self.config.parameter_latency
        placed = layout_of_fields(parameter_word(config), PLACED)
        word, closed = Signal(placed), Signal(placed, reset_less=True)
        given = Signal(placed)
        # Whether there is a word, by the cycles since it came.
        valid = [self.words.valid]
        for cycle in range(1, self.latency + 1):
            late = Signal(name=f"valid_{cycle}")
            m.d.sync += late.eq(valid[-1])
            valid.append(late)
        m.d.comb += [
            self.parameters.enable.eq(self.words.valid),
            self.parameters.address.eq(self.words.payload.parameter_address),
            *take_fields(given, self.words.payload),
            word.eq(delay(m, given.as_value(), reading, "word")),
            self.busy.eq(Cat(valid).any()),
        ]
        # First stage: close up.
        weights = close_up(m, [self.parameters.data[lane] for lane in range(config.lanes)], word.mask, "close")
        registered = [
            Signal(config.weight_width, name=f"closed_{number}", reset_less=True) for number in range(config.banks)
        ]
        m.d.sync += [register.eq(weight) for register, weight in zip(registered, weights, strict=False)]
        m.d.sync += closed.eq(word)
        # Second stage: to the banks.
        enables, addresses = bank_addresses(m, config, closed, "bank")
        turned = rotate(m, registered, closed.turn, "turned")
        for bank, port in enumerate(self.weights):
            m.d.sync += [
                port.enable.eq(valid[reading + 1] & enables[bank]),
                port.address.eq(addresses[bank]),
                port.data.eq(turned[bank]),
            ]
        return m


class WeightExpander(ConfiguredComponent):
    """Reads from the banks what belongs to a word of parameters, weights or their gradients, lane by lane.

    Latency: 3 cycles from a word of the address stream to its lanes, the read of the banks included. Throughput: a word
    a cycle; it is always ready.

    Parameters
    ----------
    config : SparseConfig

    Members
    -------
    words : stream, in
        The fields ``PLACED`` of ``parameter_word`` of the address generator.
    banks : Out(ReadPort).array(banks)
    valid : Out(1)
    mask : Out(lanes)
        The mask of the word whose lanes these are.
    lanes : out, array of ``lanes``
        The weights of the unmasked lanes; masked ones are 0.
    """

    def __init__(self, config: SparseConfig):
        super().__init__(
            config,
            {
                "words": In(stream.Signature(layout_of_fields(parameter_word(config), PLACED), always_ready=True)),
                "banks": Out(ReadPort(config.weight_width, config.weight_words)).array(config.banks),
                "valid": Out(1),
                "mask": Out(config.lanes),
                "lanes": Out(config.weight_width).array(config.lanes),
            },
        )

    @property
    def latency(self):
        """Cycles from a word to its lanes."""
        return 3

    def elaborate(self, platform):
        m = Module()
        config = self.config
        read = Signal(layout_of_fields(parameter_word(config), ("mask", "turn")), reset_less=True)
        turned = Signal(config.lanes, name="turned_mask", reset_less=True)
        valid = Signal(2)
        enables, addresses = bank_addresses(m, config, self.words.payload, "bank")
        for bank, port in enumerate(self.banks):
            m.d.comb += [port.enable.eq(self.words.valid & enables[bank]), port.address.eq(addresses[bank])]
        m.d.sync += [
            valid.eq(Cat(self.words.valid, valid)),
            self.valid.eq(valid[-1]),
            *take_fields(read, self.words.payload),
            turned.eq(read.mask),
            self.mask.eq(turned),
        ]
        # First stage: in the order of the lanes. Second stage: each to its own.
        ordered = rotate(m, [port.data for port in self.banks], read.turn, "ordered", back=True)
        registered = [
            Signal(config.weight_width, name=f"registered_{lane}", reset_less=True) for lane in range(config.lanes)
        ]
        m.d.sync += [register.eq(weight) for register, weight in zip(registered, ordered, strict=False)]
        for lane, weight in enumerate(spread_out(m, registered, turned, "spread")):
            m.d.sync += self.lanes[lane].eq(Mux(turned[lane], weight, 0))
        return m
