"""Ranges of tensors and their codes."""

from dataclasses import dataclass

import numpy as np

from ....hw.cores.quantization.config import RECIPROCAL_FRACTION
from ..arrays import ArrayModule, FlagArray, IntegerArray

__all__ = ["QuantizationParameters", "RangeReference", "dequantize", "quantize"]


@dataclass(frozen=True, kw_only=True)
class QuantizationParameters:
    """Parameters of codes, from a range frozen with a number of bits.

    Parameters
    ----------
    minimum, maximum : int
        The range, which contains zero.
    bits : int
        Bits of the codes, 8 to 16.
    """

    minimum: int = 0
    maximum: int = 0
    bits: int = 16

    def __post_init__(self) -> None:
        if not -(1 << 31) <= self.minimum <= 0 <= self.maximum < 1 << 31:
            raise ValueError(f"Range must contain zero within 32 bits, not [{self.minimum}, {self.maximum}]")
        if not 8 <= self.bits <= 16:
            raise ValueError(f"Bits must be from 8 to 16, not {self.bits}")

    @property
    def scale(self) -> int:
        """S, the width of the range: a code step is ``S / 2**bits``."""
        return max(1, self.maximum - self.minimum)

    @property
    def zero_point(self) -> int:
        """z, the code of zero."""
        return (-self.minimum << self.bits) // self.scale

    @property
    def reciprocal(self) -> int:
        """By which the hardware multiplies instead of dividing by the scale."""
        return (1 << self.scale.bit_length() + RECIPROCAL_FRACTION) // self.scale

    @property
    def shift(self) -> int:
        """Bits that the hardware drops after that multiplication."""
        return self.scale.bit_length() + RECIPROCAL_FRACTION - self.bits

    @property
    def code_maximum(self) -> int:
        """The largest code."""
        return (1 << self.bits) - 1


def quantize(
    value: IntegerArray, parameters: QuantizationParameters, xp: ArrayModule = np
) -> tuple[IntegerArray, FlagArray]:
    """Codes (int64) of words, and which words were outside of the range."""
    clamped = xp.clip(value, parameters.minimum, parameters.maximum)
    # Exact in float64: the numerator has 48 bits, and a quotient that is not whole is at least 1/S >= 2^-32 away from
    # the next integer, while one of at most 2^16 is rounded by less than 2^-36.
    quotient = xp.floor(clamped * float(1 << parameters.bits) / float(parameters.scale))
    codes = xp.clip(quotient + float(parameters.zero_point), 0.0, float(parameters.code_maximum))
    return codes.astype(xp.int64), clamped != value


def dequantize(codes: IntegerArray, parameters: QuantizationParameters) -> IntegerArray:
    """Words (int64) that codes mean, ``((code - z) * S) >> bits``."""
    return ((codes - parameters.zero_point) * parameters.scale) >> parameters.bits


class RangeReference:
    """Keeps ranges as ``RangeUnit`` does.

    Parameters
    ----------
    slots : int

    Attributes
    ----------
    minima, maxima : list of int
        The range of each slot.
    parameters : list of QuantizationParameters
        Parameters that were frozen last.
    """

    def __init__(self, slots: int):
        self.minima = [0] * slots
        self.maxima = [0] * slots
        self.parameters = [QuantizationParameters()] * slots

    def clear(self) -> None:
        """Every range to [0, 0]; what was frozen stays."""
        self.minima = [0] * len(self.minima)
        self.maxima = [0] * len(self.maxima)

    def write(self, slot: int, minimum: int, maximum: int) -> None:
        """Set a range, extended to contain zero."""
        self.minima[slot] = min(0, int(minimum))
        self.maxima[slot] = max(0, int(maximum))

    def monitor(self, slot: int, values: IntegerArray) -> None:
        """Record the values of an array, which may be empty."""
        if values.size:
            self.minima[slot] = min(self.minima[slot], int(values.min()))
            self.maxima[slot] = max(self.maxima[slot], int(values.max()))

    def freeze(self, bits: int) -> None:
        """Compute the parameters of all slots."""
        self.parameters = [
            QuantizationParameters(minimum=minimum, maximum=maximum, bits=bits)
            for minimum, maximum in zip(self.minima, self.maxima, strict=True)
        ]
