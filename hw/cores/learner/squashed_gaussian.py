"""Actions that a policy draws."""

from amaranth.hdl import Cat, Const, Module, Mux
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..attention.sequential_sum import SequentialSum
from ..attention.stream_expression import stream_expression
from ..component import ConfiguredComponent
from ..float.expression import Number
from ..float.functions.config import FloatFunctionConfig
from ..float.functions.exponential import FloatExponential
from ..float.functions.logarithm import FloatLogarithm
from ..float.functions.sigmoid_tanh import FloatSigmoidTanh
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from ..stream.concatenation import StreamSplit
from ..stream.connect import connect_field
from ..stream.fork import StreamFork
from ..stream.join import join_streams
from .squashed_gaussian_config import DENSITY_CONSTANT, HIGHEST_LOGARITHM, LOWEST_LOGARITHM, SquashedGaussianConfig

__all__ = ["SquashedGaussian", "drawn_layout"]

# Cycles of the buffer behind an expression.
BUFFER = 2


def drawn_layout(config: SquashedGaussianConfig):
    """Operands of the derivative from an element that was drawn."""
    width = config.arithmetic.format.width
    return data.StructLayout({"action": width, "spread": width, "within": 1})


class SquashedGaussian(ConfiguredComponent):
    """Draws actions of a network's outputs, means and after them logarithms s of standard deviations::

        spread = exp(s kept between -20 and 2) * noise
        u = mean + spread
        action = tanh(u)
        half = |u| + ln(1 + exp(-(|u| + |u|)))
        log_density = ((half + half) - ((0.5 * noise) * noise + s)) - (2 ln(2) + ln(2 pi) / 2)

    Logarithms of the elements' densities are added one after the other. Written so, nothing overflows or cancels where
    tanh(u) is 1 already, and the derivative by u is that of ``-ln(1 - tanh(u)**2)``, ``2 tanh(u)``.

    ::

        outputs -+-> means wait -.
                 `-> logarithms -+-> spread, u -+-> tanh -+-> actions
        noises ------------------'              |         `-> drawn
                                                `-> density -> SequentialSum -> log_densities

    Number format: ``config.arithmetic.format``; every operation is rounded to nearest even, in the order written.

    Latency: ``action_latency`` cycles from an element's logarithm to its action, ``density_latency`` from the first
    logarithm of a sample to that of its density, if they come one a cycle. Throughput: a sample in ``config.cycles``
    cycles. Back-pressure: means of two samples wait for their logarithms.

    Parameters
    ----------
    config : SquashedGaussianConfig
    derivable : bool
        Whether what the derivative needs also leaves.

    Members
    -------
    outputs : In(stream of width)
        Means of a sample, then logarithms.
    noises : In(stream of width)
        A standard normal number for each element.
    actions : Out(stream of width)
    log_densities : Out(stream of width)
        One a sample.
    drawn : Out(stream of ``drawn_layout(config)``), where it is ``derivable``

    Source
    ------
    T. Haarnoja et al., "Soft actor-critic algorithms and applications", 2019, appendix C. Not in the source: the
    logarithm of 1 - tanh(u)**2 by the exponential of ``-2 |u|``.
    """

    def __init__(self, config: SquashedGaussianConfig, derivable: bool = False):
        elements = stream.Signature(config.arithmetic.format.width)
        function = FloatFunctionConfig(format=config.arithmetic.format)
        self._derivable = derivable
        self._deviation, self._power = FloatExponential(function), FloatExponential(function)
        self._tanh, self._softplus = FloatSigmoidTanh(function), FloatLogarithm(function)
        self._sum = SequentialSum(config.arithmetic, config.actions)
        members = {"outputs": In(elements), "noises": In(elements), "actions": Out(elements)}
        if derivable:
            members["drawn"] = Out(stream.Signature(drawn_layout(config)))
        super().__init__(config, members | {"log_densities": Out(elements)})

    @property
    def derivable(self):
        """Whether the core also gives out what the derivative needs."""
        return self._derivable

    @property
    def _drawing(self):
        """Cycles from a logarithm to u."""
        arithmetic = self._config.arithmetic
        return self._deviation.latency + arithmetic.multiplier_depth + arithmetic.adder_depth + BUFFER

    @property
    def action_latency(self):
        """Cycles from the transfer of an element's logarithm to its action, valid, if nothing waits."""
        return self._drawing + self._tanh.latency + BUFFER

    @property
    def density_latency(self):
        """Cycles from the transfer of a sample's first logarithm to that of its density, valid, if nothing waits."""
        density = self._power.latency + self._softplus.latency + 6 * self._config.arithmetic.adder_depth + BUFFER
        # A sum leaves in the last one of its cycles.
        return self._drawing + density + self._sum.cycles - 1

    def elaborate(self, platform):
        m = Module()
        config, shape = self._config, self.actions.payload.shape()
        m.submodules.split = split = StreamSplit(shape, config.actions, config.actions)
        # A single mean is there in the cycle of its logarithm.
        room = StreamBufferConfig(depth=2 * config.actions, latency=1)
        m.submodules.means_waiting = means = StreamBuffer(shape, room)
        wiring.connect(m, wiring.flipped(self.outputs), split.i)
        wiring.connect(m, split.o[0], means.i)
        elements = join_streams(m, "elements", mean=means.o, logarithm=split.o[1], noise=self.noises)
        drawing = stream_expression(m, "drawing", config.arithmetic, elements, self._draw)
        m.submodules.drawing_fork = fork = StreamFork(drawing.o.payload.shape(), 2)
        wiring.connect(m, drawing.o, fork.i)
        squashing = stream_expression(m, "squashing", config.arithmetic, fork.o[0], self._squash)
        m.d.comb += self._tanh.tanh.eq(1)
        self._give_actions(m, squashing.o)
        density = stream_expression(m, "density", config.arithmetic, fork.o[1], self._find_density)
        m.submodules.sum = total = self._sum
        wiring.connect(m, density.o, total.i)
        wiring.connect(m, total.o, wiring.flipped(self.log_densities))
        return m

    def _draw(self, expression, element):
        """``u``, and what is needed beside it: ``spread``, ``within``, and ``normal``, of the density."""
        number_format = self._config.arithmetic.format
        given, noise = element.logarithm, Number(element.noise, 0)
        below, above = self._beyond(given, LOWEST_LOGARITHM), self._beyond(given, HIGHEST_LOGARITHM)
        kept = Number(Mux(below, self._bits(LOWEST_LOGARITHM), Mux(above, self._bits(HIGHEST_LOGARITHM), given)), 0)
        spread = expression.multiply("spread", expression.apply("deviation", self._deviation, kept), noise)
        half = expression.multiply("half_noise", Const(number_format.nearest(0.5), number_format.width), noise)
        return {
            "u": expression.add("u", Number(element.mean, 0), spread),
            "spread": spread,
            "within": Number(~(below | above), 0),
            "normal": expression.add("normal", expression.multiply("half_square", half, noise), kept),
        }

    def _squash(self, expression, drawing):
        """The action, and what its derivative needs."""
        action = expression.apply("tanh", self._tanh, Number(drawing.u, 0))
        return {"action": action, "spread": Number(drawing.spread, 0), "within": Number(drawing.within, 0)}

    def _find_density(self, expression, drawing):
        """The logarithm of an element's density."""
        width = len(drawing.u)
        magnitude = Number(Cat(drawing.u[:-1], Const(0, 1)), 0)
        doubled = expression.add("doubled", magnitude, magnitude)
        minus_doubled = Number(Cat(doubled.value[:-1], Const(1, 1)), doubled.time)
        power = expression.apply("power", self._power, minus_doubled)
        one = Const(self._config.arithmetic.format.one, width)
        softplus = expression.apply("softplus", self._softplus, expression.add("above_one", one, power))
        half = expression.add("half", magnitude, softplus)
        squashed = expression.add("squashed", half, half)
        relative = expression.subtract("relative", squashed, Number(drawing.normal, 0))
        return expression.subtract("log_density", relative, self._bits(DENSITY_CONSTANT))

    def _give_actions(self, m, drawn):
        """Actions, and where it is wanted what the derivative needs."""
        if not self._derivable:
            connect_field(m, drawn, "action", self.actions)
            return
        m.submodules.actions_fork = fork = StreamFork(drawn.payload.shape(), 2)
        wiring.connect(m, drawn, fork.i)
        connect_field(m, fork.o[0], "action", self.actions)
        wiring.connect(m, fork.o[1], wiring.flipped(self.drawn))

    def _bits(self, number):
        """A constant."""
        number_format = self._config.arithmetic.format
        sign = number_format.sign_bit if number < 0 else 0
        return Const(sign | number_format.nearest(abs(number)), number_format.width)

    def _beyond(self, number, bound):
        """Whether a number is farther from 0 than a bound, on its side; NaN is not."""
        magnitude, limit = number[:-1], self._bits(abs(bound))[:-1]
        far = (magnitude > limit) & (magnitude <= self._config.arithmetic.format.infinity)
        return far & (number[-1] == int(bound < 0))
