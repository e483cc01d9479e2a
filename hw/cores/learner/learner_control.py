"""Control of a learner's steps."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..checks import require_integer
from .learner_base_config import LearnerCommand

__all__ = ["LearnerControl"]


class LearnerControl(wiring.Component):
    """Carries out one command of a learner after the other.

    A gradient step is a batch through the stages until the gradients of all networks are complete, then the update of
    all networks, side by side. Targets of networks that a host has loaded follow these when it says so.

    Latency: a cycle from a command to its beginning, and one from its end to the completion.

    Parameters
    ----------
    layout : data.StructLayout
        A command: its ``kind``, a :class:`.LearnerCommand`, and whatever else it says.
    networks : int
        Networks that are trained, at least 1.

    Members
    -------
    commands : In(stream of ``layout``)
    completions : Out(stream of 1)
    command : Out(layout)
        The one that is under way.
    start_step, start_update, start_transfer, start_follow : Out(1)
    aggregated, updated : In(networks)
        The gradients of each network are complete, each network is updated: once a step, at any time.
    transferred, followed : In(1)

    Raises
    ------
    TypeError, ValueError
        ``networks`` is no integer, or out of its range.
    """

    def __init__(self, layout, networks: int = 1):
        require_integer("Networks", networks, 1)
        super().__init__(
            {
                "commands": In(stream.Signature(layout)),
                "completions": Out(stream.Signature(1)),
                "command": Out(layout),
                "start_step": Out(1),
                "start_update": Out(1),
                "start_transfer": Out(1),
                "start_follow": Out(1),
                "aggregated": In(networks),
                "updated": In(networks),
                "transferred": In(1),
                "followed": In(1),
            }
        )

    @property
    def networks(self):
        """Number of networks that are trained."""
        return len(self.updated)

    def elaborate(self, platform):
        m = Module()
        all_aggregated = self._all(m, "aggregated")
        all_updated = self._all(m, "updated")
        with m.FSM(name="learner"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += self.command.eq(self.commands.payload)
                with m.If(self.commands.valid):
                    with m.If(self.commands.payload.kind == LearnerCommand.STEP):
                        m.next = "START"
                    with m.Elif(self.commands.payload.kind == LearnerCommand.FOLLOW):
                        m.next = "FOLLOW"
                    with m.Else():
                        m.next = "TRANSFER"
            with m.State("START"):
                m.d.comb += self.start_step.eq(1)
                m.next = "GRADIENTS"
            with m.State("GRADIENTS"):
                with m.If(all_aggregated):
                    m.d.comb += self.start_update.eq(1)
                    m.next = "UPDATE"
            with m.State("UPDATE"):
                with m.If(all_updated):
                    m.next = "COMPLETE"
            with m.State("TRANSFER"):
                m.d.comb += self.start_transfer.eq(1)
                m.next = "TRANSFERRING"
            with m.State("TRANSFERRING"):
                with m.If(self.transferred):
                    m.next = "COMPLETE"
            with m.State("FOLLOW"):
                m.d.comb += self.start_follow.eq(1)
                m.next = "FOLLOWING"
            with m.State("FOLLOWING"):
                with m.If(self.followed):
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"
        return m

    def _all(self, m, name):
        """Whether the last of the networks has said so."""
        said, before, together = getattr(self, name), Signal(self.networks, name=f"{name}_before"), Signal()
        m.d.comb += together.eq((before | said).all())
        m.d.sync += before.eq(Mux(together, 0, before | said))
        return together
