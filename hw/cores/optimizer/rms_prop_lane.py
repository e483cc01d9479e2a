"""One lane of RMSprop."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..float.adder import FloatAdder
from ..float.config import FloatConfig
from ..float.functions.config import FloatFunctionConfig
from ..float.functions.reciprocal import FloatReciprocal
from ..float.functions.square_root import FloatSquareRoot
from ..float.multiplier import FloatMultiplier
from ..pipeline import delay
from .rms_prop_config import RATES, RMSpropConfig

__all__ = ["RMSpropLane"]


class RMSpropLane(wiring.Component):
    """Updates one weight a cycle::

        new_square = alpha * square + (rest * gradient) * gradient
        new_weight = weight + (-(rate * (gradient * reciprocal(sqrt(new_square) + epsilon))))

    ``rest`` is 1 - alpha.

    Number format: the configuration's; every operation is rounded, in the order written.

    Latency: ``latency`` cycles for weight and mean square: those of four multipliers, three adders, the square root and
    the reciprocal. One weight a cycle. No back-pressure.

    Parameters
    ----------
    config : RMSpropConfig

    Members
    -------
    weight, square, gradient : In(width)
    alpha, rest, rate, epsilon : In(width)
        Rates; constant while weights are under way.
    new_weight, new_square : Out(width)
    nonfinite : Out(1)
        One of the two is infinite or NaN.

    Source
    ------
    T. Tieleman, G. Hinton, Lecture 6.5 of "Neural networks for machine learning", 2012; LearningGroup, section IV-A.
    """

    def __init__(self, config: RMSpropConfig):
        self._config = config
        function = FloatFunctionConfig(format=config.format)
        self._square_root = FloatSquareRoot(function)
        self._reciprocal = FloatReciprocal(function)
        width = config.format.width
        inputs = ("weight", "square", "gradient", *RATES)
        super().__init__(
            {name: In(width) for name in inputs}
            | {"new_weight": Out(width), "new_square": Out(width), "nonfinite": Out(1)}
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from a weight to the new one."""
        adder, multiplier = self._config.adder_depth, self._config.multiplier_depth
        return 4 * multiplier + 3 * adder + self._square_root.latency + self._reciprocal.latency

    def elaborate(self, platform):
        m = Module()
        number_format = self._config.format
        adder_depth, multiplier_depth = self._config.adder_depth, self._config.multiplier_depth

        def unit(name, component, **operands):
            m.submodules[name] = component
            m.d.comb += [getattr(component, port).eq(value) for port, value in operands.items()]
            return component.result

        def add(name, a, b, subtract=0):
            adder = FloatAdder(FloatConfig(format=number_format, depth=adder_depth))
            return unit(name, adder, a=a, b=b, subtract=subtract)

        def multiply(name, a, b):
            return unit(name, FloatMultiplier(FloatConfig(format=number_format, depth=multiplier_depth)), a=a, b=b)

        # The gradient is used three times; the mean square waits for its square.
        gradient_late = delay(m, self.gradient, multiplier_depth, "gradient")
        fresh = multiply("square_of_gradient", multiply("share_of_gradient", self.rest, self.gradient), gradient_late)
        kept = multiply("kept_square", self.alpha, delay(m, self.square, multiplier_depth, "square"))
        square = add("new_square", kept, fresh)
        divisor = add("divisor", unit("square_root", self._square_root, a=square), self.epsilon)
        inverse = unit("reciprocal", self._reciprocal, a=divisor)
        to_divide = multiplier_depth + 2 * adder_depth + self._square_root.latency + self._reciprocal.latency
        direction = multiply("direction", delay(m, gradient_late, to_divide, "gradient_to_divide"), inverse)
        step = multiply("step", self.rate, direction)
        before = self.latency - adder_depth
        weight = add("new_weight", delay(m, self.weight, before, "weight"), step, subtract=1)
        after = self.latency - 2 * multiplier_depth - adder_depth
        exponent = slice(number_format.fraction_bits, -1)
        m.d.comb += [
            self.new_weight.eq(weight),
            self.new_square.eq(delay(m, square, after, "square_out")),
            self.nonfinite.eq(self.new_weight[exponent].all() | self.new_square[exponent].all()),
        ]
        return m
