"""Between the parameter memory and the skewed banks of compressed weights, in both directions."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .address_generator import parameter_word
from .config import SparseConfig
from .networks import close_up, rotate, spread_out
from .selection import count_ones

__all__ = ["WeightCompressor", "WeightExpander"]


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
    return Cat(enables), addresses


def delayed(m, value, cycles, name):
    """The value ``cycles`` later."""
    for stage in range(cycles):
        register = Signal(value.shape(), name=f"{name}_{stage}")
        m.d.sync += register.eq(value)
        value = register
    return value


class WeightCompressor(wiring.Component):
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
    parameter_read_enable, parameter_read_address, parameter_data
        The data come ``parameter_latency`` cycles after the address.
    write_enable : Out(banks)
    write_addresses, write_weights : out, arrays of ``banks``
    busy : Out(1)
        Words are under way.

    Source
    ------
    LearningGroup, III-C, figure 6.
    """

    def __init__(self, config: SparseConfig):
        self._config = config
        super().__init__(
            {
                "words": In(stream.Signature(parameter_word(config), always_ready=True)),
                "parameter_read_enable": Out(1),
                "parameter_read_address": Out(range(config.parameter_words)),
                "parameter_data": In(data.ArrayLayout(config.weight_width, config.lanes)),
                "write_enable": Out(config.banks),
                "write_addresses": Out(range(config.weight_words)).array(config.banks),
                "write_weights": Out(config.weight_width).array(config.banks),
                "busy": Out(1),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from a word to its writes."""
        return self._config.parameter_latency + 2

    def elaborate(self, platform):
        m = Module()
        config = self._config
        word = Signal(parameter_word(config))
        closed = Signal(parameter_word(config))
        m.d.comb += [
            self.parameter_read_enable.eq(self.words.valid),
            self.parameter_read_address.eq(self.words.payload.parameter_address),
        ]
        reading = config.parameter_latency
        valid = [delayed(m, self.words.valid, cycles, f"valid_{cycles}") for cycles in range(1, reading + 3)]
        m.d.comb += [
            word.eq(delayed(m, self.words.payload.as_value(), reading, "word")),
            self.busy.eq(self.words.valid | Cat(valid).any()),
        ]
        # First stage: close up.
        weights = close_up(m, [self.parameter_data[lane] for lane in range(config.lanes)], word.mask, "close")
        registered = []
        for number in range(config.banks):
            weight = Signal(config.weight_width, name=f"closed_{number}", reset_less=True)
            if number < config.lanes:
                m.d.sync += weight.eq(weights[number])
            registered.append(weight)
        m.d.sync += closed.eq(word)
        # Second stage: to the banks.
        enables, addresses = bank_addresses(m, config, closed, "bank")
        turned = rotate(m, registered, closed.turn, "turned")
        m.d.sync += self.write_enable.eq(Mux(valid[reading], enables, 0))
        m.d.sync += [port.eq(address) for port, address in zip(self.write_addresses, addresses, strict=True)]
        m.d.sync += [port.eq(weight) for port, weight in zip(self.write_weights, turned, strict=True)]
        return m


class WeightExpander(wiring.Component):
    """Reads from the banks what belongs to a word of parameters, weights or their gradients, lane by lane.

    Latency: 3 cycles from a word of the address stream to its lanes, the read of the banks (data one cycle after the
    address) included. Throughput: a word a cycle; it is always ready.

    Parameters
    ----------
    config : SparseConfig

    Members
    -------
    words : stream, in
        ``parameter_word`` of the address generator.
    read_enable : Out(banks)
    read_addresses : out, array of ``banks``
    read_weights : in, array of ``banks``
    valid : Out(1)
    word : out
        The word whose lanes these are.
    lanes : out, array of ``lanes``
        Of the unmasked lanes; masked ones are 0.
    """

    def __init__(self, config: SparseConfig):
        self._config = config
        super().__init__(
            {
                "words": In(stream.Signature(parameter_word(config), always_ready=True)),
                "read_enable": Out(config.banks),
                "read_addresses": Out(range(config.weight_words)).array(config.banks),
                "read_weights": In(config.weight_width).array(config.banks),
                "valid": Out(1),
                "word": Out(parameter_word(config)),
                "lanes": Out(config.weight_width).array(config.lanes),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from a word to its lanes."""
        return 3

    def elaborate(self, platform):
        m = Module()
        config = self._config
        first = Signal(parameter_word(config))
        turned_word = Signal(parameter_word(config))
        m.d.comb += first.eq(self.words.payload)
        enables, addresses = bank_addresses(m, config, first, "bank")
        m.d.comb += self.read_enable.eq(Mux(self.words.valid, enables, 0))
        m.d.comb += [port.eq(address) for port, address in zip(self.read_addresses, addresses, strict=True)]
        read_word = delayed(m, self.words.payload.as_value(), 1, "read_word")
        word = Signal(parameter_word(config))
        m.d.comb += word.eq(read_word)
        turned = rotate(m, list(self.read_weights), word.turn, "turned", back=True)
        registered = [
            Signal(config.weight_width, name=f"registered_{lane}", reset_less=True) for lane in range(config.lanes)
        ]
        m.d.sync += [register.eq(weight) for register, weight in zip(registered, turned, strict=False)]
        m.d.sync += turned_word.eq(word)
        weights = spread_out(m, registered, turned_word.mask, "spread")
        for lane, weight in enumerate(weights):
            m.d.sync += self.lanes[lane].eq(Mux(turned_word.mask[lane], weight, 0))
        m.d.sync += [self.word.eq(turned_word), self.valid.eq(delayed(m, self.words.valid, 2, "valid"))]
        return m
