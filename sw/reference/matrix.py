"""Exact products of integer matrices on float64 matrix units (BLAS, or a GPU through CuPy).

A float64 product is exact when every partial sum stays below 2^53, whatever the order of the additions. Operands whose
product could get larger are split in limbs of 16 bits; how often is decided from what they hold.
"""

import numpy as np

from .arrays import ArrayModule, IntegerArray, RealArray

__all__ = ["Operand", "product", "product_high"]

EXACT = 2.0**53
LIMB = 16


class Operand:
    """An integer matrix, with what its products need computed once.

    Parameters
    ----------
    words : array of int64, two dimensions
    xp : module
        Array namespace, NumPy's or CuPy's.
    """

    def __init__(self, words: IntegerArray, xp: ArrayModule = np):
        self.words = words
        self.xp = xp
        self._real: RealArray | None = None
        self._peak: float | None = None
        self._norms: list[float] | None = None
        self._limbs: tuple[Operand, Operand] | None = None
        self._transposed: Operand | None = None

    @property
    def real(self) -> RealArray:
        """The same numbers in float64."""
        if self._real is None:
            self._real = self.words.astype(self.xp.float64)
        return self._real

    @property
    def peak(self) -> float:
        """Largest magnitude, at least 1."""
        if self._peak is None:
            self._peak = max(float(self.real.max()), -float(self.real.min()), 1.0)
        return self._peak

    def norm(self, axis: int) -> float:
        """Largest sum of magnitudes along an axis: with the other operand's peak it bounds every partial sum."""
        if self._norms is None:
            magnitudes = self.xp.abs(self.real)
            self._norms = [max(float(magnitudes.sum(axis).max()), 1.0) for axis in (0, 1)]
        return self._norms[axis]

    @property
    def limbs(self) -> "tuple[Operand, Operand]":
        """``(high, low)`` with ``words = high * 2**16 + low``, low not negative."""
        if self._limbs is None:
            high, low = self.words >> LIMB, self.words & (1 << LIMB) - 1
            self._limbs = Operand(high, self.xp), Operand(low, self.xp)
        return self._limbs

    @property
    def transposed(self) -> "Operand":
        if self._transposed is None:
            other = Operand(self.words.T, self.xp)
            other._real, other._peak, other._transposed = self.real.T, self._peak, self
            other._norms = self._norms and self._norms[::-1]
            self._transposed = other
        return self._transposed


def bound(left: Operand, right: Operand) -> float:
    """No partial sum of the product is larger."""
    depth = left.words.shape[1]
    coarse = left.peak * right.peak * depth
    if coarse < EXACT:
        return coarse
    return min(left.norm(1) * right.peak, left.peak * right.norm(0))


def product(left: Operand, right: Operand) -> IntegerArray:
    """``left @ right`` as int64. The true sums must fit in 63 bits."""
    if bound(left, right) < EXACT:
        return (left.real @ right.real).astype(left.xp.int64)
    if left.peak >= right.peak:
        high, low = left.limbs
        return (product(high, right) << LIMB) + product(low, right)
    high, low = right.limbs
    return (product(left, high) << LIMB) + product(left, low)


def product_high(left: Operand, right: Operand) -> IntegerArray:
    """``floor((left @ right) / 2**16)`` as int64, for words of 32 bits and up to 512 of them in a sum."""
    if bound(left, right) < EXACT:
        return (left.real @ right.real).astype(left.xp.int64) >> LIMB
    high, low = left.limbs
    return product(high, right) + (product(low, right) >> LIMB)
