"""Configuration of the noise generator. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer

__all__ = ["GaussianConfig"]


@dataclass(frozen=True, kw_only=True)
class GaussianConfig:
    """Dimensions of a generator of Gaussian noise.

    Parameters
    ----------
    lanes : int
        Values in a row (1 to 64).

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    lanes: int = 16

    def __post_init__(self):
        require_integer("Lanes", self.lanes, 1, 64)
