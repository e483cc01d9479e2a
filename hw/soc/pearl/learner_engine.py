"""The engine of a learner as a device: packets of samples, and of numbers."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...cores.layer.ddpg_learner import DDPGLearner
from ...cores.layer.dqn_learner import DQNLearner
from ...cores.layer.learner_config import DDPGLearnerConfig, DQNLearnerConfig, LearnerCommand
from ...cores.layouts import record_layout
from ...cores.stream.buffer import StreamBuffer
from ...cores.stream.buffer_config import StreamBufferConfig
from ...cores.stream.fork import StreamFork
from ...cores.stream.packet import PacketReader
from ...cores.stream.packet_config import PacketReaderConfig
from ..bus.axi_stream import packet_signature
from ..sequencer.layouts import command_layout
from .learner_config import PearlLearnerConfig
from .learner_instructions import LearnerOpcode
from .learner_records import CHOICE, NUMBER, OBSERVATION, OUTCOME, ROW_WIDTH

__all__ = ["LearnerEngine"]

LEARNERS = {DQNLearnerConfig: DQNLearner, DDPGLearnerConfig: DDPGLearner}

# Of a packet: samples of 16 bits, and rows of a sample.
ROWS_WIDTH = 32


class LearnerEngine(wiring.Component):
    """Executes step, load and store instructions, one at a time, on a learner of its own.

    A step takes one packet: a sample is :attr:`PearlLearnerConfig.sample_rows` rows (:mod:`.learner_records`), input
    after input of the observation and of the next one side by side, of DDPG then number after number of the action,
    and what came of it. It gives one packet: the magnitude of each sample's TD error, a row each. Loads take, and
    stores give, an array of one network, a row a number, in the order of
    :class:`...cores.layer.dqn_learner.DQNLearner` and :class:`...cores.layer.ddpg_learner.DDPGLearner`.

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
    registers : In(struct)
        A number for each of the configuration's ``registers``; constant while a step is under way.
    """

    def __init__(self, config: PearlLearnerConfig):
        self.config = config
        flags = ("address_out_of_range", "stream_underflow", "stream_overflow", "nonfinite")
        super().__init__(
            {
                "commands": In(stream.Signature(command_layout(config.INSTRUCTION_SET, "learner"))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout(dict.fromkeys(flags, 1))),
                "packets_in": In(packet_signature(ROW_WIDTH)),
                "packets_out": Out(packet_signature(ROW_WIDTH)),
                "registers": In(data.StructLayout(dict.fromkeys(config.registers, NUMBER.width))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        m.submodules.learner = learner = LEARNERS[type(config.learner)](config.learner)
        m.submodules.reader = reader = PacketReader(PacketReaderConfig(width=ROW_WIDTH, count_width=ROWS_WIDTH))
        wiring.connect(m, wiring.flipped(self.packets_in), reader.i)
        command = Signal(self.commands.payload.shape())
        step = command.arguments.step
        stepping, loading, storing, refused = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            self.busy.eq(~self.commands.ready),
            stepping.eq(command.opcode == LearnerOpcode.STEP),
            loading.eq(command.opcode == LearnerOpcode.LOAD),
            storing.eq(command.opcode == LearnerOpcode.STORE),
            self.errors.stream_underflow.eq(reader.underflow),
            self.errors.stream_overflow.eq(reader.overflow),
            self.errors.nonfinite.eq(learner.errors.nonfinite),
            learner.batch.eq(step.count),
        ]
        self._set(m, learner)
        known, numbers = self._find(m, learner, command.arguments.load.array)
        with m.If(stepping):
            m.d.comb += [
                refused.eq(step.count == 0),
                reader.requests.payload.eq(step.count * config.sample_rows),
                learner.commands.payload.kind.eq(LearnerCommand.STEP),
            ]
            # What else a step is told.
            m.d.comb += [learner.commands.payload[name].eq(step[name]) for name, _ in step.shape() if name != "count"]
        with m.Else():
            m.d.comb += [
                refused.eq(~known),
                reader.requests.payload.eq(numbers),
                learner.commands.payload.kind.eq(LearnerCommand.STORE),
                learner.numbers_in.payload.eq(reader.o.payload),
                learner.numbers_in.valid.eq(reader.o.valid),
                reader.o.ready.eq(learner.numbers_in.ready),
            ]
            with m.If(loading):
                m.d.comb += learner.commands.payload.kind.eq(LearnerCommand.LOAD)
        self._take_samples(m, reader.o, learner, stepping)
        given = self._give(m, learner, stepping, step.count, numbers)

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
                    reader.requests.valid.eq(~storing),
                ]
                m.d.sync += ended.eq(Cat(storing, 0, loading))
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

    def _set(self, m, learner):
        """What a step takes besides samples, to the learner."""
        config = self.config
        for network in config.networks:
            rates = getattr(learner, config.name_in(network, "rates"))
            m.d.comb += [rates[name].eq(self.registers[config.name_in(network, name)]) for name in config.rates]
        m.d.comb += [getattr(learner, name).eq(self.registers[name]) for name in config.SETTINGS]

    def _find(self, m, learner, place):
        """Tells the learner which array is meant; whether there is one, and how many numbers it has."""
        config = self.config
        arrays = config.arrays.values()
        known, numbers = Signal(), Signal(range(max(array.numbers for array in arrays) + 1))
        payload = learner.commands.payload
        with m.Switch(place):
            for index, array in enumerate(arrays):
                with m.Case(index):
                    m.d.comb += [
                        known.eq(1),
                        numbers.eq(array.numbers),
                        payload.array.eq(config.learner.arrays.index(array.kind)),
                    ]
                    if len(config.networks) > 1:
                        m.d.comb += payload.network.eq(array.network)
        return known, numbers

    def _take_samples(self, m, rows, learner, stepping):
        """Rows of samples to the streams of the learner."""
        config = self.config
        outcome_place = config.observations + config.action_rows
        # Observations go on while the other rows of a sample are taken.
        ahead = StreamBufferConfig(depth=config.sample_rows - config.observations)
        m.submodules.observations = observations = StreamBuffer(record_layout(OBSERVATION), ahead)
        m.submodules.fork = fork = StreamFork(record_layout(OBSERVATION), 2)
        wiring.connect(m, observations.o, fork.i)
        # Samples go on while the loss waits for the values of those before.
        transition_layout = learner.transitions.payload.shape()
        room = StreamBufferConfig(depth=config.waiting_samples)
        m.submodules.transitions = transitions = StreamBuffer(transition_layout, room)
        place, outcome = Signal(range(config.sample_rows)), Signal(record_layout(OUTCOME))
        choice = data.View(record_layout(CHOICE), rows.payload[: CHOICE.width])
        found = {"reward": outcome, "discount": outcome, "weight": choice, "action": choice}
        m.d.comb += observations.i.payload.as_value().eq(rows.payload)
        m.d.comb += [transitions.i.payload[name].eq(found[name][name]) for name, _ in transition_layout]
        if config.action_rows:
            actions = self._keep_actions(m, rows, learner)
        with m.If(stepping):
            with m.If(place < config.observations):
                m.d.comb += [observations.i.valid.eq(rows.valid), rows.ready.eq(observations.i.ready)]
            if config.action_rows:
                with m.Elif(place < outcome_place):
                    m.d.comb += [actions.valid.eq(rows.valid), rows.ready.eq(actions.ready)]
            with m.Elif(place == outcome_place):
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

    def _keep_actions(self, m, rows, learner):
        """A buffer in which actions wait until their observations have gone through the actor."""
        room = StreamBufferConfig(depth=self.config.waiting_samples * self.config.action_rows)
        m.submodules.actions = actions = StreamBuffer(NUMBER.width, room)
        m.d.comb += actions.i.payload.eq(rows.payload)
        wiring.connect(m, actions.o, learner.actions)
        return actions.i

    def _give(self, m, learner, stepping, count, numbers):
        """Priorities or numbers as a packet; whether its last row leaves in this cycle."""
        left, last, leaves = Signal(max(len(numbers), len(count))), Signal(), Signal()
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
            m.d.sync += left.eq(numbers)
            with m.If(stepping):
                m.d.sync += left.eq(count)
        with m.Elif(leaves):
            m.d.sync += left.eq(left - 1)
        return leaves & last
