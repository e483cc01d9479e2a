"""The learner as a device: shell and engine."""

from amaranth.hdl import Module, ResetInserter
from amaranth.lib import wiring

from ..shell.engine import connect_engine
from ..shell.shell import Shell, connect_host, system_signature
from .learner_config import PearlLearnerConfig
from .learner_engine import LearnerEngine

__all__ = ["PearlLearnerSystem"]


class PearlLearnerSystem(wiring.Component):
    """A whole learner, of a DQN or of DDPG, as a device; docs/pearl.md says how a gradient step travels through it.

    A soft reset ends a step that is under way; weights, targets and moments stay as they are.

    Parameters
    ----------
    config : PearlLearnerConfig

    Members
    -------
    control, stream_in, stream_out, interrupt
        See :func:`..shell.shell.system_signature`.

    Source
    ------
    Meng's dissertation, section 4.4.2.2.
    """

    def __init__(self, config: PearlLearnerConfig):
        self.config = config
        super().__init__(system_signature(config.shell))

    def elaborate(self, platform):
        m = Module()
        m.submodules.shell = shell = Shell(self.config.shell)
        connect_host(m, self, shell)
        engine = LearnerEngine(self.config)
        m.submodules.engine = ResetInserter(shell.reset)(engine)
        connect_engine(m, shell.engines.learner, engine)
        wiring.connect(m, shell.rows_in, engine.packets_in)
        wiring.connect(m, engine.packets_out, shell.rows_out)
        m.d.comb += [engine.registers[name].eq(getattr(shell.registers, name)) for name in self.config.registers]
        return m
