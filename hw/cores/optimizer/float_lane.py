"""Lanes of optimisers in floating point: what they share, Adam, and stochastic gradient descent."""

from abc import ABC, abstractmethod

from amaranth.hdl import Module
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.config import FloatLaneConfig
from ..float.expression import FloatExpression, Number
from ..float.functions.config import FloatFunctionConfig
from ..float.functions.reciprocal import FloatReciprocal
from ..float.functions.square_root import FloatSquareRoot
from ..float.nonfinite import any_nonfinite
from .float_lane_config import FLOAT_OPTIMIZERS, FloatOptimizer

__all__ = ["FLOAT_LANES", "FloatAdamLane", "FloatOptimizerLane", "SGDLane", "UnchangedLane", "rates_layout"]


def rates_layout(numbers: FloatOptimizer, number_format):
    """The rates of a step, by name."""
    return data.StructLayout(dict.fromkeys(numbers.rates, number_format.width))


class FloatOptimizerLane(ConfiguredComponent, ABC):
    """A pipeline that updates a weight a cycle; base of the lanes.

    Parameters
    ----------
    config : FloatLaneConfig
    """

    NUMBERS: FloatOptimizer

    def __init__(self, config: FloatLaneConfig):
        width = config.format.width
        self._kept = ("weight", *self.NUMBERS.state)
        super().__init__(
            config,
            {name: In(width) for name in (*self._kept, *self.NUMBERS.gradients * ("gradient",), *self.NUMBERS.rates)}
            | {f"new_{name}": Out(width) for name in self._kept}
            | {"nonfinite": Out(1)},
        )

    @property
    @abstractmethod
    def latency(self):
        """Cycles from a weight to the new one."""

    @abstractmethod
    def _update(self, numbers: FloatExpression) -> dict[str, Number]:
        """Values to keep after the step, by name."""

    def elaborate(self, platform):
        m = Module()
        numbers = FloatExpression(m, self._config)
        for name, number in self._update(numbers).items():
            port = getattr(self, f"new_{name}")
            m.d.comb += port.eq(numbers.at(number, self.latency))
        ports = [getattr(self, f"new_{name}") for name in self._kept]
        m.d.comb += self.nonfinite.eq(any_nonfinite(self._config.format, ports))
        return m


class FloatAdamLane(FloatOptimizerLane):
    """Updates one weight a cycle::

        new_first = beta1 * first + one_minus_beta1 * gradient
        new_second = beta2 * second + (one_minus_beta2 * gradient) * gradient
        new_weight = weight + (-(learning_rate * (new_first * reciprocal(sqrt(new_second) + epsilon))))

    ``learning_rate`` and ``epsilon`` have the correction of the moments' bias in them. The host computes 1 - beta.

    Number format: the configuration's; every operation is rounded, in the order written.

    Latency: ``latency`` cycles for the weight and both moments: those of four multipliers, three adders, the square
    root and the reciprocal. One weight a cycle. No back-pressure.

    Parameters
    ----------
    config : FloatLaneConfig

    Members
    -------
    weight, first, second, gradient : In(width)
        First and second moment of the gradient.
    beta1, one_minus_beta1, beta2, one_minus_beta2, learning_rate, epsilon : In(width)
        Rates; constant while weights are under way.
    new_weight, new_first, new_second : Out(width)
    nonfinite : Out(1)
        One of the three is infinite or NaN.

    Source
    ------
    D. P. Kingma, J. Ba, "Adam", ICLR 2015, algorithm 1 with the bias corrected as in the end of its section 2.
    """

    NUMBERS = FLOAT_OPTIMIZERS["adam"]

    def __init__(self, config: FloatLaneConfig):
        function = FloatFunctionConfig(format=config.format)
        self._square_root, self._reciprocal = FloatSquareRoot(function), FloatReciprocal(function)
        super().__init__(config)

    @property
    def latency(self):
        """Cycles from a weight to the new one."""
        units = 4 * self._config.multiplier_depth + 3 * self._config.adder_depth
        return units + self._square_root.latency + self._reciprocal.latency

    def _update(self, numbers):
        gradient, first, second = Number(self.gradient, 0), Number(self.first, 0), Number(self.second, 0)
        first = numbers.add(
            "new_first_moment",
            numbers.multiply("kept_first", self.beta1, first),
            numbers.multiply("fresh_first", self.one_minus_beta1, gradient),
        )
        share = numbers.multiply("share_of_gradient", self.one_minus_beta2, gradient)
        second = numbers.add(
            "new_second_moment",
            numbers.multiply("kept_second", self.beta2, second),
            numbers.multiply("square_of_gradient", share, gradient),
        )
        divisor = numbers.add("divisor", numbers.apply("square_root", self._square_root, second), self.epsilon)
        inverse = numbers.apply("reciprocal", self._reciprocal, divisor)
        step = numbers.multiply("step", self.learning_rate, numbers.multiply("direction", first, inverse))
        weight = numbers.subtract("moved_weight", Number(self.weight, 0), step)
        return {"weight": weight, "first": first, "second": second}


class SGDLane(FloatOptimizerLane):
    """Updates one weight a cycle, ``new_weight = weight + (-(learning_rate * gradient))``.

    Number format: the configuration's; product and sum are each rounded.

    Latency: ``latency`` cycles, those of a multiplier and an adder. One weight a cycle. No back-pressure.

    Parameters
    ----------
    config : FloatLaneConfig

    Members
    -------
    weight, gradient : In(width)
    learning_rate : In(width)
        Constant while weights are under way.
    new_weight : Out(width)
    nonfinite : Out(1)
        The new weight is infinite or NaN.
    """

    NUMBERS = FLOAT_OPTIMIZERS["sgd"]

    @property
    def latency(self):
        """Cycles from a weight to the new one."""
        return self._config.multiplier_depth + self._config.adder_depth

    def _update(self, numbers):
        step = numbers.multiply("step", self.learning_rate, Number(self.gradient, 0))
        return {"weight": numbers.subtract("moved_weight", Number(self.weight, 0), step)}


class UnchangedLane(FloatOptimizerLane):
    """Gives one weight a cycle as it is: for weights that are updated elsewhere.

    Number format: the configuration's; nothing is rounded.

    Latency: none.

    Parameters
    ----------
    config : FloatLaneConfig

    Members
    -------
    weight : In(width)
    new_weight : Out(width)
    nonfinite : Out(1)
        The weight is infinite or NaN.
    """

    NUMBERS = FLOAT_OPTIMIZERS["none"]

    @property
    def latency(self):
        """None."""
        return 0

    def _update(self, numbers):
        return {"weight": Number(self.weight, 0)}


FLOAT_LANES: dict[str, type[FloatOptimizerLane]] = {"adam": FloatAdamLane, "sgd": SGDLane, "none": UnchangedLane}
