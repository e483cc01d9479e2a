"""Commands that go to several cores."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, fifo, stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CommandBroadcast"]

# Commands that may be outstanding, as the sequencer has it.
DEPTH = 16


class CommandBroadcast(wiring.Component):
    """Queues commands and gives each to all cores; it is complete when all have completed it.

    With ``together`` there is one queue, and all cores get a command in the same cycle: their engines walk in step.
    Otherwise each core has a queue of its own and goes through it at its own pace, so that a command which is long for
    one of them keeps none of the others.

    A core that is not meant also gets a command; ``meant`` says that it changes nothing.

    The queues let the sequencer go on to other engines while a command waits for its turn.

    Latency: two cycles from a command to the cores, one from the last core's completion. Throughput: a command a cycle.
    Back-pressure: a command stays queued until its core is ready, or all are (``together``); ``commands.ready`` is 0
    while a queue is full.

    Parameters
    ----------
    layout : data.StructLayout
        A core's command.
    cores : int
    together : bool

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

    def __init__(self, layout, cores, *, together):
        self._queued = data.StructLayout({"command": layout, "cores": cores})
        self._together = together
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

    @property
    def together(self):
        """Whether all cores get a command in the same cycle."""
        return self._together

    def elaborate(self, platform):
        m = Module()
        cores = range(len(self.core_commands))
        served = [cores] if self.together else [[core] for core in cores]
        queues = [fifo.SyncFIFOBuffered(width=self._queued.size, depth=DEPTH) for _ in served]
        m.d.comb += self.commands.ready.eq(Cat(queue.w_rdy for queue in queues).all())
        for number, (queue, members) in enumerate(zip(queues, served, strict=True)):
            m.submodules[f"queue_{number}"] = queue
            given, command = Signal(name=f"given_{number}"), Signal(self._queued, name=f"command_{number}")
            m.d.comb += [
                queue.w_en.eq(self.commands.valid & self.commands.ready),
                queue.w_data.eq(self.commands.payload),
                given.eq(queue.r_rdy & Cat(self.core_commands[core].ready for core in members).all()),
                queue.r_en.eq(given),
                command.as_value().eq(queue.r_data),
            ]
            for core in members:
                m.d.comb += [
                    self.core_commands[core].valid.eq(given),
                    self.core_commands[core].payload.eq(command.command),
                    self.meant[core].eq(command.cores[core]),
                ]
        completed = []
        for core in cores:
            count = Signal(range(2 * DEPTH), name=f"completed_{core}")
            m.d.sync += count.eq(count + self.core_done[core] - self.done)
            completed.append(count != 0)
        m.d.comb += [
            self.done.eq(Cat(completed).all()),
            self.busy.eq(Cat(queue.level != 0 for queue in queues).any() | self.core_busy.any() | Cat(completed).any()),
        ]
        return m
