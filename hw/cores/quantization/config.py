"""Configuration and numbers of the quantisation cores. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer

__all__ = ["CODE_WIDTH", "RECIPROCAL_FRACTION", "RangeConfig"]

# Codes have 8 to 16 bits.
CODE_WIDTH = 16
# The reciprocal of a scale with k significant bits is floor(2^(k + 30) / scale): 31 significant bits.
RECIPROCAL_FRACTION = 30


@dataclass(frozen=True, kw_only=True)
class RangeConfig:
    """Dimensions of a range unit.

    Parameters
    ----------
    slots : int
        Tensors whose range is recorded (2 to 64).
    cores : int
        Rows monitored at once (1 to 64).
    lanes : int
        Values in a row (1 to 64).
    lookups : int
        Ports that read the parameters of a slot (1 to 16).

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    slots: int = 16
    cores: int = 2
    lanes: int = 16
    lookups: int = 3

    def __post_init__(self):
        require_integer("Slots", self.slots, 2, 64)
        require_integer("Cores", self.cores, 1, 64)
        require_integer("Lanes", self.lanes, 1, 64)
        require_integer("Lookups", self.lookups, 1, 16)
