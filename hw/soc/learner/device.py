"""The learner as a device: shell and engine."""

from amaranth.hdl import ResetInserter
from amaranth.lib import wiring

from ...cores.engine import connect_engine
from ...cores.learner.learner_engine import LearnerEngine
from ..shell.system import System

__all__ = ["LearnerSystem"]


class LearnerSystem(System):
    """A whole learner as a device; docs/pearl.md and docs/maac.md say how a gradient step travels through it.

    A soft reset ends a step that is under way; weights, targets and moments stay as they are.

    Parameters
    ----------
    config : LearnerSystemConfig

    Members
    -------
    control, stream_in, stream_out, interrupt
        See :func:`..shell.shell.system_signature`.

    Source
    ------
    Meng's dissertation, section 4.4.2.2.
    """

    def connect_engines(self, m, shell):
        engine = LearnerEngine(self.config.engine)
        m.submodules.engine = ResetInserter(shell.reset)(engine)
        connect_engine(m, shell.engines.learner, engine, _learner_command(shell.engines.learner.commands.payload))
        wiring.connect(m, shell.rows_in, engine.packets_in)
        wiring.connect(m, engine.packets_out, shell.rows_out)
        self._connect_registers(m, shell.registers, engine)

    def _connect_registers(self, m, registers, engine):
        """Connects the numbers that a step takes besides samples."""
        learner = self.config.learner
        for network, names in learner.rates.items():
            rates = getattr(engine, learner.name_in(network, "rates"))
            m.d.comb += [rates[name].eq(getattr(registers, learner.name_in(network, name))) for name in names]
        m.d.comb += [getattr(engine, name).eq(getattr(registers, name)) for name in learner.settings]


def _learner_command(instruction):
    """The engine's command of an instruction; a load's array stands where a store's does."""
    step = instruction.arguments.step
    fields = {name: step[name] for name, _ in step.shape()}
    return {"kind": instruction.opcode, "array": instruction.arguments.load.array, **fields}
