"""Errors at the actions that a policy draws to errors at the outputs of its network."""

from amaranth.hdl import Const, Module, Mux
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..attention.stream_expression import stream_expression
from ..component import ConfiguredComponent
from ..float.expression import Number
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from ..stream.concatenation import StreamConcatenation
from ..stream.connect import connect_field
from ..stream.fork import StreamFork
from ..stream.join import join_streams
from .squashed_gaussian import drawn_layout
from .squashed_gaussian_config import SquashedGaussianConfig

__all__ = ["SquashedGaussianDerivative"]


class SquashedGaussianDerivative(ConfiguredComponent):
    """Makes errors at the outputs of a policy's network, of errors at the actions that :class:`.SquashedGaussian` drew,
    and of the density of these::

        at_u = error * (1 - action * action) - (entropy_slope + entropy_slope) * action
        by_mean = at_u;  by_logarithm = at_u * spread + entropy_slope, or +0 where the logarithm is kept at a bound

    The logarithm of a density has the derivative ``2 tanh(u)`` by u, and -1 by the logarithm of the standard deviation.

    Number format: ``config.arithmetic.format``; every operation is rounded to nearest even, in the order written.

    Latency: ``latency`` cycles from an element's error to that at its mean. Throughput: a sample in twice as many
    cycles as it has actions. Back-pressure: what was drawn and errors wait for each other; errors at logarithms of two
    samples wait for those at means.

    Parameters
    ----------
    config : SquashedGaussianConfig

    Members
    -------
    errors : In(stream of width)
        Derivatives of the loss by the elements of an action.
    drawn : In(stream of ``drawn_layout(config)``)
    results : Out(stream of width)
        Derivatives by the means of a sample, then by the logarithms.
    entropy_slope : In(width)
        Derivative of the loss by the negative logarithm of a density; constant while errors are under way.
    """

    def __init__(self, config: SquashedGaussianConfig):
        width = config.arithmetic.format.width
        super().__init__(
            config,
            {
                "errors": In(stream.Signature(width)),
                "drawn": In(stream.Signature(drawn_layout(config))),
                "results": Out(stream.Signature(width)),
                "entropy_slope": In(width),
            },
        )

    @property
    def latency(self):
        """Cycles from the transfer of an element's error to that at its mean, valid, if nothing waits."""
        arithmetic = self._config.arithmetic
        return 3 * (arithmetic.multiplier_depth + arithmetic.adder_depth) + 2

    def elaborate(self, platform):
        m = Module()
        config, shape = self._config, self.results.payload.shape()
        elements = join_streams(m, "elements", error=self.errors, drawn=self.drawn)
        derivatives = stream_expression(m, "derivatives", config.arithmetic, elements, self._differentiate)
        m.submodules.fork = fork = StreamFork(derivatives.o.payload.shape(), 2)
        m.submodules.waiting = waiting = StreamBuffer(shape, StreamBufferConfig(depth=2 * config.actions))
        m.submodules.both = both = StreamConcatenation(shape, config.actions, config.actions)
        wiring.connect(m, derivatives.o, fork.i)
        for name, source, sink in zip(("mean", "logarithm"), fork.o, (both.i[0], waiting.i), strict=True):
            connect_field(m, source, name, sink)
        wiring.connect(m, waiting.o, both.i[1])
        wiring.connect(m, both.o, wiring.flipped(self.results))
        return m

    def _differentiate(self, expression, element):
        """Errors at a mean and at a logarithm."""
        error, action = Number(element.error, 0), Number(element.drawn.action, 0)
        one = Const(self._config.arithmetic.format.one, len(error.value))
        slope = expression.subtract("slope", one, expression.multiply("square", action, action))
        doubled = expression.add("doubled", Number(self.entropy_slope, 0), self.entropy_slope)
        entropy = expression.multiply("entropy", doubled, action)
        mean = expression.subtract("mean", expression.multiply("squashed", error, slope), entropy)
        spread = expression.multiply("spread", mean, Number(element.drawn.spread, 0))
        logarithm = expression.add("logarithm", spread, self.entropy_slope)
        within = expression.at(Number(element.drawn.within, 0), logarithm.time)
        return {"mean": mean, "logarithm": Number(Mux(within, logarithm.value, 0), logarithm.time)}
