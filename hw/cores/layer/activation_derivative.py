"""The derivative of a layer's activation."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.expression import FloatExpression, Number
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from ..stream.pipeline import StreamPipeline
from ..stream.pipeline_config import StreamPipelineConfig
from .config import LayerConfig

__all__ = ["ActivationDerivative"]


class ActivationDerivative(ConfiguredComponent):
    """Makes errors at the sums of a layer from those at its outputs y: for ReLU they are +0 where y is 0, for tanh

    ``result = error * (1 - y * y)``

    Outputs come long before their errors, and are kept; for ReLU one bit of each, whether it is something else than 0.

    Number format: ``config.arithmetic.format``; every operation is rounded to nearest even, in the order written.

    Latency: ``latency`` cycles from an error whose output has come two cycles before. Throughput: an error a cycle.
    Back-pressure: outputs are taken while there is room for ``samples`` samples.

    Parameters
    ----------
    config : LayerConfig
        A linear layer needs no derivative.
    samples : int
        Whose outputs can wait.

    Members
    -------
    outputs : In(stream of width)
    errors : In(stream of width)
    results : Out(stream of width)

    Raises
    ------
    ValueError
        A linear layer.
    """

    def __init__(self, config: LayerConfig, samples: int):
        if config.activation == "linear":
            raise ValueError("Activation must be one that has a derivative, not 'linear'")
        self._samples = samples
        elements = stream.Signature(config.arithmetic.format.width)
        super().__init__(config, {"outputs": In(elements), "errors": In(elements), "results": Out(elements)})

    @property
    def samples(self):
        """Samples whose outputs can wait."""
        return self._samples

    @property
    def _computing(self):
        """Cycles of two products and a sum."""
        return 2 * self._config.arithmetic.multiplier_depth + self._config.arithmetic.adder_depth

    @property
    def latency(self):
        """Cycles from an error, valid, to its result, valid."""
        return 0 if self._config.activation == "relu" else self._computing + 2

    def elaborate(self, platform):
        m = Module()
        relu = self._config.activation == "relu"
        width = 1 if relu else self._config.arithmetic.format.width
        depth = max(2, self._samples * self._config.outputs)
        m.submodules.buffer = kept = StreamBuffer(width, StreamBufferConfig(depth=depth))
        taken, ready = Signal(), Signal()
        m.d.comb += [
            kept.i.payload.eq(self.outputs.payload[:-1].any() if relu else self.outputs.payload),
            kept.i.valid.eq(self.outputs.valid),
            self.outputs.ready.eq(kept.i.ready),
            taken.eq(self.errors.valid & kept.o.valid),
            self.errors.ready.eq(ready & kept.o.valid),
            kept.o.ready.eq(ready & self.errors.valid),
        ]
        if relu:
            m.d.comb += [
                self.results.payload.eq(Mux(kept.o.payload, self.errors.payload, 0)),
                self.results.valid.eq(taken),
                ready.eq(self.results.ready),
            ]
        else:
            self._compute(m, taken & ready, ready, kept.o.payload)
        return m

    def _compute(self, m, begins, ready, output):
        """The derivative of tanh."""
        number_format = self._config.arithmetic.format
        m.submodules.derivatives = derivatives = StreamPipeline(
            number_format.width, StreamPipelineConfig(latency=self._computing)
        )
        expression = FloatExpression(m, self._config.arithmetic)
        square = expression.multiply("square", Number(output, 0), Number(output, 0))
        slope = expression.subtract("slope", Const(number_format.one, number_format.width), square)
        result = expression.multiply("result", Number(self.errors.payload, 0), slope)
        m.d.comb += [
            ready.eq(derivatives.ready),
            derivatives.begin.eq(begins),
            derivatives.result.eq(result.value),
        ]
        wiring.connect(m, derivatives.o, wiring.flipped(self.results))
