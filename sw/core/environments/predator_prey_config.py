"""Configuration of Predator-Prey tasks. Pure data."""

from dataclasses import dataclass

__all__ = ["LEVELS", "MODES", "PredatorPreyConfig"]

MODES = ("cooperative", "mixed", "competitive")


@dataclass(frozen=True, kw_only=True)
class PredatorPreyConfig:
    """Predators that search a square grid for a prey that does not move.

    Parameters
    ----------
    size
        Cells along a side of the grid.
    predators
        How many there are.
    vision
        Cells that a predator sees in each direction beyond its own.
    steps
        Time steps after which an episode is cut off.
    mode
        What the predators on the prey get: ``"cooperative"``: the more of them, the more for each; ``"mixed"``:
        nothing, which is better than searching, and the episode ends with the last arrival; ``"competitive"``: a
        reward that they share.

    Raises
    ------
    TypeError
        A value of the wrong kind.
    ValueError
        A value outside its range, or more animals than cells.
    """

    size: int = 5
    predators: int = 3
    vision: int = 0
    steps: int = 20
    mode: str = "cooperative"

    def __post_init__(self) -> None:
        for name, least in (("size", 2), ("predators", 1), ("vision", 0), ("steps", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"{name} must be a whole number, not {value!r}")
            if value < least:
                raise ValueError(f"{name} must be at least {least}, not {value}")
        if not isinstance(self.mode, str):
            raise TypeError(f"mode must be a string, not {self.mode!r}")
        if self.mode not in MODES:
            raise ValueError(f"mode must be {', '.join(MODES[:-1])} or {MODES[-1]}, not {self.mode!r}")
        if self.predators >= self.cells:
            raise ValueError(f"predators must be fewer than the {self.cells} cells of the grid, not {self.predators}")

    @property
    def cells(self) -> int:
        """Cells of the grid."""
        return self.size * self.size

    @property
    def window(self) -> int:
        """Cells along a side of what a predator sees."""
        return 2 * self.vision + 1

    @property
    def classes(self) -> int:
        """Number of kinds of a window's cell: its own number, then `OUTSIDE`, `PREY`, `PREDATOR` above them.

        The authors number those three from one, so that class ``cells`` never occurs; kept, so that networks fit.
        """
        return self.cells + 4

    @property
    def observation_size(self) -> int:
        """Elements of an observation: the window row by row, the classes of a cell side by side."""
        return self.window**2 * self.classes


# The three difficulties of the authors.
LEVELS = {
    "easy": PredatorPreyConfig(),
    "medium": PredatorPreyConfig(size=10, predators=5, vision=1, steps=40),
    "hard": PredatorPreyConfig(size=20, predators=10, vision=1, steps=80),
}
