"""A3C as a device: shell, engine, and the host's way to the parameters."""

from amaranth.hdl import Mux, ResetInserter
from amaranth.lib import wiring

from ...cores.a3c.agents_engine import AgentsEngine
from ...cores.engine import connect_engine
from ...cores.memory.host_map import HostMap
from ..shell.system import System
from ..shell.transfer_config import TransferKind
from ..shell.transfer_engine import TransferEngine
from .instructions import LOAD, Memory
from .registers import RATES

__all__ = ["A3CSystem"]


class A3CSystem(System):
    """The whole device; docs/a3c.md says how a step of an agent travels through it.

    A soft reset forgets the agents' rollouts. Parameters and mean squares stay, with what an update has written that it
    cut off: the host loads what it wants to go on from.

    Parameters
    ----------
    config : A3CSystemConfig

    Members
    -------
    control, stream_in, stream_out, interrupt
        See :func:`..shell.shell.system_signature`.

    Source
    ------
    Ge et al., figure 6.
    """

    def connect_engines(self, m, shell):
        config = self.config
        reset = ResetInserter(shell.reset)
        engine, transfer = AgentsEngine(config.agents_config), TransferEngine(config.transfer)
        m.submodules.engine = reset(engine)
        m.submodules.transfer = reset(transfer)
        m.submodules.host_map = host_map = reset(HostMap(config.host_map))
        connect_engine(m, shell.engines.agents, engine, {})
        port = shell.engines.transfer
        rows = port.commands.payload.arguments.load
        command = {
            "kind": Mux(port.commands.payload.opcode == LOAD.opcode, TransferKind.LOAD, TransferKind.STORE),
            **{name: rows[name] for name in ("memory", "base", "count")},
        }
        connect_engine(m, port, transfer, command)
        wiring.connect(m, transfer.accesses, host_map.accesses)
        m.d.comb += [transfer.answers.eq(host_map.answers), transfer.waiting.eq(host_map.waiting)]
        for memory in Memory:
            name = memory.name.lower()
            wiring.connect(m, getattr(host_map, name)[0][0], getattr(engine, name))
        m.d.comb += [getattr(engine, name).eq(getattr(shell.registers, name)) for name in RATES]
        self._share_streams(m, shell, engine, transfer)

    def _share_streams(self, m, shell, engine, transfer):
        """Packets are the agents' while they are served, else those of transfers."""
        for part, here in ((engine.packets_in, engine.serving), (transfer.packets_in, ~engine.serving)):
            m.d.comb += [part.payload.eq(shell.rows_in.payload), part.valid.eq(shell.rows_in.valid & here)]
            with m.If(here):
                m.d.comb += shell.rows_in.ready.eq(part.ready)
        for part, here in ((engine.packets_out, engine.busy), (transfer.packets_out, ~engine.busy)):
            m.d.comb += part.ready.eq(shell.rows_out.ready & here)
            with m.If(here):
                m.d.comb += [shell.rows_out.payload.eq(part.payload), shell.rows_out.valid.eq(part.valid)]
