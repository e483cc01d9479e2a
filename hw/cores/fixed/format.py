"""Fixed-point formats. No Amaranth here."""

from dataclasses import dataclass
from fractions import Fraction

from ..checks import require_integer

__all__ = ["FixedFormat"]


@dataclass(frozen=True, kw_only=True)
class FixedFormat:
    """A fixed-point number: an integer word of ``width`` bits that means ``word / 2**fraction``.

    Parameters
    ----------
    width : int
        Bits of the word, 1 to 64, the sign included.
    fraction : int
        Fraction bits, -64 to 64; may exceed the width or be negative.
    signed : bool
        Two's complement, or unsigned.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    width: int
    fraction: int
    signed: bool = True

    def __post_init__(self):
        require_integer("Width", self.width, 1, 64)
        require_integer("Fraction", self.fraction, -64, 64)
        if not isinstance(self.signed, bool):
            raise TypeError(f"Signed must be a truth value, not {self.signed!r}")

    @property
    def minimum(self):
        """The smallest word."""
        return -(1 << self.width - 1) if self.signed else 0

    @property
    def maximum(self):
        """The largest word."""
        return (1 << self.width - 1 if self.signed else 1 << self.width) - 1

    @property
    def one(self):
        """The word that means 1, or ValueError if there is none."""
        word = Fraction(2) ** self.fraction
        if word.denominator != 1 or word > self.maximum:
            raise ValueError(f"Format must have a word for one, and {self} has none")
        return int(word)

    def to_word(self, number):
        """The word nearest to a finite number (ties go up), clamped to the format's range.

        Exact for integers, floats and fractions. Raises ValueError for NaN and infinity.
        """
        try:
            scaled = Fraction(number) * Fraction(2) ** self.fraction
        except (ValueError, OverflowError):
            raise ValueError(f"Number must be finite, not {number}") from None
        nearest = (scaled + Fraction(1, 2)).__floor__()
        return min(max(nearest, self.minimum), self.maximum)

    def from_word(self, word):
        """The meaning of a word, as a float: correctly rounded where 53 bits do not hold it."""
        if not self.minimum <= word <= self.maximum:
            raise ValueError(f"Word must be from {self.minimum} to {self.maximum}, not {word}")
        return float(Fraction(int(word)) / Fraction(2) ** self.fraction)

    def __str__(self):
        return f"{'signed' if self.signed else 'unsigned'} {self.width} bits with {self.fraction} fraction bits"
