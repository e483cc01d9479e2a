"""The outputs of a layer's forward stage."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.adder_tree import FloatAdderTree
from ..float.adder_tree_config import FloatAdderTreeConfig
from ..float.nonfinite import is_nonfinite
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from ..pipeline import delay
from ..stream.pipeline import StreamPipeline
from ..stream.pipeline_config import StreamPipelineConfig
from .activations import ACTIVATION_UNITS
from .config import LayerConfig
from .forward_sums import partial_sums_layout
from .ports import word_layout

__all__ = ["ForwardOutputs"]

# Cycles from an output that is read to the tree: memory, and a register behind the choice of the lane.
TO_TREE = 2


class ForwardOutputs(ConfiguredComponent):
    """Keeps the sums of samples until all are complete, and makes outputs of them while the next sample is summed.

    A sample has a bank of its own in a memory for each partial sum. The partial sums of an output are added as a tree
    (:class:`.FloatAdderTree`), the sum goes through the activation.

    ::

        sums -> Memory of partial sum 0, 1, ... -> lane -> FloatAdderTree -> activation -> outputs

    Number format: that of the tree; for activations see :mod:`.activations`.

    Latency: ``latency`` cycles from the last sums of a sample to its first output. Throughput: an output a cycle.
    Back-pressure: outputs are made while the buffer behind them has room, and samples are begun while a bank is free.

    Parameters
    ----------
    config : LayerConfig

    Members
    -------
    begins : In(1)
        A sample takes a bank.
    room : Out(1)
        A bank is free.
    sums : In(partial_sums_layout)
    outputs : Out(stream of width)
    idle : Out(1)
        No bank is taken; outputs may wait.
    errors : Out
        ``nonfinite``: an output is infinite or NaN.
    """

    def __init__(self, config: LayerConfig):
        self._tree = FloatAdderTree(
            FloatAdderTreeConfig(
                terms=config.partial_sums, format=config.arithmetic.format, depth=config.arithmetic.adder_depth
            )
        )
        self._activation = ACTIVATION_UNITS[config.activation](config.arithmetic)
        super().__init__(
            config,
            {
                "begins": In(1),
                "room": Out(1),
                "sums": In(partial_sums_layout(config)),
                "outputs": Out(stream.Signature(config.arithmetic.format.width)),
                "idle": Out(1),
                "errors": Out(data.StructLayout({"nonfinite": 1})),
            },
        )
        making = TO_TREE + self._tree.latency + self._activation.latency
        depth = config.outputs + StreamPipelineConfig(latency=making).places - 1
        self._leaving = StreamPipeline(
            config.arithmetic.format.width, StreamPipelineConfig(latency=making, depth=depth)
        )

    @property
    def latency(self):
        """Cycles from the last sums of a sample to its first output, valid."""
        return self._leaving.latency

    @property
    def banks(self):
        """Samples whose sums are kept, so that none waits: from the first read of weights to the last output."""
        config, arithmetic = self._config, self._config.arithmetic
        summed = config.set_words + 1 + arithmetic.multiplier_depth + arithmetic.adder_depth
        return max(2, -(-(summed + config.outputs) // config.forward_cycles))

    def elaborate(self, platform):
        m = Module()
        m.submodules.tree, m.submodules.leaving = self._tree, self._leaving
        # Samples whose sums are kept, and the complete ones among them.
        kept, complete = Signal(range(self.banks + 1)), Signal(range(self.banks + 1))
        finished, left, read = Signal(), Signal(), Signal()
        m.d.sync += [kept.eq(kept + self.begins - left), complete.eq(complete + finished - left)]
        m.d.comb += [
            finished.eq(self.sums.valid & self.sums.last),
            self.room.eq(kept != self.banks),
            self.idle.eq(kept == 0),
            read.eq((complete != 0) & self._leaving.ready),
            self._leaving.begin.eq(read),
        ]
        bank, group, lane = self._walk(m, read, left)
        self._keep(m, finished, read, bank, group, lane)
        self._activate(m)
        wiring.connect(m, self._leaving.o, wiring.flipped(self.outputs))
        return m

    def _after(self, bank):
        """The next bank."""
        return Mux(bank == self.banks - 1, 0, bank + 1)

    def _walk(self, m, read, left):
        """Goes over the outputs of a sample, one with each read."""
        config = self._config
        bank, group, lane = (
            Signal(range(self.banks)),
            Signal(range(max(config.groups, 2))),
            Signal(range(max(config.units, 2))),
        )
        last_lane, last_group = Signal(), Signal()
        last_lanes = config.outputs - (config.groups - 1) * config.units
        m.d.comb += [
            last_group.eq(group == config.groups - 1),
            last_lane.eq(lane == Mux(last_group, last_lanes - 1, config.units - 1)),
            left.eq(read & last_lane & last_group),
        ]
        with m.If(read):
            m.d.sync += lane.eq(lane + 1)
            with m.If(last_lane):
                m.d.sync += [lane.eq(0), group.eq(Mux(last_group, 0, group + 1))]
            with m.If(left):
                m.d.sync += bank.eq(self._after(bank))
        return bank, group, lane

    def _keep(self, m, finished, read, bank, group, lane):
        """Sums to their memories, and all partial sums of an output to the tree."""
        config, sums = self._config, self.sums
        filled = Signal(range(self.banks))
        with m.If(finished):
            m.d.sync += filled.eq(self._after(filled))
        lane_read = delay(m, lane, 1, "lane")
        for index in range(config.partial_sums):
            m.submodules[f"sums_{index}"] = memory = Memory(
                word_layout(config), MemoryConfig(depth=self.banks * config.groups)
            )
            (port,) = memory.reads
            term = Signal(config.arithmetic.format.width, name=f"term_{index}", reset_less=True)
            m.d.comb += [
                memory.write.enable.eq(sums.valid & (sums.place == index)),
                memory.write.address.eq(filled * config.groups + sums.group),
                memory.write.data.eq(sums.word),
                port.enable.eq(read),
                port.address.eq(bank * config.groups + group),
                self._tree.terms[index].eq(term),
            ]
            m.d.sync += term.eq(port.data[lane_read])

    def _activate(self, m):
        """The tree's sums, activated, to the outputs."""
        number_format, output = self._config.arithmetic.format, self._leaving.result
        m.d.comb += [
            output.eq(self._activation.apply(m, self._tree.result)),
            self.errors.nonfinite.eq(self._leaving.done & is_nonfinite(number_format, output)),
        ]
