"""Rows of samples to the streams of a learner."""

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import record_layout
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from ..stream.connect import connect_handshake
from ..stream.fork import StreamFork
from .learner_config import PerceptronLearnerConfig
from .learner_records import CHOICE, NOISE, OBSERVATION, OUTCOME, ROW_WIDTH
from .temporal_difference_loss import transition_layout

__all__ = ["SampleSplitter"]


class SampleSplitter(ConfiguredComponent):
    """Gives the rows of samples to the streams that a learner takes them from.

    ::

        rows -+-> observation and next observation -> buffer -> fork -+-> observations
              |                                                       `-> next_observations
              +-> elements of the action -----------> buffer ---------> actions
              +-> noise and next noise -------------> buffer -> fork -+-> noises
              |                                                       `-> next_noises
              `-> outcome, choice ------------------> buffer ---------> transitions

    Latency: that of the buffers. Throughput: a row a cycle. Back-pressure: observations go on while the other rows of a
    sample are taken; the others wait for the values of as many samples as are in the networks.

    Parameters
    ----------
    config : PerceptronLearnerConfig

    Members
    -------
    rows : In(stream of 64 bits)
        Samples, as :mod:`.learner_records` has them.
    observations, next_observations : Out(stream of width)
    actions : Out(stream of width), where a sample has rows for them
    noises, next_noises : Out(stream of width), where a sample has rows for them
    transitions : Out(stream of :func:`.transition_layout`)
    """

    def __init__(self, config: PerceptronLearnerConfig):
        elements = stream.Signature(config.temporal_difference.arithmetic.format.width)
        super().__init__(
            config,
            {
                "rows": In(stream.Signature(ROW_WIDTH)),
                "observations": Out(elements),
                "next_observations": Out(elements),
                **({"actions": Out(elements)} if config.action_rows else {}),
                **({"noises": Out(elements), "next_noises": Out(elements)} if config.noise_rows else {}),
                "transitions": Out(stream.Signature(transition_layout(config.temporal_difference))),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        transitions, ahead = self._pair_outcomes(m), config.sample_rows - config.observations
        outcome = Signal(record_layout(OUTCOME))
        choice = data.View(record_layout(CHOICE), self.rows.payload[: CHOICE.width])
        found = {"reward": outcome, "discount": outcome, "weight": choice, "action": choice}
        m.d.comb += [transitions.payload[name].eq(found[name][name]) for name, _ in transitions.payload.shape()]

        # Rows that go to a buffer: how many, and which.
        ways = [(config.observations, self._split_pairs(m, OBSERVATION, ahead))]
        if config.action_rows:
            ways.append((config.action_rows, self._keep_actions(m)))
        if config.noise_rows:
            room = config.waiting_samples * config.noise_rows
            ways.append((config.noise_rows, self._split_pairs(m, NOISE, room)))
        m.d.comb += [Value.cast(sink.payload).eq(self.rows.payload) for _, sink in ways]
        place, end = Signal(range(config.sample_rows)), 0
        with m.If(place == config.sample_rows - 1):
            m.d.comb += [transitions.valid.eq(self.rows.valid), self.rows.ready.eq(transitions.ready)]
        for rows, sink in ways:
            end += rows
            with m.Elif(place < end):
                m.d.comb += [sink.valid.eq(self.rows.valid), self.rows.ready.eq(sink.ready)]
        with m.Else():
            m.d.comb += self.rows.ready.eq(1)
            m.d.sync += outcome.as_value().eq(self.rows.payload)
        with m.If(self.rows.valid & self.rows.ready):
            m.d.sync += place.eq(place + 1)
            with m.If(place == config.sample_rows - 1):
                m.d.sync += place.eq(0)
        return m

    def _split_pairs(self, m, record, room):
        """A buffer for so many rows of a record, and behind it a stream of each field."""
        layout, names = record_layout(record), [field.name for field in record.fields]
        m.submodules[f"{names[0]}_pairs"] = pairs = StreamBuffer(layout, StreamBufferConfig(depth=room))
        m.submodules[f"{names[0]}_fork"] = fork = StreamFork(layout, len(names))
        wiring.connect(m, pairs.o, fork.i)
        for source, name in zip(fork.o, names, strict=True):
            sink = getattr(self, f"{name}s")
            m.d.comb += sink.payload.eq(source.payload[name])
            connect_handshake(m, source, sink)
        return pairs.i

    def _pair_outcomes(self, m):
        """A buffer in which transitions wait for the values of the samples before."""
        room = StreamBufferConfig(depth=self._config.waiting_samples)
        m.submodules.outcomes = outcomes = StreamBuffer(self.transitions.payload.shape(), room)
        wiring.connect(m, outcomes.o, wiring.flipped(self.transitions))
        return outcomes.i

    def _keep_actions(self, m):
        """A buffer in which actions wait until their observations have gone through the actor."""
        room = StreamBufferConfig(depth=self._config.waiting_samples * self._config.action_rows)
        m.submodules.kept_actions = actions = StreamBuffer(self.actions.payload.shape(), room)
        wiring.connect(m, actions.o, wiring.flipped(self.actions))
        return actions.i
