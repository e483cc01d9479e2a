"""A matrix engine with its memories."""

from amaranth.hdl import Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..forwarding import forward_port
from .matrix_config import MatrixConfig
from .matrix_engine import MatrixEngine
from .matrix_layouts import WeightReadSignature
from .matrix_memories import MatrixMemories

__all__ = ["MatrixCore"]

_SHARED = ("tables", "row_list", "column_list", "operands", "results")
_GRADIENTS = ("gradient_enable", "gradient_bank", "gradient_address", "gradient_data")


class MatrixCore(wiring.Component):
    """A :class:`MatrixEngine` and its :class:`MatrixMemories`, with the ports of both that are not between them.

    Number format, latency, throughput and back-pressure: those of the engine.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    commands, completions, busy, errors, nonfinite
        See :class:`MatrixEngine`.
    write_tables, write_row_list, write_column_list, write_activations, write_activation_blocks, write_errors,
    write_error_blocks, write_weights, read_results, read_gradients
        See :class:`MatrixMemories`.
    read_weights : In(WeightReadSignature)
        The port of the weights that is the engine's, for use while the engine does without.
    memory_conflict : Out(1)
        Both read weights in this cycle; the engine gets the other's.

    Source
    ------
    LearningGroup, section III-D.
    """

    def __init__(self, config: MatrixConfig):
        self._config = config
        self._engine, self._memories = MatrixEngine(config), MatrixMemories(config)
        inner = {*_SHARED, *_GRADIENTS, "weights"}
        self._outer = {
            part: {name: member for name, member in part.signature.members.items() if name not in inner}
            for part in (self._engine, self._memories)
        }
        super().__init__(
            {name: member for members in self._outer.values() for name, member in members.items()}
            | {"read_weights": In(WeightReadSignature(config)), "memory_conflict": Out(1)}
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from a command to its first result, of a single term."""
        return self._engine.latency

    def elaborate(self, platform):
        m = Module()
        m.submodules.engine = engine = self._engine
        m.submodules.memories = memories = self._memories
        for name in _SHARED:
            wiring.connect(m, getattr(engine, name), getattr(memories, name))
        for name in _GRADIENTS:
            m.d.comb += getattr(memories, name).eq(getattr(engine, name))
        wanted, read = self.read_weights, memories.weights
        m.d.comb += [
            read.enable.eq(engine.weights.enable | wanted.enable),
            self.memory_conflict.eq(engine.weights.enable & wanted.enable),
        ]
        for bank, data in enumerate(read.data):
            m.d.comb += [
                read.addresses[bank].eq(Mux(wanted.enable, wanted.addresses[bank], engine.weights.addresses[bank])),
                engine.weights.data[bank].eq(data),
                wanted.data[bank].eq(data),
            ]
        for part, members in self._outer.items():
            for name in members:
                forward_port(m, part, self, name)
        return m
