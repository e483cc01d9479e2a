"""Configuration of the Adam engine. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer, require_interval

__all__ = ["AdamConfig"]


@dataclass(frozen=True, kw_only=True)
class AdamConfig:
    """Dimensions of an Adam engine.

    Parameters
    ----------
    lanes : int
        Words in a row (1 to 64).
    networks : int
        Networks with weights, targets and moments of their own (1 to 16).
    rows : int
        Rows of one network's weights (2 to 65536).
    weight_fraction : int
        Fraction bits of the weights (20 to 30).
    interval : int
        Cycles from one row to the next, a divisor of the lanes: ``lanes / interval`` units stand for the lanes.

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    lanes: int = 16
    networks: int = 2
    rows: int = 8192
    weight_fraction: int = 24
    interval: int = 1

    def __post_init__(self):
        require_integer("Lanes", self.lanes, 1, 64)
        require_integer("Networks", self.networks, 1, 16)
        require_integer("Rows", self.rows, 2, 1 << 16)
        require_integer("Weight fraction", self.weight_fraction, 20, 30)
        require_interval(self.interval, self.lanes)
