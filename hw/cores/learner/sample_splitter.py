"""Rows of samples to the streams of a learner."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import record_layout
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from ..stream.fork import StreamFork
from .learner_config import PerceptronLearnerConfig
from .learner_records import CHOICE, ELEMENT, OBSERVATION, OUTCOME, ROW_WIDTH
from .temporal_difference_loss import transition_layout

__all__ = ["SampleSplitter"]


class SampleSplitter(ConfiguredComponent):
    """Gives the rows of samples to the streams that a learner takes them from.

    ::

        rows -+-> observation and next observation -> buffer -> fork -+-> observations
              |                                                       `-> next_observations
              +-> elements of the action -----------> buffer ---------> actions
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
    observations, next_observations : Out(stream of 32 bits)
    actions : Out(stream of 32 bits), where a sample has rows for them
    transitions : Out(stream of :func:`.transition_layout`)
    """

    def __init__(self, config: PerceptronLearnerConfig):
        elements = stream.Signature(ELEMENT.width)
        super().__init__(
            config,
            {
                "rows": In(stream.Signature(ROW_WIDTH)),
                "observations": Out(elements),
                "next_observations": Out(elements),
                **({"actions": Out(elements)} if config.action_rows else {}),
                "transitions": Out(stream.Signature(transition_layout(config.temporal_difference))),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        observations, transitions = self._split_observations(m), self._pair_outcomes(m)
        outcome = Signal(record_layout(OUTCOME))
        choice = data.View(record_layout(CHOICE), self.rows.payload[: CHOICE.width])
        found = {"reward": outcome, "discount": outcome, "weight": choice, "action": choice}
        m.d.comb += observations.payload.as_value().eq(self.rows.payload)
        m.d.comb += [transitions.payload[name].eq(found[name][name]) for name, _ in transitions.payload.shape()]

        actions = self._keep_actions(m) if config.action_rows else None
        place, outcome_place = Signal(range(config.sample_rows)), config.sample_rows - 2
        with m.If(place < config.observations):
            m.d.comb += [observations.valid.eq(self.rows.valid), self.rows.ready.eq(observations.ready)]
        if actions is not None:
            with m.Elif(place < outcome_place):
                m.d.comb += [actions.valid.eq(self.rows.valid), self.rows.ready.eq(actions.ready)]
        with m.Elif(place == outcome_place):
            m.d.comb += self.rows.ready.eq(1)
            m.d.sync += outcome.as_value().eq(self.rows.payload)
        with m.Else():
            m.d.comb += [transitions.valid.eq(self.rows.valid), self.rows.ready.eq(transitions.ready)]
        with m.If(self.rows.valid & self.rows.ready):
            m.d.sync += place.eq(place + 1)
            with m.If(place == config.sample_rows - 1):
                m.d.sync += place.eq(0)
        return m

    def _split_observations(self, m):
        """A buffer, and behind it the two streams of observations."""
        ahead = StreamBufferConfig(depth=self._config.sample_rows - self._config.observations)
        m.submodules.pairs = pairs = StreamBuffer(record_layout(OBSERVATION), ahead)
        m.submodules.fork = fork = StreamFork(record_layout(OBSERVATION), 2)
        wiring.connect(m, pairs.o, fork.i)
        for source, name in zip(fork.o, ("observation", "next_observation"), strict=True):
            sink = getattr(self, f"{name}s")
            m.d.comb += [
                sink.payload.eq(source.payload[name]),
                sink.valid.eq(source.valid),
                source.ready.eq(sink.ready),
            ]
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
        m.submodules.kept_actions = actions = StreamBuffer(ELEMENT.width, room)
        m.d.comb += actions.i.payload.eq(self.rows.payload)
        wiring.connect(m, actions.o, wiring.flipped(self.actions))
        return actions.i
