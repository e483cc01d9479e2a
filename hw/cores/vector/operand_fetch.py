"""From the slot of a cycle to the words and weights that are broadcast to the clusters."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..pipeline import delay
from .matrix_config import MatrixConfig, Product
from .matrix_layouts import WeightReadSignature, address_width, read_signature
from .step_sequencer import tick_layout

__all__ = ["FETCH_LATENCY", "OperandFetch"]

# List, bank, address, memory, register.
FETCH_LATENCY = 5


class OperandFetch(wiring.Component):
    """Reads lists, words and weights.

    The inner feature of a slot is looked up in the row list (forward), the column list (backward), or is the slot's own
    (weight gradient). Feature f of the activation memory stands in bank ``f div owned`` at ``base + f mod owned``,
    feature f of the error memory at ``base + f``.

    Element (r, p) of a group's weights, r its row and p its column, stands in bank ``(r + p) mod B`` at row
    ``base + r * pitch + p div B``, B ``weight_banks``: so B neighbours of a row and B of a column, the first a
    multiple of B, are in B banks. They are turned such that ``weights[j]`` is that of outer feature j of the segment.

    A slot without a term gives zeros, words and weights, and an error slot without one a word of zeros. Weights of a
    gradient and errors of a backward product may be anything. Memories are read only for what there is a term of.

    Latency: ``latency`` cycles from a tick to its broadcast, a tick a cycle.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    tick : In(tick_layout(config))
    row_list, column_list : Out(read_signature)
    activation_enable : Out(1)
    activation_bank : Out(range(cores))
    activation_address : Out(range(activation_rows))
    activation_data : In(4 * format.width).array(cores, blocks, cluster_vpus)
        One cycle after the address; what the other banks give does not matter.
    error_enable : Out(error_ports)
    error_address : Out(range(error_rows)).array(error_ports)
    error_data : In(4 * format.width).array(error_ports, blocks, cluster_vpus)
    weights_read : Out(WeightReadSignature(config))
    words : Out(4 * format.width).array(blocks, cluster_vpus)
    errors : Out(4 * format.width).array(error_ports, blocks, cluster_vpus)
    weights : Out(format.width).array(weight_banks)
    out_of_range : Out(1)
        A word behind the end of its memory was wanted.

    Source
    ------
    LearningGroup, section III-C, address generation.
    """

    def __init__(self, config: MatrixConfig):
        self._config = config
        lists = read_signature(config.list_rows, address_width(config.features))
        word = config.vector_width
        shape = config.blocks, config.cluster_vpus
        super().__init__(
            {
                "tick": In(tick_layout(config)),
                "row_list": Out(lists),
                "column_list": Out(lists),
                "activation_enable": Out(1),
                "activation_bank": Out(address_width(config.cores)),
                "activation_address": Out(address_width(config.activation_rows)),
                "activation_data": In(word).array(config.cores, *shape),
                "error_enable": Out(config.error_ports),
                "error_address": Out(address_width(config.error_rows)).array(config.error_ports),
                "error_data": In(word).array(config.error_ports, *shape),
                "weights_read": Out(WeightReadSignature(config)),
                "words": Out(word).array(*shape),
                "errors": Out(word).array(config.error_ports, *shape),
                "weights": Out(config.format.width).array(config.weight_banks),
                "out_of_range": Out(1),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from a tick to its broadcast."""
        return FETCH_LATENCY

    def elaborate(self, platform):
        m = Module()
        config, banks, bank_bits = self._config, self._config.weight_banks, self._config.weight_bank_bits
        ticks = [self.tick]
        for stage in range(1, FETCH_LATENCY):
            later = Signal(tick_layout(config), name=f"tick_{stage}", reset_less=True)
            m.d.sync += later.eq(ticks[-1])
            ticks.append(later)

        # To the lists
        for port, product in ((self.row_list, Product.FORWARD), (self.column_list, Product.BACKWARD)):
            m.d.comb += [
                port.enable.eq(self.tick.present & (self.tick.product == product)),
                port.address.eq(self.tick.slot.place),
            ]

        # Feature to bank
        tick = ticks[1]
        feature = Signal(address_width(config.features))
        bank, local = Signal(range(config.cores)), Signal.like(feature)
        m.d.comb += [
            feature.eq(
                Mux(
                    tick.product == Product.FORWARD,
                    self.row_list.data,
                    Mux(tick.product == Product.BACKWARD, self.column_list.data, tick.slot.place),
                )
            ),
            local.eq(feature),
        ]
        for owner in range(1, config.cores):
            begin = Signal(len(tick.slot.owned) + config.cores.bit_length(), name=f"begin_{owner}")
            m.d.comb += begin.eq(tick.slot.owned * owner)
            with m.If(feature >= begin):
                m.d.comb += [bank.eq(owner), local.eq(feature - begin)]
        bank_at_2, local_at_2, feature_at_2 = Signal.like(bank), Signal.like(local), Signal.like(feature)
        m.d.sync += [bank_at_2.eq(bank), local_at_2.eq(local), feature_at_2.eq(feature)]

        # Addresses
        tick = ticks[2]
        backward = Signal()
        m.d.comb += backward.eq(tick.product == Product.BACKWARD)
        activation = Signal(len(tick.slot.base) + 1)
        uses_activation = Signal()
        m.d.sync += [
            activation.eq(tick.slot.base + local_at_2),
            self.activation_bank.eq(bank_at_2),
            uses_activation.eq(tick.present & ~backward & ~tick.slot.ones),
        ]
        ranges = [uses_activation & (activation >= config.activation_rows)]
        m.d.comb += [self.activation_enable.eq(uses_activation), self.activation_address.eq(activation)]
        for port in range(config.error_ports):
            error = tick.errors[port]
            address = Signal(len(tick.slot.base) + 1, name=f"error_{port}")
            enable = Signal(name=f"uses_error_{port}")
            own, base, present = error.feature, error.base, tick.active & (error.count != 0)
            if port == 0:
                own, base = Mux(backward, feature_at_2, own), Mux(backward, tick.slot.base, base)
                present = Mux(backward, tick.present, present)
            m.d.sync += [address.eq(base + own), enable.eq(present)]
            m.d.comb += [self.error_enable[port].eq(enable), self.error_address[port].eq(address)]
            ranges.append(enable & (address >= config.error_rows))
        m.d.comb += self.out_of_range.eq(sum(ranges[1:], start=ranges[0]) != 0)

        # Weights: backward, as many rows as banks that each begin `pitch` behind the one before.
        weights = self.weights_read
        uses_weights = Signal()
        m.d.sync += uses_weights.eq(tick.present & (tick.product != Product.GRADIENT))
        m.d.comb += weights.enable.eq(uses_weights)
        for number in range(banks):
            neighbour = Signal(bank_bits, name=f"neighbour_{number}")
            ahead = Signal(bank_bits + len(tick.slot.pitch), name=f"ahead_{number}")
            address = Signal.like(weights.addresses[number], name=f"weight_address_{number}")
            m.d.comb += neighbour.eq(number - ticks[1].step)
            m.d.sync += [
                ahead.eq(Mux(ticks[1].product == Product.BACKWARD, neighbour * ticks[1].slot.pitch, 0)),
                address.eq(tick.slot.weights + ahead),
            ]
            m.d.comb += weights.addresses[number].eq(address)

        # Data
        tick = ticks[4]
        present = Signal()
        bank = delay(m, self.activation_bank, 1, "bank")
        error_present = delay(m, self.error_enable, 1, "error_present")
        m.d.comb += present.eq(tick.present)
        one = sum(config.format.one << config.format.width * lane for lane in range(4))
        for block in range(config.blocks):
            for vpu in range(config.cluster_vpus):
                operand = Signal(config.vector_width, name=f"operand_{block}_{vpu}")
                with m.If(tick.product == Product.BACKWARD):
                    m.d.comb += operand.eq(self.error_data[0][block][vpu])
                with m.Elif(tick.slot.ones):
                    m.d.comb += operand.eq(one)
                with m.Else():
                    with m.Switch(bank):
                        for owner in range(config.cores):
                            with m.Case(owner):
                                m.d.comb += operand.eq(self.activation_data[owner][block][vpu])
                m.d.sync += self.words[block][vpu].eq(Mux(present, operand, 0))
                for port in range(config.error_ports):
                    data = self.error_data[port][block][vpu]
                    m.d.sync += self.errors[port][block][vpu].eq(Mux(error_present[port], data, 0))
        turned = [weights.data[number] for number in range(banks)]
        for bit in range(bank_bits):
            moved = []
            for number in range(banks):
                word = Signal(config.format.width, name=f"turned_{bit}_{number}")
                m.d.comb += word.eq(Mux(tick.step[bit], turned[(number + (1 << bit)) % banks], turned[number]))
                moved.append(word)
            turned = moved
        for number in range(banks):
            m.d.sync += self.weights[number].eq(Mux(present, turned[number], 0))
        return m
