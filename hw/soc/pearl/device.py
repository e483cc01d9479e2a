"""The replay manager as a device: shell, engine and sum tree."""

from amaranth.hdl import Mux, ResetInserter
from amaranth.lib import wiring

from ...cores.engine import connect_engine
from ...cores.replay.records import ReplayCommand
from ...cores.replay.replay_engine import ReplayEngine
from ...cores.replay.sum_tree import SumTree
from ..shell.system import System

__all__ = ["PearlSystem"]


class PearlSystem(System):
    """The whole replay device; docs/pearl.md says how an experience's priority travels through it.

    A soft reset forgets all priorities: an instruction after it takes a cycle a leaf longer.

    Parameters
    ----------
    config : PearlConfig

    Members
    -------
    control, stream_in, stream_out, interrupt
        See :func:`..shell.shell.system_signature`.

    Source
    ------
    Meng's dissertation, section 4.4.1.
    """

    def connect_engines(self, m, shell):
        engine, tree = ReplayEngine(self.config.tree), SumTree(self.config.tree)
        reset = ResetInserter(shell.reset)
        m.submodules.engine = reset(engine)
        m.submodules.tree = reset(tree)
        connect_engine(m, shell.engines.replay, engine, _replay_command(shell.engines.replay.commands.payload))
        wiring.connect(m, shell.rows_in, engine.packets_in)
        wiring.connect(m, engine.packets_out, shell.rows_out)
        wiring.connect(m, engine.requests, tree.requests)
        wiring.connect(m, tree.answers, engine.answers)
        m.d.comb += [tree.clear.eq(engine.clear), engine.idle.eq(tree.idle)]


def _replay_command(instruction):
    """The engine's command of an instruction."""
    sample, seed = instruction.arguments.sample.as_value(), instruction.arguments.seed.as_value()
    return {"kind": instruction.opcode, "arguments": Mux(instruction.opcode == ReplayCommand.SEED, seed, sample)}
