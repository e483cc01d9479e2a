"""The derivative of a layer's activation."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from ..stream.pipeline import StreamPipeline
from ..stream.pipeline_config import StreamPipelineConfig
from .activations import ACTIVATION_UNITS
from .config import LayerConfig

__all__ = ["ActivationDerivative"]


class ActivationDerivative(ConfiguredComponent):
    """Makes errors at the sums of a layer from those at its outputs y::

        relu         0 if y == 0 else error
        leaky_relu   error if y > 0 else error * LEAKY_SLOPE
        tanh         error * (1 - y * y)

    Outputs come long before their errors, and are kept; for ReLU and leaky ReLU one bit of each.

    Number format: ``config.arithmetic.format``; every operation is rounded to nearest even, in the order written.

    Latency: ``latency`` cycles from an error whose output has come two cycles before. Throughput: an error a cycle.
    Back-pressure: outputs are taken while there is room for ``samples`` samples.

    Parameters
    ----------
    config : LayerConfig
        A linear layer needs no derivative.
    samples : int
        Samples whose outputs can wait.

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
        self._activation = ACTIVATION_UNITS[config.activation](config.arithmetic)
        elements = stream.Signature(config.arithmetic.format.width)
        super().__init__(config, {"outputs": In(elements), "errors": In(elements), "results": Out(elements)})

    @property
    def samples(self):
        """Samples whose outputs can wait."""
        return self._samples

    @property
    def latency(self):
        """Cycles from an error, valid, to its result, valid."""
        computing = self._activation.derivative_latency
        return computing + 2 if computing else 0

    def elaborate(self, platform):
        m = Module()
        of_output = self._activation.kept(self.outputs.payload)
        depth = max(2, self._samples * self._config.outputs)
        m.submodules.buffer = kept = StreamBuffer(of_output.shape(), StreamBufferConfig(depth=depth))
        taken, ready = Signal(), Signal()
        m.d.comb += [
            kept.i.payload.eq(of_output),
            kept.i.valid.eq(self.outputs.valid),
            self.outputs.ready.eq(kept.i.ready),
            taken.eq(self.errors.valid & kept.o.valid),
            self.errors.ready.eq(ready & kept.o.valid),
            kept.o.ready.eq(ready & self.errors.valid),
        ]
        result = self._activation.differentiate(m, kept.o.payload, self.errors.payload)
        computing = self._activation.derivative_latency
        if computing:
            m.submodules.derivatives = derivatives = StreamPipeline(
                self.results.payload.shape(), StreamPipelineConfig(latency=computing)
            )
            m.d.comb += [
                ready.eq(derivatives.ready),
                derivatives.begin.eq(taken & ready),
                derivatives.result.eq(result),
            ]
            wiring.connect(m, derivatives.o, wiring.flipped(self.results))
        else:
            m.d.comb += [
                self.results.payload.eq(result),
                self.results.valid.eq(taken),
                ready.eq(self.results.ready),
            ]
        return m
