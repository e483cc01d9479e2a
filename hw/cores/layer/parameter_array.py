"""A memory of a layer's parameters: weights, or what an optimiser keeps for each."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from ..checks import require_integer
from ..component import ConfiguredComponent
from ..memory.arbiter import ReadArbiter, WriteArbiter
from ..memory.config import ArbiterConfig, MemoryConfig
from ..memory.memory import Memory
from .config import LayerConfig
from .lane_access import LaneAccess
from .ports import parameter_read, parameter_write, word_layout, word_read, word_write

__all__ = ["ParameterArray"]


class ParameterArray(ConfiguredComponent):
    """Holds a number for each weight of a layer, words of ``units`` at an address (:class:`.LayerConfig`), at first +0.

    ::

        host_read, host_write (one parameter) -> LaneAccess --.
        update, new_words (a word) ---------------------------+-> arbiters -> Memory, a copy for each reader
        reads[0] (a word) ------------------------------------'                 ^
        reads[1], ... ----------------------------------------------------------'

    The host has precedence over the update, and the update over the first of the readers; the host comes while there is
    no update and no stage reads, and the update while no stage reads.

    Latency: a word, or a parameter, comes one cycle after its address. A word that is written in the cycle of its read
    is read as it was.

    Parameters
    ----------
    config : LayerConfig
    readers : int
        Stages that read (0 to 4).

    Members
    -------
    host_read : In(parameter_read)
    host_write : In(parameter_write)
    update : In(word_read)
    new_words : In(word_write)
        What the update writes.
    reads : In(word_read).array(readers)

    Raises
    ------
    TypeError, ValueError
        ``readers`` is no integer, or out of its range.
    """

    def __init__(self, config: LayerConfig, readers: int = 0):
        require_integer("Readers", readers, 0, 4)
        super().__init__(
            config,
            {
                "host_read": In(parameter_read(config)),
                "host_write": In(parameter_write(config)),
                "update": In(word_read(config)),
                "new_words": In(word_write(config)),
                "reads": In(word_read(config)).array(readers),
            },
        )

    @property
    def readers(self):
        """Stages that read."""
        return len(self.reads)

    def elaborate(self, platform):
        m = Module()
        config, shape = self._config, word_layout(self._config)
        m.submodules.memory = memory = Memory(
            shape, MemoryConfig(depth=config.words, lanes=config.units, readers=max(self.readers, 1))
        )
        m.submodules.host = host = LaneAccess(config)
        wiring.connect(m, wiring.flipped(self.host_read), host.host_read)
        wiring.connect(m, wiring.flipped(self.host_write), host.host_write)

        users = [host.words, wiring.flipped(self.update), *map(wiring.flipped, self.reads[:1])]
        m.submodules.read_arbiter = reader = ReadArbiter(shape, ArbiterConfig(depth=config.words, users=len(users)))
        for user, port in zip(users, reader.users, strict=True):
            wiring.connect(m, user, port)
        wiring.connect(m, reader.port, memory.reads[0])
        for user, port in zip(self.reads[1:], memory.reads[1:], strict=False):
            wiring.connect(m, wiring.flipped(user), port)

        m.submodules.write_arbiter = writer = WriteArbiter(
            shape, ArbiterConfig(depth=config.words, users=2, lanes=config.units)
        )
        wiring.connect(m, host.new_words, writer.users[0])
        wiring.connect(m, wiring.flipped(self.new_words), writer.users[1])
        wiring.connect(m, writer.port, memory.write)
        return m
