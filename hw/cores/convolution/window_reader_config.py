"""Configuration of what reads windows of a feature map. No Amaranth here."""

from dataclasses import dataclass
from functools import cached_property

from ..checks import require_integer, require_kind, require_power_of_two
from ..memory.config import UnalignedConfig
from .loop_nest_config import LoopNestConfig, NestField

__all__ = ["WindowReaderConfig"]


@dataclass(frozen=True, kw_only=True)
class WindowReaderConfig:
    """How windows are read.

    Parameters
    ----------
    memory : UnalignedConfig
        Memory of the feature map; ``rows`` a power of two, so that places before its first word come out right.
    lanes : int or None
        Elements of an access (2 to the memory's lanes); None: as many as the memory has lanes.
    levels : int
        Nested loops of a command (1 to 8).
    line_width : int
        Bits of a number of lines, the sign included (2 to 16).
    element_width : int
        Bits of a number of elements in a line, the sign included (2 to 24).

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    memory: UnalignedConfig
    lanes: int | None = None
    levels: int = 5
    line_width: int = 10
    element_width: int = 18

    def __post_init__(self):
        require_kind("Memory", self.memory, UnalignedConfig)
        require_power_of_two("Rows of the memory", self.memory.rows, 2)
        if self.lanes is not None:
            require_integer("Lanes", self.lanes, 2, self.memory.lanes)
        require_integer("Levels", self.levels, 1, 8)
        require_integer("Line width", self.line_width, 2, 16)
        require_integer("Element width", self.element_width, 2, 24)

    @property
    def elements(self):
        """Elements of an access."""
        return self.memory.lanes if self.lanes is None else self.lanes

    @cached_property
    def nest(self):
        """The loops of a command.

        ``lane``, ``row``: the place of the first element. ``line``: its line of the picture. ``element``: its number
        in the line. ``rest``: elements from it to the end of the run.
        """
        fields = (
            NestField(name="lane", width=(self.memory.lanes - 1).bit_length(), radix=self.memory.lanes),
            NestField(name="row", width=(self.memory.rows - 1).bit_length()),
            NestField(name="line", width=self.line_width),
            NestField(name="element", width=self.element_width),
            NestField(name="rest", width=self.element_width),
        )
        return LoopNestConfig(fields=fields, levels=self.levels)
