"""The engine of a learner: packets of samples, and of parameters."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..forwarding import forward_port
from ..layer.config import BATCH_WIDTH
from ..stream.packet import PacketReader, packet_signature
from ..stream.packet_config import PacketReaderConfig
from .learner_base_config import LearnerCommand
from .learner_engine_config import LearnerEngineConfig
from .learner_records import ARRAY_PLACE_WIDTH, ROW_WIDTH
from .learners import LEARNERS

__all__ = ["LearnerEngine", "learner_engine_command"]

# Rows of a packet: samples of 16 bits, and rows of a sample.
ROWS_WIDTH = 32


def learner_engine_command(config: LearnerEngineConfig):
    """A command: ``count`` samples, and the learner's operands, belong to a step; ``array`` is one of ``arrays``."""
    step = {"count": BATCH_WIDTH, **config.learner.OPERANDS}
    return data.StructLayout({"kind": LearnerCommand, **step, "array": ARRAY_PLACE_WIDTH})


class LearnerEngine(ConfiguredComponent):
    """Executes step, load and store commands one at a time, on a learner of its own; some learners add commands.

    A step takes one packet: a sample is ``config.learner.sample_rows`` rows (:mod:`.learner_records`). It gives one
    packet, ``config.learner.result_rows`` rows per sample: for a DQN and for DDPG the magnitude of each sample's
    temporal-difference error. Loads take, and stores give, an array of one network, a row a parameter, in the order of
    the learner. Follow takes and gives nothing.

    ::

        packets_in -> PacketReader -+-> splitter -------> learner -> results ----.
                                    `-> parameters in --> learner -> parameters -+-> packets_out

    Throughput: a sample in the learner's cycles, but ``sample_rows`` at least; a parameter a cycle. Latency: 3 cycles
    from a command to the learner's own. Back-pressure: on both streams.

    Parameters
    ----------
    config : LearnerEngineConfig

    Members
    -------
    commands, completions, busy, errors
        See :class:`.EngineSignature`. ``address_out_of_range``: a step of no samples, or an array that
        there is not; nothing is done. ``stream_underflow``: the packet ended early, and the learner waits for the rest
        until a reset; ``stream_overflow``: what was after the last row has been dropped. ``nonfinite``: a value or a
        weight is infinite or NaN.
    packets_in, packets_out : streams of rows
    rates, tau, ... : In
        ``config.settings``: what the learner takes besides samples; constant while a step is under way.
    """

    def __init__(self, config: LearnerEngineConfig):
        flags = ("address_out_of_range", "stream_underflow", "stream_overflow", "nonfinite")
        self._parts = LEARNERS[type(config.learner)]
        self._learner = self._parts.learner(config.learner)
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(learner_engine_command(config))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout(dict.fromkeys(flags, 1))),
                "packets_in": In(packet_signature(ROW_WIDTH)),
                "packets_out": Out(packet_signature(ROW_WIDTH)),
                **{name: self._learner.signature.members[name] for name in config.settings},
            },
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.learner = learner = self._learner
        m.submodules.reader = reader = PacketReader(PacketReaderConfig(width=ROW_WIDTH, count_width=ROWS_WIDTH))
        wiring.connect(m, wiring.flipped(self.packets_in), reader.i)
        for name in self._config.settings:
            forward_port(m, learner, self, name)
        command = Signal(self.commands.payload.shape())
        m.d.comb += [
            self.busy.eq(~self.commands.ready),
            self.errors.stream_underflow.eq(reader.underflow),
            self.errors.stream_overflow.eq(reader.overflow),
            self.errors.nonfinite.eq(learner.errors.nonfinite),
            learner.batch.eq(command.count),
            learner.commands.payload.kind.eq(command.kind),
        ]
        stepping, known = Signal(), Signal()
        parameters = Signal(range(max(array.parameters for array in self._config.arrays.values()) + 1))
        following = Signal()
        m.d.comb += [
            stepping.eq(command.kind == LearnerCommand.STEP),
            following.eq(command.kind == LearnerCommand.FOLLOW if self._config.learner.follows else 0),
        ]
        self._find_array(m, learner, command, known, parameters)
        self._take_rows(m, reader, learner, command, stepping, parameters)
        given = self._give_rows(m, learner, stepping, command.count, parameters)
        refused = Signal()
        m.d.comb += refused.eq(Mux(stepping, command.count == 0, ~known & ~following))
        self._execute(m, reader, learner, command, refused, following, given)
        return m

    def _execute(self, m, reader, learner, command, refused, following, given):
        """One command after the other."""
        # Its packet has come, the learner has done it, its packet has gone.
        ended = Signal(3)
        takes_none = (command.kind == LearnerCommand.STORE) | following
        gives_none = (command.kind == LearnerCommand.LOAD) | following
        with m.FSM(name="engine"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [command.eq(self.commands.payload), ended.eq(0)]
                with m.If(self.commands.valid):
                    m.next = "CHECK"
            with m.State("CHECK"):
                m.d.comb += self.errors.address_out_of_range.eq(refused)
                m.next = "BEGIN"
                with m.If(refused):
                    m.next = "COMPLETE"
            with m.State("BEGIN"):
                # Both are idle.
                m.d.comb += [learner.commands.valid.eq(1), reader.requests.valid.eq(~takes_none)]
                m.d.sync += ended.eq(Cat(takes_none, 0, gives_none))
                m.next = "WORK"
            with m.State("WORK"):
                m.d.comb += learner.completions.ready.eq(1)
                m.d.sync += ended.eq(ended | Cat(reader.done, learner.completions.valid, given))
                with m.If(ended.all()):
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"

    def _find_array(self, m, learner, command, known, parameters):
        """Tells the learner which array is meant; whether there is one, and how many parameters it has."""
        config, payload = self._config, learner.commands.payload
        m.d.comb += [payload[name].eq(command[name]) for name in config.learner.OPERANDS]
        with m.Switch(command.array):
            for place, array in enumerate(config.arrays.values()):
                with m.Case(place):
                    m.d.comb += [
                        known.eq(1),
                        parameters.eq(array.parameters),
                        payload.array.eq(array.place),
                    ]
                    if len(config.networks) > 1:
                        m.d.comb += payload.network.eq(array.network)

    def _take_rows(self, m, reader, learner, command, stepping, parameters):
        """Rows of a packet to the learner: samples of a step, or parameters."""
        m.submodules.splitter = splitter = self._parts.splitter(self._config.learner)
        for name in splitter.signature.members:
            if name != "rows":
                wiring.connect(m, getattr(splitter, name), getattr(learner, name))
        rows = reader.o
        m.d.comb += [splitter.rows.payload.eq(rows.payload), learner.parameters_in.payload.eq(rows.payload)]
        with m.If(stepping):
            m.d.comb += [
                reader.requests.payload.eq(command.count * self._config.learner.sample_rows),
                splitter.rows.valid.eq(rows.valid),
                rows.ready.eq(splitter.rows.ready),
            ]
        with m.Else():
            m.d.comb += [
                reader.requests.payload.eq(parameters),
                learner.parameters_in.valid.eq(rows.valid),
                rows.ready.eq(learner.parameters_in.ready),
            ]

    def _collect(self, m, learner):
        """The stream of what comes of samples."""
        if self._parts.collector is None:
            return getattr(learner, self._parts.results)
        m.submodules.collector = collector = self._parts.collector(self._config.learner)
        for name in collector.signature.members:
            if name != self._parts.results:
                wiring.connect(m, getattr(learner, name), getattr(collector, name))
        return getattr(collector, self._parts.results)

    def _give_rows(self, m, learner, stepping, count, parameters):
        """Results or parameters as a packet; whether its last row leaves in this cycle."""
        rows = count * self._config.learner.result_rows
        left, last, leaves = Signal(max(len(parameters), len(rows))), Signal(), Signal()
        m.d.comb += [
            last.eq(left == 1),
            self.packets_out.payload.last.eq(last),
            leaves.eq(self.packets_out.valid & self.packets_out.ready),
        ]
        for chosen, source in ((stepping, self._collect(m, learner)), (~stepping, learner.parameters_out)):
            with m.If(chosen):
                m.d.comb += [
                    self.packets_out.payload.data.eq(source.payload),
                    self.packets_out.valid.eq(source.valid),
                    source.ready.eq(self.packets_out.ready),
                ]
        with m.If(learner.commands.valid):
            m.d.sync += left.eq(parameters)
            with m.If(stepping):
                m.d.sync += left.eq(rows)
        with m.Elif(leaves):
            m.d.sync += left.eq(left - 1)
        return leaves & last
