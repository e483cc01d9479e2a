"""Commands that go to all cores at once."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, fifo, stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CommandBroadcast"]

# Commands that may be outstanding, as the sequencer has it.
DEPTH = 16


class CommandBroadcast(wiring.Component):
    """Queues commands and gives each to all cores in one cycle; it is complete when all have completed it.

    A core that is not meant gets it, too, so that all of them stay in step; ``meant`` says that it changes nothing.

    The queue lets the sequencer go on to other engines while a command waits for its turn.

    Latency: two cycles from a command to the cores, one from the last core's completion. Throughput: a command a cycle.
    Back-pressure: as long as one core is not ready, none is given a command; ``commands.ready`` is 0 while the queue is
    full.

    Parameters
    ----------
    layout : data.StructLayout
        Of a core's command.
    cores : int

    Members
    -------
    commands : In(stream.Signature({command : layout, cores : cores}))
        ``cores`` has a bit for each core that is meant.
    done : Out(1)
        One cycle for each command that all cores have completed.
    busy : Out(1)
    core_commands : Out(stream.Signature(layout)).array(cores)
    meant : Out(cores)
        A bit a core, with its command.
    core_done : In(cores)
        A bit a core: one cycle for each command that it completed, in order.
    core_busy : In(cores)
    """

    def __init__(self, layout, cores):
        self._queued = data.StructLayout({"command": layout, "cores": cores})
        super().__init__(
            {
                "commands": In(stream.Signature(self._queued)),
                "done": Out(1),
                "busy": Out(1),
                "core_commands": Out(stream.Signature(layout)).array(cores),
                "meant": Out(cores),
                "core_done": In(cores),
                "core_busy": In(cores),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.queue = queue = fifo.SyncFIFOBuffered(width=self._queued.size, depth=DEPTH)
        given = Signal()
        m.d.comb += [
            queue.w_en.eq(self.commands.valid),
            queue.w_data.eq(self.commands.payload),
            self.commands.ready.eq(queue.w_rdy),
            given.eq(queue.r_rdy & Cat(core.ready for core in self.core_commands).all()),
            queue.r_en.eq(given),
        ]
        next_command = Signal(self._queued)
        m.d.comb += [next_command.as_value().eq(queue.r_data), self.meant.eq(next_command.cores)]
        completed = []
        for number, core in enumerate(self.core_commands):
            m.d.comb += [
                core.valid.eq(given),
                core.payload.eq(next_command.command),
            ]
            count = Signal(range(2 * DEPTH), name=f"completed_{number}")
            m.d.sync += count.eq(count + self.core_done[number] - self.done)
            completed.append(count != 0)
        m.d.comb += [
            self.done.eq(Cat(completed).all()),
            self.busy.eq((queue.level != 0) | self.core_busy.any() | Cat(completed).any()),
        ]
        return m
