"""Real numbers in the formats of the search tree."""

from dataclasses import dataclass

from ...hw.cores.tree.config import (
    COEFFICIENT_FRACTION,
    COEFFICIENT_WIDTH,
    LOSS_WIDTH,
    REWARD_FRACTION,
    REWARD_WIDTH,
    SCORE_FRACTION,
    VALUE_WIDTH,
)

__all__ = ["TreeParameters", "fixed_reward"]


def _fixed(name: str, value: float, width: int, fraction: int, signed: bool = False) -> int:
    """The nearest number of the format.

    Raises
    ------
    ValueError
        Out of its range: value and range.
    """
    low, high = (-(1 << width - 1), 1 << width - 1) if signed else (0, 1 << width)
    scaled = value * (1 << fraction)
    # NaN is not in it, either.
    if not low <= scaled < high or round(scaled) >= high:
        unit = 1 << fraction
        raise ValueError(f"{name} must be in [{low / unit:g}, {high / unit:g}), not {value:g}")
    return round(scaled)


@dataclass(frozen=True, kw_only=True)
class TreeParameters:
    """Registers of the tree.

    Parameters
    ----------
    exploration : float
        c of the score, in [0, 16), 12 fraction bits.
    virtual_loss : float
        Subtracted from an edge's score for each selection under way through it, in [0, 1), 16 fraction bits.
    first_value : float
        Value of an edge that no backup went through, in [-8, 8), 16 fraction bits.
    alternate : bool
        Two players take turns.

    Raises
    ------
    ValueError
        A number out of its format's range.
    """

    exploration: float = 2**0.5
    virtual_loss: float = 0.25
    first_value: float = 0.0
    alternate: bool = False

    def __post_init__(self) -> None:
        self.registers()

    def registers(self) -> dict[str, int]:
        """Their contents, by the registers' names."""
        return {
            "exploration": _fixed("Exploration", self.exploration, COEFFICIENT_WIDTH, COEFFICIENT_FRACTION),
            "loss": _fixed("Virtual loss", self.virtual_loss, LOSS_WIDTH, SCORE_FRACTION),
            "first_value": _fixed("First value", self.first_value, VALUE_WIDTH, SCORE_FRACTION, signed=True),
            "alternate": int(self.alternate),
        }


def fixed_reward(reward: float) -> int:
    """A reward as an integer of 12 fraction bits, rounded to nearest, to even in the middle.

    Raises
    ------
    ValueError
        It is not in [-8, 8).
    """
    return _fixed("Reward", reward, REWARD_WIDTH, REWARD_FRACTION, signed=True)
