"""The backward stage of a layer."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.adder import FloatAdder
from ..float.adder_tree import FloatAdderTree
from ..float.adder_tree_config import FloatAdderTreeConfig
from ..float.config import FloatConfig
from ..float.multiplier import FloatMultiplier
from ..pipeline import delay_record
from ..replicated import replicated
from ..stream.buffer_config import StreamBufferConfig
from ..stream.pipeline import CreditBuffer
from .config import LayerConfig
from .ports import next_set, word_read
from .running_sums import RunningSums
from .running_sums_config import RunningSumsConfig
from .word_collector import WordCollector

__all__ = ["BackwardStage"]

# Cycles of a result through the buffer.
BUFFER_LATENCY = 2


class BackwardStage(ConfiguredComponent):
    """Computes ``W^T d``, the errors at the inputs of a layer, of one sample after another.

    Errors at the sums of the layer come one after the other and are put into words of ``units``. With each word the
    stage passes over all inputs: the products of the word with the weights of an input are added as a tree
    (:class:`.FloatAdderTree`), and the tree's sum to that of the passes before. Results leave in the last pass.

    ::

        errors -> WordCollector -> operands -.
                                             +-> multiply -> FloatAdderTree -> add -> RunningSums -> results
        weights -> word ---------------------'                                  ^         |
                                                                                `---------'

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
    weights : Out(word_read)
        Row after row, a group at a time; set after set.

    Source
    ------
    Meng's dissertation, section 4.4.2.2 and figure 4.6. Not in the source: the order of the loops, so that the
    weights have the layout of the forward stage.
    """

    def __init__(self, config: LayerConfig):
        width = config.arithmetic.format.width
        self._tree = FloatAdderTree(
            FloatAdderTreeConfig(
                terms=config.units, format=config.arithmetic.format, depth=config.arithmetic.adder_depth
            )
        )
        super().__init__(
            config,
            {
                "errors": In(stream.Signature(width)),
                "results": Out(stream.Signature(width)),
                "weights": Out(word_read(config)),
            },
        )
        room = StreamBufferConfig(depth=config.inputs + self._way + BUFFER_LATENCY, latency=BUFFER_LATENCY)
        self._buffer = CreditBuffer(width, room)

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
        wiring.connect(m, wiring.flipped(self.errors), collector.elements)
        wiring.connect(m, self._buffer.o, wiring.flipped(self.results))
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
                multiplier.a.eq(self.weights.data[index]),
                multiplier.b.eq(operand),
                self._tree.terms[index].eq(multiplier.result),
            ]
        to_sum = arithmetic.multiplier_depth + self._tree.latency
        if config.groups == 1:
            total, done = self._tree.result, delay_record(m, tag, to_sum, "to_leave")
        else:
            total, done = self._accumulate(m, delay_record(m, tag, to_sum - 1, "to_read"))
        m.d.comb += [self._buffer.value.eq(total), self._buffer.arrive.eq(done.valid & done.last)]
        return m

    def _pass(self, m, words):
        """Goes over all inputs with each word; returns what belongs to the word of weights that comes."""
        config = self._config
        length = config.pass_cycles
        row, group = Signal(range(length + 1)), Signal(range(max(config.groups, 2)))
        address, base = Signal.like(self.weights.address), Signal.like(self.weights.address)
        moves, last_row, last_group, reads = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            last_row.eq(row == length - 1),
            last_group.eq(group == config.groups - 1),
            moves.eq(words.valid & (self._buffer.room | ~last_group)),
            # A pass is as long as the adder at least.
            reads.eq(moves & (row < config.inputs)),
            words.ready.eq(moves & last_row),
            self._buffer.reserve.eq(reads & last_group),
            self.weights.enable.eq(reads),
            self.weights.address.eq(address),
        ]
        with m.If(moves):
            m.d.sync += [row.eq(row + 1), address.eq(address + config.groups)]
            with m.If(last_row):
                m.d.sync += [row.eq(0), group.eq(group + 1), address.eq(base + group + 1)]
                with m.If(last_group):
                    following = next_set(config, base)
                    m.d.sync += [group.eq(0), address.eq(following), base.eq(following)]
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
        adds = delay_record(m, reads, 1, "to_add")
        writes = delay_record(m, adds, arithmetic.adder_depth, "to_write")
        depth = max(config.inputs, 2)
        m.submodules.sums = sums = RunningSums(
            width, RunningSumsConfig(depth=depth, adder_depth=arithmetic.adder_depth, interval=config.pass_cycles)
        )
        m.submodules.adder = adder = FloatAdder(FloatConfig(format=arithmetic.format, depth=arithmetic.adder_depth))
        m.d.comb += [
            sums.read.enable.eq(reads.valid),
            sums.read.address.eq(reads.row),
            # The first group's sum is added to -0, which leaves every number what it is.
            adder.a.eq(Mux(adds.first, Const(arithmetic.format.sign_bit, width), sums.read.data)),
            adder.b.eq(self._tree.result),
            adder.subtract.eq(0),
            sums.write.enable.eq(writes.valid),
            sums.write.address.eq(writes.row),
            sums.write.data.eq(adder.result),
        ]
        return adder.result, writes
