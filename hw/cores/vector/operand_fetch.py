"""From an issue slot to the words and weights that are broadcast to the clusters."""

import itertools

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..bits import rotate
from ..component import ConfiguredComponent
from ..layouts import layout_of_fields, take_fields
from ..memory.ports import ReadPort
from ..pipeline import delay
from .cluster import broadcast_signature
from .matrix_config import ACCUMULATORS, MatrixConfig, Product
from .matrix_layouts import address_width, issue_slot_layout, list_port, vector_word_layout, weight_port

__all__ = ["FETCH_LATENCY", "OperandFetch"]

# List, bank, address, memory, register.
FETCH_LATENCY = 5
# In these cycles after the first addresses of reads are found; what an issue slot has for them, and for the broadcast.
READING = 2
READ = ("active", "product", "step", "present", "slot", "errors")
BROADCAST = ("product", "step", "present")


class OperandFetch(ConfiguredComponent):
    """Reads lists, words and weights.

    The inner feature of a slot is looked up in the row list (forward), the column list (backward), or is the slot's own
    (weight gradient). Feature f of the activation memory stands in bank ``f div owned`` at ``base + f mod owned``,
    feature f of the error memory at ``base + f``.

    Element (r, p) of a group's weights, r its row and p its column, stands in bank ``(r + p) mod B`` at row
    ``base + r * pitch + p div B``, B ``weight_banks``: so B neighbours of a row and B of a column, the first a
    multiple of B, are in B banks. They are turned such that ``weights[j]`` is that of outer feature j of the segment.

    A slot without a term gives zeros, words and weights, and an error slot without one a word of zeros. Weights of a
    gradient and errors of a backward product may be anything. Memories are read only for what there is a term of.

    Latency: ``latency`` cycles from an issue slot to its broadcast. Throughput: an issue slot a cycle.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    issue : In(issue_slot_layout(config))
    read_row_list, read_column_list : Out(ReadPort)
    read_activations : Out(ReadPort(vector_word_layout(config), activation_rows)).array(cores)
        The bank of each owner; only one is read at a time.
    read_errors : Out(ReadPort(vector_word_layout(config), error_rows)).array(error_ports)
    read_weights : Out(ReadPort).array(weight_banks)
    broadcast : Out(broadcast_signature(config))
    out_of_range : Out(1)
        A word past the end of its memory was wanted.

    Source
    ------
    LearningGroup, section III-C, address generation.
    """

    def __init__(self, config: MatrixConfig):
        word = vector_word_layout(config)
        super().__init__(
            config,
            {
                "issue": In(issue_slot_layout(config)),
                "read_row_list": Out(list_port(config)),
                "read_column_list": Out(list_port(config)),
                "read_activations": Out(ReadPort(word, config.activation_rows)).array(config.cores),
                "read_errors": Out(ReadPort(word, config.error_rows)).array(config.error_ports),
                "read_weights": Out(weight_port(config)).array(config.weight_banks),
                "broadcast": Out(broadcast_signature(config)),
                "out_of_range": Out(1),
            },
        )

    @property
    def latency(self):
        """Cycles from an issue slot to its broadcast."""
        return FETCH_LATENCY

    def elaborate(self, platform):
        m = Module()
        issues = [self.issue]
        read = layout_of_fields(issue_slot_layout(self._config), READ)
        for stage in range(1, READING + 1):
            later = Signal(read, name=f"issue_{stage}", reset_less=True)
            m.d.sync += take_fields(later, issues[-1])
            issues.append(later)
        # Then only how the words and weights are broadcast counts.
        given = Signal(data.StructLayout(layout_of_fields(read, BROADCAST).members | {"ones": 1}))
        m.d.comb += [given.ones.eq(issues[-1].slot.ones), *(given[name].eq(issues[-1][name]) for name in BROADCAST)]
        given = delay(m, given, FETCH_LATENCY - 1 - READING, "broadcast")
        for port, kind in ((self.read_row_list, Product.FORWARD), (self.read_column_list, Product.BACKWARD)):
            m.d.comb += [
                port.enable.eq(self.issue.present & (self.issue.product == kind)),
                port.address.eq(self.issue.slot.place),
            ]
        place = self._locate(m, issues[1])
        self._read_words(m, issues[2], place)
        self._read_weights(m, issues[1], issues[2])
        self._broadcast_words(m, given, delay(m, place.bank, 2, "bank"))
        self._broadcast_weights(m, given)
        return m

    def _locate(self, m, issue):
        """The inner feature of an issue slot, its bank and its place there; a register."""
        config = self._config
        feature = Signal(address_width(config.features))
        layout = data.StructLayout(
            {"feature": feature.shape(), "bank": range(max(config.cores, 2)), "local": feature.shape()}
        )
        place, located = Signal(layout), Signal(layout)
        with m.Switch(issue.product):
            with m.Case(Product.FORWARD):
                m.d.comb += feature.eq(self.read_row_list.data)
            with m.Case(Product.BACKWARD):
                m.d.comb += feature.eq(self.read_column_list.data)
            with m.Default():
                m.d.comb += feature.eq(issue.slot.place)
        m.d.comb += [place.feature.eq(feature), place.local.eq(feature)]
        for owner in range(1, config.cores):
            begin = Signal(len(issue.slot.owned) + config.cores.bit_length(), name=f"begin_{owner}")
            m.d.comb += begin.eq(issue.slot.owned * owner)
            with m.If(feature >= begin):
                m.d.comb += [place.bank.eq(owner), place.local.eq(feature - begin)]
        m.d.sync += located.eq(place)
        return located

    def _read_words(self, m, issue, place):
        """Addresses of words, a cycle later at their ports."""
        config = self._config
        backward, outside = Signal(), []
        m.d.comb += backward.eq(issue.product == Product.BACKWARD)
        address = Signal(len(issue.slot.base) + 1, name="activation")
        wanted, bank = Signal(name="activation_wanted"), Signal.like(place.bank)
        m.d.sync += [
            address.eq(issue.slot.base + place.local),
            bank.eq(place.bank),
            wanted.eq(issue.present & ~backward & ~issue.slot.ones),
        ]
        outside.append(wanted & (address >= config.activation_rows))
        for owner, port in enumerate(self.read_activations):
            m.d.comb += [port.enable.eq(wanted & (bank == owner)), port.address.eq(address)]
        for number, (port, error) in enumerate(zip(self.read_errors, issue.errors, strict=True)):
            error_address = Signal(len(issue.slot.base) + 1, name=f"error_{number}")
            error_wanted = Signal(name=f"error_wanted_{number}")
            m.d.sync += [
                error_address.eq(error.base + error.feature),
                error_wanted.eq(issue.active & (error.count != 0)),
            ]
            if number == 0:
                with m.If(backward):
                    m.d.sync += [error_address.eq(issue.slot.base + place.feature), error_wanted.eq(issue.present)]
            m.d.comb += [port.enable.eq(error_wanted), port.address.eq(error_address)]
            outside.append(error_wanted & (error_address >= config.error_rows))
        m.d.comb += self.out_of_range.eq(Cat(outside).any())

    def _read_weights(self, m, before, issue):
        """Addresses of weights, a cycle after ``issue``; ``before`` is the issue slot a cycle ahead of it.

        Backward, each of the ``weight_banks`` rows begins ``pitch`` after the one before.
        """
        bank_bits = self._config.weight_bank_bits
        wanted = Signal(name="weights_wanted")
        m.d.sync += wanted.eq(issue.present & (issue.product != Product.GRADIENT))
        for number, port in enumerate(self.read_weights):
            neighbour = Signal(bank_bits, name=f"neighbour_{number}")
            ahead = Signal(bank_bits + len(issue.slot.pitch), name=f"ahead_{number}")
            address = Signal.like(port.address, name=f"weight_address_{number}")
            m.d.comb += neighbour.eq(number - before.step)
            m.d.sync += [
                ahead.eq(Mux(before.product == Product.BACKWARD, neighbour * before.slot.pitch, 0)),
                address.eq(issue.slot.weights + ahead),
            ]
            m.d.comb += [port.enable.eq(wanted), port.address.eq(address)]

    def _broadcast_words(self, m, given, bank):
        """Words that the memories have given, into registers."""
        config = self._config
        one = sum(config.format.one << config.format.width * lane for lane in range(ACCUMULATORS))
        operand = Signal(vector_word_layout(config))
        with m.If(given.product == Product.BACKWARD):
            m.d.comb += operand.eq(self.read_errors[0].data)
        with m.Elif(given.ones):
            m.d.comb += operand.eq(Const(one, config.vector_width).replicate(config.blocks * config.cluster_vpus))
        with m.Else():
            with m.Switch(bank):
                for owner, port in enumerate(self.read_activations):
                    with m.Case(owner):
                        m.d.comb += operand.eq(port.data)
        present = [delay(m, port.enable, 1, f"error_{number}") for number, port in enumerate(self.read_errors)]
        for block, vpu in itertools.product(range(config.blocks), range(config.cluster_vpus)):
            m.d.sync += self.broadcast.words[block][vpu].eq(Mux(given.present, operand[block][vpu], 0))
            for number, port in enumerate(self.read_errors):
                m.d.sync += self.broadcast.errors[number][block][vpu].eq(Mux(present[number], port.data[block][vpu], 0))

    def _broadcast_weights(self, m, given):
        """Weights, turned such that the first one is that of the segment's first feature, into registers."""
        turned = rotate(m, [port.data for port in self.read_weights], given.step, "turned", back=True)
        m.d.sync += [
            weight.eq(Mux(given.present, word, 0)) for weight, word in zip(self.broadcast.weights, turned, strict=True)
        ]
