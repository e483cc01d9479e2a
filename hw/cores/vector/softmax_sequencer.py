"""The phases of a softmax, alternative by alternative and block by block."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .softmax_config import SoftmaxConfig
from .softmax_layouts import PHASES, softmax_command, softmax_order_layout

__all__ = ["SoftmaxSequencer"]


class SoftmaxSequencer(ConfiguredComponent):
    """Goes through the phases of a command: in each through all alternatives, but in ``reciprocal``, where there is one
    for each block.

    An alternative takes ``slots`` cycles, which hides the latency of the adder that sums the blocks up.

    Latency: a cycle from a command to its first number, and a cycle from the last phase to the completion. One command
    at a time.

    Parameters
    ----------
    config : SoftmaxConfig
    waits : dict of str to int
        For each phase the cycles from its last order until the next phase may begin.

    Members
    -------
    commands : In(stream.Signature(softmax_command(config)))
    completions : Out(stream.Signature(1))
        Ready must be 1.
    busy : Out(1)
    drawn : In(1)
        The uniform numbers are there, without which nothing is normalised.
    running : Out(1)
        A number is read in this cycle,
    choice : Out(range(choices))
        that of this alternative.
    order : Out(softmax_order_layout(config))
        Work to do with the number that was read in the cycle before.
    """

    def __init__(self, config: SoftmaxConfig, waits: dict[str, int]):
        self._waits = waits
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(softmax_command(config))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "drawn": In(1),
                "running": Out(1),
                "choice": Out(range(config.choices)),
                "order": Out(softmax_order_layout(config)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        slots = self._config.slots
        command, slot, settling = Signal(softmax_command(self._config)), Signal(range(slots)), Signal(8)
        last_slot, last_choice = Signal(), Signal()
        m.d.comb += [
            last_slot.eq(slot == slots - 1),
            last_choice.eq(self.choice + 1 == command.choices),
            self.busy.eq(~self.commands.ready),
        ]
        m.d.sync += [
            *(self.order[phase].eq(0) for phase in PHASES),
            self.order.begin.eq(self.choice == 0),
            self.order.count.eq(~last_choice),
            self.order.slot.eq(slot),
            self.order.choice.eq(self.choice),
        ]
        with m.FSM(name="phase"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [command.eq(self.commands.payload), self.choice.eq(0), slot.eq(0)]
                with m.If(self.commands.valid):
                    m.next = PHASES[0]
            for phase, following in zip(PHASES, [*PHASES[1:], "COMPLETE"], strict=True):
                with m.State(phase):
                    m.d.comb += self.running.eq(1)
                    m.d.sync += [self.order[phase].eq(slot < command.blocks), slot.eq(slot + 1)]
                    with m.If(last_slot):
                        m.d.sync += [slot.eq(0), self.choice.eq(self.choice + 1)]
                    with m.If(last_slot & (1 if phase == "reciprocal" else last_choice)):
                        m.d.sync += [self.choice.eq(0), settling.eq(self._waits[phase])]
                        m.next = f"AFTER_{phase}"
                with m.State(f"AFTER_{phase}"):
                    with m.If(settling != 0):
                        m.d.sync += settling.eq(settling - 1)
                    with m.Elif(self.drawn if phase == "reciprocal" else 1):
                        m.next = following
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                m.next = "IDLE"
        return m
