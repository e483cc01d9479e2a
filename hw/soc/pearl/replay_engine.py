"""The engine of a replay device: packets of requests, and batches of samples."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...cores.replay.draw_generator import DrawGenerator
from ...cores.replay.records import HEADER, ROW_WIDTH, RequestKind
from ..bus.axi_stream import packet_signature
from ..sequencer.layouts import command_layout
from ..shell.packet_service import PacketService
from .config import PearlConfig
from .instructions import CLEAR, INSTRUCTION_SET, SAMPLE, SEED, SERVE

__all__ = ["ReplayEngine"]


class ReplayEngine(wiring.Component):
    """Executes instructions one at a time: serves packets, samples batches, sets the generator, clears.

    A batch is a packet of the device's own: a sample for each draw, and behind them a request for the total in every
    place that is left in the last beat, at least in one.

    Throughput: that of the sum tree. Latency: one cycle from a command to the first request of a
    packet, 7 to the first sample.

    Parameters
    ----------
    config : PearlConfig

    Members
    -------
    commands, completions, busy, errors
        See :class:`..shell.engine.EngineSignature`. ``address_out_of_range``: a batch of no samples, or a state of 0.
    packets_in, packets_out : streams of beats of rows
    requests, answers, clear, idle
        Of :class:`...cores.replay.sum_tree.SumTree`.
    """

    def __init__(self, config: PearlConfig):
        self._config = config
        width = config.shell.stream_width
        super().__init__(
            {
                "commands": In(stream.Signature(command_layout(INSTRUCTION_SET, "replay"))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout({"address_out_of_range": 1})),
                "packets_in": In(packet_signature(width)),
                "packets_out": Out(packet_signature(width)),
                "requests": Out(stream.Signature(width)),
                "answers": In(stream.Signature(width)),
                "clear": Out(1),
                "idle": In(1),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        m.submodules.service = service = PacketService(self._config.shell.stream_width)
        m.submodules.generator = generator = DrawGenerator(self._config.lanes)
        wiring.connect(m, service.requests, wiring.flipped(self.requests))
        wiring.connect(m, wiring.flipped(self.answers), service.answers)
        wiring.connect(m, service.packets_out, wiring.flipped(self.packets_out))
        command, sampling = Signal(self.commands.payload.shape()), Signal()
        arguments = command.arguments
        m.d.comb += [
            self.busy.eq(~self.commands.ready),
            generator.seed.state.eq(arguments.seed.state),
            generator.batches.payload.count.eq(arguments.sample.count),
            generator.batches.payload.segment.eq(arguments.sample.segment),
        ]
        self._packets(m, service, generator, sampling)
        with m.FSM(name="replay"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [command.eq(self.commands.payload), sampling.eq(0)]
                with m.If(self.commands.valid), m.Switch(self.commands.payload.opcode):
                    with m.Case(SERVE.opcode):
                        m.next = "SERVE"
                    with m.Case(SAMPLE.opcode):
                        m.next = "SAMPLE"
                    with m.Case(SEED.opcode):
                        m.next = "SEED"
                    with m.Case(CLEAR.opcode):
                        m.next = "CLEAR"
            with m.State("SAMPLE"):
                m.d.sync += sampling.eq(1)
                with m.If(arguments.sample.count == 0):
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
                    generator.seed.valid.eq(arguments.seed.state != 0),
                    self.errors.address_out_of_range.eq(arguments.seed.state == 0),
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
        return m

    def _packets(self, m, service, generator, sampling):
        """What is served: a packet of the host, or the draws and then the total."""
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
