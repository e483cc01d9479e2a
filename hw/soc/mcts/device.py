"""The search tree as a device: shell, engine and tree."""

from amaranth.hdl import ResetInserter
from amaranth.lib import wiring

from ...cores.engine import connect_engine
from ...cores.tree.records import COUNTERS, REGISTERS
from ...cores.tree.search_engine import SearchEngine
from ...cores.tree.search_tree import SearchTree
from ..shell.system import System
from .instructions import READ

__all__ = ["MCTSSystem"]


class MCTSSystem(System):
    """The whole search device; docs/mcts.md says how a simulation travels through it.

    A soft reset forgets the tree: it begins again with a clear.

    Parameters
    ----------
    config : MCTSConfig

    Members
    -------
    control, stream_in, stream_out, interrupt
        See :func:`..shell.shell.system_signature`.

    Source
    ------
    Meng's dissertation, sections 3.3.2 and 5.1.
    """

    def connect_engines(self, m, shell):
        engine, tree = SearchEngine(self.config.tree), SearchTree(self.config.tree)
        reset = ResetInserter(shell.reset)
        m.submodules.engine = reset(engine)
        m.submodules.tree = reset(tree)
        connect_engine(m, shell.engines.search, engine, _search_command(shell.engines.search.commands.payload))
        wiring.connect(m, shell.rows_in, engine.packets_in)
        wiring.connect(m, engine.packets_out, shell.rows_out)
        wiring.connect(m, engine.requests, tree.requests)
        wiring.connect(m, tree.answers, engine.answers)
        wiring.connect(m, engine.reads, tree.reads)
        wiring.connect(m, tree.nodes, engine.nodes)
        m.d.comb += [
            *(tree.registers[part.name].eq(getattr(shell.registers, part.name)) for part in REGISTERS.fields),
            *(getattr(shell.registers, part.name).eq(tree.counters[part.name]) for part in COUNTERS.fields),
        ]


def _search_command(instruction):
    """The engine's command of an instruction."""
    read = instruction.arguments.read
    return {"reads": instruction.opcode == READ.opcode, "base": read.base, "count": read.count}
