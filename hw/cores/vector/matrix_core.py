"""A matrix engine with its memories."""

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..forwarding import forward_port
from ..memory.arbiter import ReadArbiter
from ..memory.config import ArbiterConfig
from .grouped_matrix_engine import GroupedMatrixEngine
from .matrix_config import MatrixConfig
from .matrix_layouts import weight_port
from .matrix_memories import MatrixMemories

__all__ = ["MatrixCore"]

# Ports between engine and memories.
_BANKS = ("read_activations", "read_errors", "write_results", "write_gradients")


class MatrixCore(ConfiguredComponent):
    """A :class:`.GroupedMatrixEngine` with its :class:`.MatrixMemories`; its ports are those that are not between both.

    Number format, latency, throughput and back-pressure: those of the engine.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    commands, completions, busy, errors, nonfinite, read_tables, read_row_list, read_column_list
        See :class:`.GroupedMatrixEngine`.
    write_activations, write_errors, write_weights, read_results, read_gradients
        See :class:`.MatrixMemories`.
    read_weights : In(ReadPort(format.width, weight_rows)).array(weight_banks)
        The ports of the weights that are the engine's, for use while the engine does without.
    memory_conflict : Out(1)
        Both read weights in this cycle; the engine gets the other's.

    Source
    ------
    LearningGroup, section III-D.
    """

    def __init__(self, config: MatrixConfig):
        self._engine, self._memories = GroupedMatrixEngine(config), MatrixMemories(config)
        between = (*_BANKS, "read_weights")
        self._outer = {
            part: {name: member for name, member in part.signature.members.items() if name not in between}
            for part in (self._engine, self._memories)
        }
        super().__init__(
            config,
            {name: member for members in self._outer.values() for name, member in members.items()}
            | {
                "read_weights": In(weight_port(config)).array(config.weight_banks),
                "memory_conflict": Out(1),
            },
        )

    @property
    def latency(self):
        """Cycles from a command to its first result, of a single term."""
        return self._engine.latency

    def elaborate(self, platform):
        m = Module()
        m.submodules.engine = engine = self._engine
        m.submodules.memories = memories = self._memories
        for name in _BANKS:
            for user, port in zip(getattr(engine, name), getattr(memories, name), strict=True):
                wiring.connect(m, user, port)
        self._connect_weights(m, engine, memories)
        for part, members in self._outer.items():
            for name in members:
                forward_port(m, part, self, name)
        return m

    def _connect_weights(self, m, engine, memories):
        conflicts = []
        for bank, port in enumerate(memories.read_weights):
            arbiter = ReadArbiter(port.signature.shape, ArbiterConfig(depth=self._config.weight_rows, users=2))
            m.submodules[f"weight_arbiter_{bank}"] = arbiter
            wiring.connect(m, wiring.flipped(self.read_weights[bank]), arbiter.users[0])
            wiring.connect(m, engine.read_weights[bank], arbiter.users[1])
            wiring.connect(m, arbiter.port, port)
            conflicts.append(arbiter.conflict)
        m.d.comb += self.memory_conflict.eq(Cat(conflicts).any())
