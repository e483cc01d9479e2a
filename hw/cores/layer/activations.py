"""The activations of layers by name: their units in the forward stage, and those of their derivatives."""

from amaranth.hdl import Const, Mux

from ..float.config import FloatConfig, FloatLaneConfig
from ..float.expression import FloatExpression, Number
from ..float.functions.config import FloatFunctionConfig
from ..float.functions.sigmoid_tanh import FloatSigmoidTanh
from ..float.multiplier import FloatMultiplier
from ..pipeline import delay
from .config import LEAKY_SLOPE

__all__ = ["ACTIVATION_UNITS", "Activation"]


class Activation:
    """An activation y = f(x) as stages use it; this one is ``"linear"``.

    Parameters
    ----------
    arithmetic : FloatLaneConfig
        Format, and stages of each adder and multiplier.

    Attributes
    ----------
    latency : int
        Cycles from a sum to its output.
    derivative_latency : int
        Cycles from an error to its product with the derivative; 0 where it is chosen rather than multiplied.
    """

    latency = 0
    derivative_latency = 0

    def __init__(self, arithmetic: FloatLaneConfig):
        self.arithmetic = arithmetic

    def apply(self, m, total):
        """The output of a sum, ``latency`` cycles later."""
        return total

    def kept(self, output):
        """Part of an output that the derivative needs: a single bit, or all of it."""
        return output

    def differentiate(self, m, kept, error):
        """The error at a sum of that at its output, ``derivative_latency`` cycles later."""
        return error


class _ReLU(Activation):
    """+0 of whatever has a negative sign; NaN has none, and stays. The derivative is 0 where y is 0."""

    def apply(self, m, total):
        return Mux(total[-1], 0, total)

    def kept(self, output):
        return output[:-1].any()

    def differentiate(self, m, kept, error):
        return Mux(kept, error, 0)


class _LeakyReLU(Activation):
    """``LEAKY_SLOPE`` times whatever has a negative sign, rounded once; the derivative is the slope where y <= 0."""

    def __init__(self, arithmetic):
        super().__init__(arithmetic)
        self.latency = self.derivative_latency = arithmetic.multiplier_depth

    def apply(self, m, total):
        return self._scale(m, "leaky", total, total[-1])

    def kept(self, output):
        return ~output[-1] & output[:-1].any()

    def differentiate(self, m, kept, error):
        return self._scale(m, "slope", error, ~kept)

    def _scale(self, m, name, number, smaller):
        """A number, or the slope times it."""
        number_format, depth = self.arithmetic.format, self.arithmetic.multiplier_depth
        m.submodules[name] = multiplier = FloatMultiplier(FloatConfig(format=number_format, depth=depth))
        slope = number_format.nearest(LEAKY_SLOPE)
        m.d.comb += [multiplier.a.eq(number), multiplier.b.eq(Const(slope, number_format.width))]
        return Mux(
            delay(m, smaller, depth, f"{name}_chosen"), multiplier.result, delay(m, number, depth, f"{name}_kept")
        )


class _HyperbolicTangent(Activation):
    """See :class:`...float.functions.sigmoid_tanh.FloatSigmoidTanh`; the derivative is ``1 - y * y``."""

    def __init__(self, arithmetic):
        super().__init__(arithmetic)
        self._unit = FloatSigmoidTanh(FloatFunctionConfig(format=arithmetic.format))
        self.latency = self._unit.latency
        self.derivative_latency = 2 * arithmetic.multiplier_depth + arithmetic.adder_depth

    def apply(self, m, total):
        m.submodules.tanh = tanh = self._unit
        m.d.comb += [tanh.a.eq(total), tanh.tanh.eq(1)]
        return tanh.result

    def differentiate(self, m, kept, error):
        number_format = self.arithmetic.format
        expression = FloatExpression(m, self.arithmetic)
        square = expression.multiply("square", Number(kept, 0), Number(kept, 0))
        slope = expression.subtract("slope", Const(number_format.one, number_format.width), square)
        return expression.multiply("result", Number(error, 0), slope).value


ACTIVATION_UNITS = {"linear": Activation, "relu": _ReLU, "leaky_relu": _LeakyReLU, "tanh": _HyperbolicTangent}
