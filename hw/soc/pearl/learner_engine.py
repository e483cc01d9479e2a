"""The engine of a learner as a device: packets of samples, and of numbers."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...cores.layer.config import LearnerCommand
from ...cores.layer.dqn_learner import DQNLearner
from ...cores.layer.dqn_loss import transition_layout
from ...cores.layer.update_stage import rates_layout
from ...cores.layouts import record_layout
from ...cores.stream.buffer import StreamBuffer
from ...cores.stream.buffer_config import StreamBufferConfig
from ...cores.stream.fork import StreamFork
from ...cores.stream.packet import PacketReader
from ...cores.stream.packet_config import PacketReaderConfig
from ..bus.axi_stream import packet_signature
from ..sequencer.layouts import command_layout
from .learner_config import PearlLearnerConfig
from .learner_instructions import INSTRUCTION_SET, LOAD, STEP, STORE
from .learner_records import CHOICE, OBSERVATION, OUTCOME, ROW_WIDTH

__all__ = ["LearnerEngine"]

# Of a packet: samples of 16 bits, and rows of a sample.
ROWS_WIDTH = 32


class LearnerEngine(wiring.Component):
    """Executes step, load and store instructions, one at a time, on a learner of its own.

    A step takes one packet: a sample is :attr:`PearlLearnerConfig.sample_rows` rows (:mod:`.learner_records`), input
    after input of the observation and of the next one side by side, then what came of it. It gives one packet: the
    magnitude of each sample's TD error, a row each. Loads take, and stores give, an array of numbers, a row each, in
    the order of :class:`...cores.layer.dqn_learner.DQNLearner`.

    Throughput: a sample in the learner's cycles, but ``sample_rows`` at least; a number a cycle. Latency: 3 cycles from
    a command to the learner's own. Back-pressure: on both streams.

    Parameters
    ----------
    config : PearlLearnerConfig

    Members
    -------
    commands, completions, busy, errors
        See :class:`..shell.engine.EngineSignature`. ``address_out_of_range``: a step of no samples, or an array that
        there is not; nothing is done. ``stream_underflow``: the packet ended early, and the learner waits for the rest
        until the soft reset; ``stream_overflow``: what was behind the last row has been dropped. ``nonfinite``: a value
        or a weight is infinite or NaN.
    packets_in, packets_out : streams of rows
    rates : In(rates_layout)
        Of the optimiser; constant while a step is under way.
    """

    def __init__(self, config: PearlLearnerConfig):
        self.config = config
        flags = ("address_out_of_range", "stream_underflow", "stream_overflow", "nonfinite")
        super().__init__(
            {
                "commands": In(stream.Signature(command_layout(INSTRUCTION_SET, "learner"))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout(dict.fromkeys(flags, 1))),
                "packets_in": In(packet_signature(ROW_WIDTH)),
                "packets_out": Out(packet_signature(ROW_WIDTH)),
                "rates": In(rates_layout(config.learner.updates[0])),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        m.submodules.learner = learner = DQNLearner(config.learner)
        m.submodules.reader = reader = PacketReader(PacketReaderConfig(width=ROW_WIDTH, count_width=ROWS_WIDTH))
        wiring.connect(m, wiring.flipped(self.packets_in), reader.i)
        command = Signal(self.commands.payload.shape())
        step, array = command.arguments.step, command.arguments.load.array
        stepping, loading, refused = Signal(), Signal(), Signal()
        m.d.comb += [
            self.busy.eq(~self.commands.ready),
            stepping.eq(command.opcode == STEP.opcode),
            loading.eq(command.opcode == LOAD.opcode),
            self.errors.stream_underflow.eq(reader.underflow),
            self.errors.stream_overflow.eq(reader.overflow),
            self.errors.nonfinite.eq(learner.errors.nonfinite),
            learner.rates.eq(self.rates),
            learner.batch.eq(step.count),
            learner.commands.payload.array.eq(array),
        ]
        with m.If(stepping):
            m.d.comb += [
                refused.eq(step.count == 0),
                reader.requests.payload.eq(step.count * config.sample_rows),
                learner.commands.payload.kind.eq(LearnerCommand.STEP),
                learner.commands.payload.copy.eq(step.copy),
            ]
        with m.Else():
            m.d.comb += [
                refused.eq(array >= len(config.learner.arrays)),
                reader.requests.payload.eq(config.numbers),
                learner.commands.payload.kind.eq(LearnerCommand.STORE),
                learner.numbers_in.payload.eq(reader.o.payload),
                learner.numbers_in.valid.eq(reader.o.valid),
                reader.o.ready.eq(learner.numbers_in.ready),
            ]
            with m.If(loading):
                m.d.comb += learner.commands.payload.kind.eq(LearnerCommand.LOAD)
        self._take_samples(m, reader.o, learner, stepping)
        given = self._give(m, learner, stepping, step.count)

        # Of a command: its packet has come, the learner has done it, its packet has gone.
        ended = Signal(3)
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
                m.d.comb += [
                    learner.commands.valid.eq(1),
                    reader.requests.valid.eq(command.opcode != STORE.opcode),
                ]
                m.d.sync += ended.eq(Cat(command.opcode == STORE.opcode, 0, loading))
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
        return m

    def _take_samples(self, m, rows, learner, stepping):
        """Rows of samples to the streams of the learner."""
        config = self.config
        inputs = config.sizes[0]
        m.submodules.fork = fork = StreamFork(record_layout(OBSERVATION), 2)
        # Samples go on while the loss waits for the values of those before.
        room = StreamBufferConfig(depth=config.learner.network.waiting_samples(0))
        m.submodules.transitions = transitions = StreamBuffer(transition_layout(config.learner), room)
        place, outcome = Signal(range(config.sample_rows)), Signal(record_layout(OUTCOME))
        choice = data.View(record_layout(CHOICE), rows.payload[: CHOICE.width])
        transition = transitions.i.payload
        m.d.comb += [
            fork.i.payload.as_value().eq(rows.payload),
            transition.reward.eq(outcome.reward),
            transition.discount.eq(outcome.discount),
            transition.weight.eq(choice.weight),
            transition.action.eq(choice.action),
        ]
        with m.If(stepping):
            with m.If(place < inputs):
                m.d.comb += [fork.i.valid.eq(rows.valid), rows.ready.eq(fork.i.ready)]
            with m.Elif(place == inputs):
                m.d.comb += rows.ready.eq(1)
                m.d.sync += outcome.as_value().eq(rows.payload)
            with m.Else():
                m.d.comb += [transitions.i.valid.eq(rows.valid), rows.ready.eq(transitions.i.ready)]
            with m.If(rows.valid & rows.ready):
                m.d.sync += place.eq(place + 1)
                with m.If(place == config.sample_rows - 1):
                    m.d.sync += place.eq(0)
        for target, name in zip(fork.o, ("observation", "next_observation"), strict=True):
            to_learner = getattr(learner, f"{name}s")
            m.d.comb += [
                to_learner.payload.eq(target.payload[name]),
                to_learner.valid.eq(target.valid),
                target.ready.eq(to_learner.ready),
            ]
        wiring.connect(m, transitions.o, learner.transitions)

    def _give(self, m, learner, stepping, count):
        """Priorities or numbers as a packet; whether its last row leaves in this cycle."""
        left, last, leaves = Signal(range(max(self.config.numbers + 1, 1 << len(count)))), Signal(), Signal()
        m.d.comb += [
            last.eq(left == 1),
            self.packets_out.payload.last.eq(last),
            leaves.eq(self.packets_out.valid & self.packets_out.ready),
        ]
        with m.If(stepping):
            m.d.comb += [
                self.packets_out.payload.data.eq(learner.priorities.payload),
                self.packets_out.valid.eq(learner.priorities.valid),
                learner.priorities.ready.eq(self.packets_out.ready),
            ]
        with m.Else():
            m.d.comb += [
                self.packets_out.payload.data.eq(learner.numbers_out.payload),
                self.packets_out.valid.eq(learner.numbers_out.valid),
                learner.numbers_out.ready.eq(self.packets_out.ready),
            ]
        with m.If(learner.commands.valid):
            m.d.sync += left.eq(self.config.numbers)
            with m.If(stepping):
                m.d.sync += left.eq(count)
        with m.Elif(leaves):
            m.d.sync += left.eq(left - 1)
        return leaves & last
