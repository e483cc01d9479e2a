"""Memory of a stage for the workers' selections, for their backups (Meng's dissertation, section 3.3.2)."""

from amaranth.lib import data, enum

from .config import TreeConfig
from .stage_layouts import place_layout

__all__ = ["Part", "memory_layout"]


class Part(enum.Enum, shape=2):  # type: ignore[call-arg]
    """The part a level has in a selection: none, its new node, an edge of the path, or the node at its end."""

    NONE = 0
    NEW = 1
    EDGE = 2
    END = 3


def memory_layout(config: TreeConfig):
    """Part, node and action of one selection; a part is never ``NEW`` here."""
    return data.StructLayout({"part": Part, "node": place_layout(config), "action": range(config.fanout)})
