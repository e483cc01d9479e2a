"""Reference of Adam in floating point, in bit patterns."""

from dataclasses import astuple, dataclass
from typing import Generic, TypeVar

from ....hw.cores.float.config import FloatFormat
from ..arrays import IntegerArray, ValueArray
from ..float.conversion import from_numbers
from ..float.functions.host import reciprocal, square_root
from ..float.host import add, from_bits, multiply, subtract, to_bits

__all__ = ["AdamRates", "float_adam"]

Rate = TypeVar("Rate")


@dataclass(frozen=True, kw_only=True)
class AdamRates(Generic[Rate]):
    """Rates of a step, the same for all weights; real numbers, or bit patterns.

    Parameters
    ----------
    beta1, one_minus_beta1 : number
        Share of a first moment that stays, and the rest to one.
    beta2, one_minus_beta2 : number
        The same of the second moment.
    learning_rate, epsilon : number
        The step, and what keeps the divisor from zero, both with the correction of the moments' bias in them.
    """

    beta1: Rate
    one_minus_beta1: Rate
    beta2: Rate
    one_minus_beta2: Rate
    learning_rate: Rate
    epsilon: Rate

    @staticmethod
    def of_step(
        step: int,
        *,
        learning_rate: float = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
    ) -> "AdamRates[float]":
        """Real numbers of a step, counted from 1.

        With moments m and v of bias ``1 - beta**step``, ``m / b1 / (sqrt(v / b2) + epsilon)`` is
        ``sqrt(b2) / b1 * m / (sqrt(v) + sqrt(b2) * epsilon)``.
        """
        root = (1 - beta2**step) ** 0.5
        return AdamRates(
            beta1=beta1,
            one_minus_beta1=1 - beta1,
            beta2=beta2,
            one_minus_beta2=1 - beta2,
            learning_rate=learning_rate * root / (1 - beta1**step),
            epsilon=epsilon * root,
        )

    def rounded(self, number_format: FloatFormat) -> "AdamRates[IntegerArray]":
        """Round to the bit patterns of a format."""
        names = self.__dataclass_fields__
        return AdamRates(**dict(zip(names, from_numbers(number_format, astuple(self)), strict=True)))


def float_adam(
    number_format: FloatFormat,
    weight: IntegerArray,
    first: IntegerArray,
    second: IntegerArray,
    gradient: IntegerArray,
    rates: AdamRates[IntegerArray],
) -> tuple[IntegerArray, IntegerArray, IntegerArray]:
    """``(weight, first, second)`` after a step; every operation is rounded, in the order written::

        first = beta1 * first + one_minus_beta1 * gradient
        second = beta2 * second + (one_minus_beta2 * gradient) * gradient
        weight = weight + (-(learning_rate * (first * reciprocal(sqrt(second) + epsilon))))

    Parameters
    ----------
    number_format : FloatFormat
    weight, first, second, gradient : array of bit patterns
        First and second moment of the gradient.
    rates : AdamRates
        Bit patterns.

    Source
    ------
    D. P. Kingma, J. Ba, "Adam", ICLR 2015, algorithm 1 with the bias corrected as in the end of its section 2.
    """
    w, m, v, slope = (from_bits(number_format, bits) for bits in (weight, first, second, gradient))
    real: AdamRates[ValueArray] = AdamRates(
        **{name: from_bits(number_format, bits) for name, bits in vars(rates).items()}
    )
    kept = multiply(number_format, real.beta1, m)
    m = add(number_format, kept, multiply(number_format, real.one_minus_beta1, slope))
    fresh = multiply(number_format, multiply(number_format, real.one_minus_beta2, slope), slope)
    v = add(number_format, multiply(number_format, real.beta2, v), fresh)
    divisor = add(number_format, square_root(number_format, v), real.epsilon)
    direction = multiply(number_format, m, reciprocal(number_format, divisor))
    w = subtract(number_format, w, multiply(number_format, real.learning_rate, direction))
    return to_bits(number_format, w), to_bits(number_format, m), to_bits(number_format, v)
