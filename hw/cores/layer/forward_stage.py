"""The forward stage of a layer."""

from amaranth.hdl import Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .config import LayerConfig
from .forward_outputs import ForwardOutputs
from .forward_sums import ForwardSums
from .ports import word_read

__all__ = ["ForwardStage"]


class ForwardStage(ConfiguredComponent):
    """Computes ``activation(W x + b)`` of one sample after another.

    Inputs come one after the other; each is multiplied by all words of its row, and the products are added to the sums
    of all outputs (:class:`.ForwardSums`). At the end come the biases, times 1. An output whose sum is not back from
    the adder when its next product is there has several partial sums: row i goes to partial sum ``i % partial_sums``,
    and these are added as a tree when the sample is complete, for one output a cycle, while the next sample is summed
    (:class:`.ForwardOutputs`).

    Number format: ``config.arithmetic.format``; every product and every sum is rounded to nearest even, and every sum
    starts with its first product. ReLU makes +0 of whatever has a negative sign; NaN stays.

    Latency: ``latency`` cycles from the first input to the first output, if inputs are there when they are wanted.
    Throughput: a sample in ``config.forward_cycles`` cycles. Back-pressure: a sample is begun while there is
    room for its sums; outputs are made while the buffer behind them has room.

    Parameters
    ----------
    config : LayerConfig

    Members
    -------
    inputs : In(stream of width)
        Input 0 of a sample, then 1, and so on.
    outputs : Out(stream of width)
    weights : Out(word_read)
        Row after row.
    idle : Out(1)
        No sample is under way; outputs may wait.
    errors : Out
        ``nonfinite``: an output is infinite or NaN.

    Source
    ------
    Meng's dissertation, section 4.4.2.2 and figure 4.6. Not in the source: the order of the loops, so that all stages
    share the layout of the weights, and partial sums.
    """

    def __init__(self, config: LayerConfig):
        self._sums, self._outputs = ForwardSums(config), ForwardOutputs(config)
        elements = stream.Signature(config.arithmetic.format.width)
        super().__init__(
            config,
            {
                "inputs": In(elements),
                "outputs": Out(elements),
                "weights": Out(word_read(config)),
                "idle": Out(1),
                "errors": Out(data.StructLayout({"nonfinite": 1})),
            },
        )

    @property
    def latency(self):
        """Cycles from the first input, valid, to the first output, valid."""
        return self._config.set_words + self._sums.latency + self._outputs.latency

    def elaborate(self, platform):
        m = Module()
        m.submodules.sums, m.submodules.outputs = sums, outputs = self._sums, self._outputs
        wiring.connect(m, wiring.flipped(self.inputs), sums.inputs)
        wiring.connect(m, sums.weights, wiring.flipped(self.weights))
        wiring.connect(m, outputs.outputs, wiring.flipped(self.outputs))
        m.d.comb += [
            sums.room.eq(outputs.room),
            outputs.begins.eq(sums.begins),
            outputs.sums.eq(sums.sums),
            self.idle.eq(outputs.idle & ~self.inputs.valid),
            self.errors.eq(outputs.errors),
        ]
        return m
