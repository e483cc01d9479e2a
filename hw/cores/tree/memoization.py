"""What a stage remembers of the workers' selections, for their backups."""

from amaranth.hdl import Module
from amaranth.lib import data, enum, memory, wiring
from amaranth.lib.wiring import In, Out

from .config import TreeConfig
from .records import WORKER_WIDTH
from .stage_layouts import place_layout

__all__ = ["Memoization", "Part", "memory_layout", "remember_layout"]


class Part(enum.Enum, shape=2):  # type: ignore[call-arg]
    """The part a level has in a selection: none, its new node, an edge of the path, or the node at its end."""

    NONE = 0
    NEW = 1
    EDGE = 2
    END = 3


def memory_layout(config: TreeConfig):
    """Part, node and action of one selection; a part is never ``NEW`` here."""
    return data.StructLayout({"part": Part, "node": place_layout(config), "action": range(config.fanout)})


def remember_layout(config: TreeConfig):
    """What is to be remembered of a worker."""
    return data.StructLayout({"valid": 1, "worker": WORKER_WIDTH, "memory": memory_layout(config)})


class Memoization(wiring.Component):
    """Keeps for each worker what its last selection did on this level.

    Latency: what is written can be read from the next cycle on; what is read comes a cycle after ``read`` and stays.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    write : In(remember_layout)
    read : In({valid, worker})
    found : Out(memory_layout)

    Source
    ------
    Meng's dissertation, section 3.3.2: backup by memoisation.
    """

    def __init__(self, config: TreeConfig):
        self._config = config
        super().__init__(
            {
                "write": In(remember_layout(config)),
                "read": In(data.StructLayout({"valid": 1, "worker": WORKER_WIDTH})),
                "found": Out(memory_layout(config)),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        depth = max(self._config.workers, 2)
        m.submodules.memory = part = memory.Memory(shape=memory_layout(self._config), depth=depth, init=[])
        reader, writer = part.read_port(), part.write_port()
        m.d.comb += [
            writer.addr.eq(self.write.worker),
            writer.data.eq(self.write.memory),
            writer.en.eq(self.write.valid),
            reader.addr.eq(self.read.worker),
            reader.en.eq(self.read.valid),
            self.found.eq(reader.data),
        ]
        return m
