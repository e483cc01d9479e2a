"""The backward stage of a layer."""

from amaranth.hdl import Const, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..float.adder import FloatAdder
from ..float.config import FloatConfig
from ..float.multiplier import FloatMultiplier
from ..pipeline import delay
from ..replicated import replicated
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from .adder_tree import AdderTree
from .config import AdderTreeConfig, LayerConfig
from .word_collector import WordCollector

__all__ = ["BackwardStage"]

# Cycles of a result through the buffer.
BUFFER_LATENCY = 2


class BackwardStage(wiring.Component):
    """Computes ``W^T d``, the errors at the inputs of a layer, of one sample after another.

    Errors at the sums of the layer come one after the other and are put into words of ``units``. With each word the
    stage passes over all inputs: the products of the word with the weights of an input are added as a tree
    (:class:`.AdderTree`), and the tree's sum to that of the passes before. Results leave in the last pass.

    Number format: ``config.arithmetic.format``; every product and every sum is rounded to nearest even. The last word
    is filled up with products of +0 and +0. The tree's sums are added from the first group on.

    Latency: ``latency`` cycles from the last error of a sample's first word to the first result, if errors are there
    when they are wanted. Throughput: a sample in ``config.backward_cycles`` cycles. Back-pressure: the last pass goes
    on while the buffer behind it has room.

    Parameters
    ----------
    config : LayerConfig

    Members
    -------
    errors : In(stream of width)
        At output 0 of a sample, then 1, and so on.
    results : Out(stream of width)
        At input 0, then 1, and so on.
    read_enable : Out(1)
    read_address : Out(range(words))
        Of the weight memory: row after row, a group at a time.
    word : In(width).array(units)
        In the next cycle.

    Source
    ------
    Meng's dissertation, section 4.4.2.2 and figure 4.6. Of its own: the order of the loops, so that the weights have
    the layout of the forward stage.
    """

    def __init__(self, config: LayerConfig):
        self._config = config
        width = config.arithmetic.format.width
        self._tree = AdderTree(AdderTreeConfig(terms=config.units, arithmetic=config.arithmetic))
        self._buffer = StreamBuffer(width, StreamBufferConfig(depth=config.inputs + self._way + BUFFER_LATENCY))
        super().__init__(
            {
                "errors": In(stream.Signature(width)),
                "results": Out(stream.Signature(width)),
                "read_enable": Out(1),
                "read_address": Out(range(config.words)),
                "word": In(width).array(config.units),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def _way(self):
        """Cycles from a read to its result: memory, multiplier, tree, and the adder of groups."""
        arithmetic = self._config.arithmetic
        adds = arithmetic.adder_depth if self._config.groups > 1 else 0
        return 1 + arithmetic.multiplier_depth + self._tree.latency + adds

    @property
    def latency(self):
        """Cycles from the transfer of the last error of the first word to the first result, valid."""
        config = self._config
        passes = config.pass_cycles * (config.groups - 1)
        return BUFFER_LATENCY + passes + self._way + BUFFER_LATENCY

    def elaborate(self, platform):
        m = Module()
        config, arithmetic = self._config, self._config.arithmetic
        m.submodules.tree, m.submodules.buffer = self._tree, self._buffer
        m.submodules.collector = collector = WordCollector(config)
        m.d.comb += [
            collector.numbers.payload.eq(self.errors.payload),
            collector.numbers.valid.eq(self.errors.valid),
            self.errors.ready.eq(collector.numbers.ready),
            self.results.payload.eq(self._buffer.o.payload),
            self.results.valid.eq(self._buffer.o.valid),
            self._buffer.o.ready.eq(self.results.ready),
        ]
        tag = self._pass(m, collector.words)

        # Products and their sum.
        for index in range(config.units):
            multiplier = replicated(
                FloatMultiplier(FloatConfig(format=arithmetic.format, depth=arithmetic.multiplier_depth))
            )
            operand = Signal(arithmetic.format.width, name=f"error_{index}", reset_less=True)
            m.submodules[f"multiplier_{index}"] = multiplier
            m.d.sync += operand.eq(collector.words.payload[index])
            m.d.comb += [
                multiplier.a.eq(self.word[index]),
                multiplier.b.eq(operand),
                self._tree.terms[index].eq(multiplier.result),
            ]
        to_sum = arithmetic.multiplier_depth + self._tree.latency
        if config.groups == 1:
            total, done = self._tree.result, self._delayed(m, tag, to_sum, "to_leave")
        else:
            total, done = self._accumulate(m, self._delayed(m, tag, to_sum - 1, "to_read"))
        m.d.comb += [self._buffer.i.payload.eq(total), self._buffer.i.valid.eq(done.valid & done.last)]
        return m

    def _pass(self, m, words):
        """Goes over all inputs with each word; returns what belongs to the word of weights that comes."""
        config = self._config
        length = config.pass_cycles
        depth = self._buffer.config.depth
        # Results that are under way or wait.
        waiting = Signal(range(depth + 1))
        row, group, address = (
            Signal(range(length + 1)),
            Signal(range(max(config.groups, 2))),
            Signal(range(config.words)),
        )
        turn, last_row, last_group, reads = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            last_row.eq(row == length - 1),
            last_group.eq(group == config.groups - 1),
            turn.eq(words.valid & ((waiting != depth) | ~last_group)),
            # A pass is as long as the adder at least.
            reads.eq(turn & (row < config.inputs)),
            words.ready.eq(turn & last_row),
            self.read_enable.eq(reads),
            self.read_address.eq(address),
        ]
        m.d.sync += waiting.eq(waiting + (reads & last_group) - (self.results.valid & self.results.ready))
        with m.If(turn):
            m.d.sync += [row.eq(row + 1), address.eq(address + config.groups)]
            with m.If(last_row):
                m.d.sync += [row.eq(0), group.eq(group + 1), address.eq(group + 1)]
                with m.If(last_group):
                    m.d.sync += [group.eq(0), address.eq(0)]
        tag = Signal(
            data.StructLayout({"valid": 1, "first": 1, "last": 1, "row": range(max(config.inputs, 2))}), name="tag"
        )
        m.d.sync += [
            tag.valid.eq(reads),
            tag.first.eq(group == 0),
            tag.last.eq(last_group),
            tag.row.eq(row),
        ]
        return tag

    def _accumulate(self, m, reads):
        """Adds the sums of groups; ``reads`` is what comes out of the tree in the next cycle."""
        config, arithmetic = self._config, self._config.arithmetic
        width = arithmetic.format.width
        adds = self._delayed(m, reads, 1, "to_add")
        writes = self._delayed(m, adds, arithmetic.adder_depth, "to_write")
        m.submodules.sums = sums = Memory(shape=width, depth=max(config.inputs, 2), init=[])
        m.submodules.adder = adder = FloatAdder(FloatConfig(format=arithmetic.format, depth=arithmetic.adder_depth))
        writer = sums.write_port()
        reader = sums.read_port(transparent_for=(writer,))
        before = Signal(width)
        with m.If(adds.first):
            # Which leaves every number what it is.
            m.d.comb += before.eq(Const(arithmetic.format.sign_bit, width))
        with m.Elif(writes.valid & (writes.row == adds.row)):
            m.d.comb += before.eq(adder.result)
        with m.Else():
            m.d.comb += before.eq(reader.data)
        m.d.comb += [
            reader.en.eq(reads.valid),
            reader.addr.eq(reads.row),
            adder.a.eq(before),
            adder.b.eq(self._tree.result),
            adder.subtract.eq(0),
            writer.en.eq(writes.valid),
            writer.addr.eq(writes.row),
            writer.data.eq(adder.result),
        ]
        return adder.result, writes

    @staticmethod
    def _delayed(m, tag, cycles, name):
        return data.View(tag.shape(), delay(m, tag.as_value(), cycles, name, reset_less=False))
