"""The derivative of a layer's activation."""

from amaranth.hdl import Module, Mux
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from .config import LayerConfig

__all__ = ["ActivationDerivative"]


class ActivationDerivative(wiring.Component):
    """Makes errors at the sums of a ReLU layer of those at its outputs: they are +0 where the output is.

    Outputs come long before their errors. Of each a bit is kept: whether it is something else than 0.

    Latency: none from an error whose output has come two cycles before. Throughput: an error a cycle. Back-pressure:
    outputs are taken while there is room for ``samples`` samples.

    Parameters
    ----------
    config : LayerConfig
        Activation ``"relu"``; a linear layer needs no derivative.
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
        Another activation.
    """

    def __init__(self, config: LayerConfig, samples: int):
        if config.activation != "relu":
            raise ValueError(f"Activation must be relu, not {config.activation!r}")
        self._config, self._samples = config, samples
        numbers = stream.Signature(config.arithmetic.format.width)
        super().__init__({"outputs": In(numbers), "errors": In(numbers), "results": Out(numbers)})

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def samples(self):
        """Samples whose outputs can wait."""
        return self._samples

    def elaborate(self, platform):
        m = Module()
        depth = max(2, self._samples * self._config.outputs)
        m.submodules.buffer = buffer = StreamBuffer(1, StreamBufferConfig(depth=depth))
        m.d.comb += [
            buffer.i.payload.eq(self.outputs.payload[:-1].any()),
            buffer.i.valid.eq(self.outputs.valid),
            self.outputs.ready.eq(buffer.i.ready),
            self.results.payload.eq(Mux(buffer.o.payload, self.errors.payload, 0)),
            self.results.valid.eq(self.errors.valid & buffer.o.valid),
            self.errors.ready.eq(self.results.ready & buffer.o.valid),
            buffer.o.ready.eq(self.results.ready & self.errors.valid),
        ]
        return m
