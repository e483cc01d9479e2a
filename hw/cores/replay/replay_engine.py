"""The engine of a sum tree: packets of requests, and batches of samples."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..random.xorshift import STATE_WIDTH
from ..stream.packet import packet_signature
from ..stream.packet_service import PacketService
from .config import SumTreeConfig
from .draw_generator import DrawGenerator, batch_layout
from .records import HEADER, ROW_WIDTH, ReplayCommand
from .requests import RequestKind

__all__ = ["ReplayEngine", "replay_command"]


# A sample has the batch, a seed the state of the generator; the others have no arguments.
replay_command = data.StructLayout(
    {"kind": ReplayCommand, "arguments": data.UnionLayout({"batch": batch_layout, "state": STATE_WIDTH})}
)


class ReplayEngine(ConfiguredComponent):
    """Executes commands one at a time: serves packets, samples batches, sets the generator, clears.

    A batch is a packet of the engine's own: a sample for each draw, and after them a request for the total in every
    place that is left in the last beat, at least in one.

    ::

        packets_in ----------.
                             +-> PacketService -> requests -> SumTree -> answers -> PacketService -> packets_out
        DrawGenerator, batch '

    Throughput: that of the sum tree. Latency: one cycle from a command to the first request of a packet, 7 to the first
    sample. Back-pressure: on all streams.

    Parameters
    ----------
    config : SumTreeConfig

    Members
    -------
    commands, completions, busy, errors
        See :class:`.EngineSignature`. ``address_out_of_range``: a batch of no samples, or a state of 0.
    packets_in, packets_out : streams of beats of rows
    requests, answers, clear, idle
        To and from :class:`.SumTree`.
    """

    def __init__(self, config: SumTreeConfig):
        width = ROW_WIDTH * config.lanes
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(replay_command)),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout({"address_out_of_range": 1})),
                "packets_in": In(packet_signature(width)),
                "packets_out": Out(packet_signature(width)),
                "requests": Out(stream.Signature(width)),
                "answers": In(stream.Signature(width)),
                "clear": Out(1),
                "idle": In(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.service = service = PacketService(ROW_WIDTH * self._config.lanes)
        m.submodules.generator = generator = DrawGenerator(self._config.lanes)
        wiring.connect(m, service.requests, wiring.flipped(self.requests))
        wiring.connect(m, wiring.flipped(self.answers), service.answers)
        wiring.connect(m, service.packets_out, wiring.flipped(self.packets_out))
        command, sampling = Signal(replay_command), Signal()
        m.d.comb += [
            self.busy.eq(~self.commands.ready),
            generator.seed.state.eq(command.arguments.state),
            generator.batches.payload.eq(command.arguments.batch),
        ]
        self._choose_packets(m, service, generator, sampling)
        self._execute(m, service, generator, command, sampling)
        return m

    def _execute(self, m, service, generator, command, sampling):
        """One command after the other."""
        arguments = command.arguments
        with m.FSM(name="replay"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [command.eq(self.commands.payload), sampling.eq(0)]
                with m.If(self.commands.valid), m.Switch(self.commands.payload.kind):
                    for kind in ReplayCommand:
                        with m.Case(kind):
                            m.next = kind.name
            with m.State("SAMPLE"):
                m.d.sync += sampling.eq(1)
                with m.If(arguments.batch.count == 0):
                    m.d.comb += self.errors.address_out_of_range.eq(1)
                    m.next = "COMPLETE"
                with m.Else():
                    # All draws of the batch before are made.
                    m.d.comb += generator.batches.valid.eq(1)
                    m.next = "SERVE"
            with m.State("SERVE"):
                m.d.comb += service.serving.eq(1)
                with m.If(service.served):
                    m.next = "COMPLETE"
            with m.State("SEED"):
                m.d.comb += [
                    generator.seed.valid.eq(arguments.state != 0),
                    self.errors.address_out_of_range.eq(arguments.state == 0),
                ]
                m.next = "COMPLETE"
            with m.State("CLEAR"):
                m.d.comb += self.clear.eq(1)
                m.next = "CLEARING"
            with m.State("CLEARING"):
                with m.If(self.idle):
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"

    def _choose_packets(self, m, service, generator, sampling):
        """Serves a packet of the host, or the draws and then the total."""
        draws = generator.draws.payload
        with m.If(sampling):
            m.d.comb += [
                service.packets_in.valid.eq(generator.draws.valid),
                service.packets_in.payload.last.eq(draws.last),
                generator.draws.ready.eq(service.packets_in.ready),
            ]
            for lane in range(generator.lanes):
                sample = Cat(Const(RequestKind.SAMPLE, HEADER.width), draws.draws[lane])
                row = service.packets_in.payload.data.word_select(lane, ROW_WIDTH)
                m.d.comb += row.eq(Mux(draws.has_draw[lane], sample, RequestKind.TOTAL))
        with m.Else():
            m.d.comb += [
                service.packets_in.valid.eq(self.packets_in.valid),
                service.packets_in.payload.eq(self.packets_in.payload),
                self.packets_in.ready.eq(service.packets_in.ready),
            ]
