"""One lane of RMSprop."""

from ..float.expression import FloatExpression, Number
from ..float.functions.config import FloatFunctionConfig
from ..float.functions.reciprocal import FloatReciprocal
from ..float.functions.square_root import FloatSquareRoot
from .float_lane import FloatOptimizerLane
from .rms_prop_config import RMS_PROP, RMSpropConfig

__all__ = ["RMSpropLane"]


class RMSpropLane(FloatOptimizerLane):
    """Updates one weight a cycle::

        new_square = decay * square + (one_minus_decay * gradient) * gradient
        new_weight = weight + (-(learning_rate * (gradient * reciprocal(sqrt(new_square) + epsilon))))

    Number format: the configuration's; every operation is rounded, in the order written.

    Latency: ``latency`` cycles for weight and mean square: those of four multipliers, three adders, the square root and
    the reciprocal. One weight a cycle. No back-pressure.

    Parameters
    ----------
    config : RMSpropConfig

    Members
    -------
    weight, square, gradient : In(width)
        ``square`` is the mean square of the gradient.
    decay, one_minus_decay, learning_rate, epsilon : In(width)
        Constant while weights are under way.
    new_weight, new_square : Out(width)
    nonfinite : Out(1)
        One of the two is infinite or NaN.

    Source
    ------
    T. Tieleman, G. Hinton, Lecture 6.5 of "Neural networks for machine learning", 2012; LearningGroup, section IV-A.
    """

    NUMBERS = RMS_PROP

    def __init__(self, config: RMSpropConfig):
        function = FloatFunctionConfig(format=config.format)
        self._square_root, self._reciprocal = FloatSquareRoot(function), FloatReciprocal(function)
        super().__init__(config)

    @property
    def latency(self):
        """Cycles from a weight to the new one."""
        units = 4 * self._config.multiplier_depth + 3 * self._config.adder_depth
        return units + self._square_root.latency + self._reciprocal.latency

    def _update(self, numbers: FloatExpression):
        gradient = Number(self.gradient, 0)
        share = numbers.multiply("share_of_gradient", self.one_minus_decay, gradient)
        square = numbers.add(
            "new_mean_square",
            numbers.multiply("kept_square", self.decay, Number(self.square, 0)),
            numbers.multiply("square_of_gradient", share, gradient),
        )
        divisor = numbers.add("divisor", numbers.apply("square_root", self._square_root, square), self.epsilon)
        inverse = numbers.apply("reciprocal", self._reciprocal, divisor)
        direction = numbers.multiply("direction", gradient, inverse)
        step = numbers.multiply("step", self.learning_rate, direction)
        return {"weight": numbers.subtract("moved_weight", Number(self.weight, 0), step), "square": square}
