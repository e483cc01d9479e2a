"""Configuration of the exact quotient. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer

__all__ = ["QuotientConfig"]


@dataclass(frozen=True, kw_only=True)
class QuotientConfig:
    """A divisor, and the width of what it divides.

    Parameters
    ----------
    divisor : int
        A power of two, or one times ``2**k + 1`` (1 to 2^16): 4 for F(2, 3), 576 for F(4, 3).
    width : int
        Bits of a dividend, two's complement (2 to 64), more than the power of two takes.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range; another divisor.
    """

    divisor: int
    width: int = 32

    def __post_init__(self):
        require_integer("Divisor", self.divisor, 1, 1 << 16)
        require_integer("Width", self.width, 2, 64)
        if self.odd > 1 and (self.odd - 1) & (self.odd - 2):
            raise ValueError(f"Divisor must be a power of two, or one times 2**k + 1, not {self.divisor}")
        if self.shift >= self.width:
            raise ValueError(f"Width must be more than {self.shift} bits for {self.divisor}, not {self.width}")

    @property
    def shift(self):
        """The power of two in the divisor."""
        return (self.divisor & -self.divisor).bit_length() - 1

    @property
    def odd(self):
        """The odd factor of the divisor."""
        return self.divisor >> self.shift

    @property
    def result_width(self):
        """Bits of a quotient."""
        return self.width - self.shift

    @property
    def steps(self):
        """Shifts of the additions, one after the other; the first is a subtraction."""
        found = []
        step = (self.odd - 1).bit_length() - 1
        while self.odd > 1 and step < self.result_width:
            found.append(step)
            step *= 2
        return tuple(found)
