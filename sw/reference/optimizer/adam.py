"""Adam and the soft target update in fixed point, vectorised; the array namespace may be NumPy's or CuPy's."""

from collections.abc import Sequence
from math import isqrt
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..arrays import ArrayModule, IntegerArray
from ..function.reciprocal_square_root import ReciprocalSquareRootReference

__all__ = ["ONE", "AdamReference", "StepRates", "advance_powers", "corrected_step"]

# Powers before the first step.
ONE = 1 << 32
RATE_FRACTION = 20
RATIO_FRACTION = 20
RATIO_LIMIT = 1 << 27
STEP_FRACTION = 32
WORD_MINIMUM, WORD_MAXIMUM = -(1 << 31), (1 << 31) - 1
# Elements at once: their intermediate values stay in the cache.
CHUNK = 1 << 13


class StepRates(Protocol):
    """Rates of a step, such as those of ``hw.soc.fixar.config.Rates``: 20 fraction bits, ``epsilon_squared`` an LSB."""

    @property
    def one_minus_beta1(self) -> int: ...

    @property
    def one_minus_beta2(self) -> int: ...

    @property
    def tau(self) -> int: ...

    @property
    def epsilon_squared(self) -> int: ...


def advance_powers(powers: Sequence[int], rates: StepRates) -> list[int]:
    """The running powers (p1, p2) of a network one step later.

    Parameters
    ----------
    powers : sequence of int
        p1 and p2, 32 fraction bits.
    rates : StepRates
    """
    decays = (1 << RATE_FRACTION) - rates.one_minus_beta1, (1 << RATE_FRACTION) - rates.one_minus_beta2
    return [int(power) * decay >> RATE_FRACTION for power, decay in zip(powers, decays, strict=True)]


def corrected_step(powers: Sequence[int], learning_rate: int) -> int:
    """The learning rate (32 fraction bits) with the bias correction of the powers."""
    first, second = powers
    if first == ONE:
        return (1 << STEP_FRACTION) - 1
    return min(learning_rate * isqrt(ONE - second << 32) // (ONE - first), (1 << STEP_FRACTION) - 1)


class AdamReference:
    """Sweeps over the words of a network as ``AdamEngine`` does.

    Parameters
    ----------
    weight_fraction : int
        Fraction bits of the weights.
    xp : module
        Array namespace, NumPy's or CuPy's.
    chunk : int
        Elements at once; a GPU wants many.
    """

    def __init__(self, weight_fraction: int = 24, xp: ArrayModule = np, chunk: int = CHUNK):
        self._xp = xp
        self._chunk = chunk
        self._weight_shift = RATIO_FRACTION + STEP_FRACTION - weight_fraction
        self._reciprocal_root = ReciprocalSquareRootReference(xp)

    def update(
        self,
        weight: IntegerArray,
        target: IntegerArray,
        gradient: IntegerArray,
        first_moment: IntegerArray,
        second_moment: NDArray[np.uint64],
        *,
        step_size: int,
        rates: StepRates,
    ) -> int:
        """One step, in place; returns how many weights were clamped.

        Parameters
        ----------
        weight, target, gradient, first_moment : array of int64
            Flat, words of 32 bits; the gradient is not changed.
        second_moment : array of uint64
            At most 2^62, the square of the largest gradient.
        step_size : int
            From :func:`corrected_step`.
        rates : StepRates
        """
        arrays: tuple[IntegerArray, ...] = (weight, target, gradient, first_moment, second_moment.view(self._xp.int64))
        parts = (
            [array[start : start + self._chunk] for array in arrays] for start in range(0, len(weight), self._chunk)
        )
        return sum(self._update(part, int(step_size), rates) for part in parts)

    def _update(self, part: list[IntegerArray], step_size: int, rates: StepRates) -> int:
        weight, target, gradient, first_moment, second_moment = part
        xp = self._xp
        step = gradient - first_moment
        step *= rates.one_minus_beta1
        # Toward zero: rounded, a moment of a few LSBs would stay for good where the gradient has died, and the weight
        # would drift by the learning rate a step once the second moment is gone.
        step += first_moment << RATE_FRACTION
        step += (step >> 63) & ((1 << RATE_FRACTION) - 1)
        xp.right_shift(step, RATE_FRACTION, out=first_moment)

        # (g*g - v) * one_minus_beta2 in two limbs, within 64 bits.
        lower = gradient * gradient
        lower -= second_moment
        upper = lower >> RATE_FRACTION
        lower &= (1 << RATE_FRACTION) - 1
        lower *= rates.one_minus_beta2
        lower >>= RATE_FRACTION
        upper *= rates.one_minus_beta2
        upper += lower
        second_moment += upper

        ratio, half_exponent = self._reciprocal_root((second_moment + rates.epsilon_squared).view(xp.uint64))
        ratio *= first_moment
        half_exponent += 24 - RATIO_FRACTION
        ratio >>= half_exponent
        xp.minimum(ratio, RATIO_LIMIT - 1, out=ratio)
        xp.maximum(ratio, -RATIO_LIMIT, out=ratio)

        ratio *= step_size
        moved = weight - _rounded(ratio, self._weight_shift)
        xp.clip(moved, WORD_MINIMUM, WORD_MAXIMUM, out=weight)
        saturated = int((moved != weight).sum())

        xp.subtract(weight, target, out=step)
        step *= rates.tau
        target += _rounded(step, RATE_FRACTION)
        return saturated


def _rounded(value: IntegerArray, shift: int) -> IntegerArray:
    """Rounds half up, in place."""
    value >>= shift - 1
    value += 1
    value >>= 1
    return value
