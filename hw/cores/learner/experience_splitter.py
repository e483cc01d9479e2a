"""Rows of experiences to the streams of MAAC's learner."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import record_layout
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from ..stream.connect import connect_field
from ..stream.fork import StreamFork
from .attentive_critic_loss import outcome_layout
from .categorical_sampler import draw_layout
from .learner_records import DRAWS, OBSERVATION, OUTCOME, ROW_WIDTH, TAKEN
from .maac_learner_config import MAACLearnerConfig

__all__ = ["ExperienceSplitter"]


class ExperienceSplitter(ConfiguredComponent):
    """Gives the rows of experiences to the streams that MAAC's learner takes them from, agent after agent.

    ::

        rows -+-> observation and next observation -> buffer -> fork -+-> observations
              |                                                       `-> next_observations
              `-> outcome, draws, taken -> fork -+-> buffer -> draws
                                                 +-> buffer -> next_draws
                                                 `-> buffer -> outcomes

    Latency: that of the buffers. Throughput: a row a cycle. Back-pressure: observations go on while the other rows of a
    sample are taken; the others wait for as many samples as are in the policies.

    Parameters
    ----------
    config : MAACLearnerConfig

    Members
    -------
    rows : In(stream of 64 bits)
        As :mod:`.learner_records` has them.
    observations, next_observations : Out(stream of width)
    draws, next_draws : Out(stream of :func:`.draw_layout`)
    outcomes : Out(stream of :func:`.outcome_layout`)
    """

    def __init__(self, config: MAACLearnerConfig):
        networks = config.agents
        elements = stream.Signature(networks.arithmetic.format.width)
        draws = stream.Signature(draw_layout(networks.arithmetic, networks.actions))
        super().__init__(
            config,
            {
                "rows": In(stream.Signature(ROW_WIDTH)),
                "observations": Out(elements),
                "next_observations": Out(elements),
                "draws": Out(draws),
                "next_draws": Out(draws),
                "outcomes": Out(stream.Signature(outcome_layout(networks.arithmetic, networks.actions))),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        pairs, rest = self._split_observations(m), self._split_rest(m)
        observations = config.agents.observations
        place, kept = Signal(range(config.agent_rows)), Signal(2 * ROW_WIDTH)
        m.d.comb += [
            pairs.payload.as_value().eq(self.rows.payload),
            rest.payload.outcome.as_value().eq(kept[:ROW_WIDTH]),
            rest.payload.draws.as_value().eq(kept[ROW_WIDTH:]),
            rest.payload.taken.as_value().eq(self.rows.payload),
        ]
        with m.If(place < observations):
            m.d.comb += [pairs.valid.eq(self.rows.valid), self.rows.ready.eq(pairs.ready)]
        with m.Elif(place < config.agent_rows - 1):
            m.d.comb += self.rows.ready.eq(1)
            with m.If(self.rows.valid):
                m.d.sync += kept.word_select(place != observations, ROW_WIDTH).eq(self.rows.payload)
        with m.Else():
            m.d.comb += [rest.valid.eq(self.rows.valid), self.rows.ready.eq(rest.ready)]
        with m.If(self.rows.valid & self.rows.ready):
            m.d.sync += place.eq(Mux(place == config.agent_rows - 1, 0, place + 1))
        return m

    def _split_observations(self, m):
        """A buffer, and behind it the two streams of observations."""
        layout, ahead = record_layout(OBSERVATION), StreamBufferConfig(depth=4)
        m.submodules.pairs = pairs = StreamBuffer(layout, ahead)
        m.submodules.pairs_fork = fork = StreamFork(layout, 2)
        wiring.connect(m, pairs.o, fork.i)
        connect_field(m, fork.o[0], "observation", self.observations)
        connect_field(m, fork.o[1], "next_observation", self.next_observations)
        return pairs.i

    def _split_rest(self, m):
        """Outcome, draws and the action taken go to three buffers."""
        parts = {"outcome": OUTCOME, "draws": DRAWS, "taken": TAKEN}
        layout = data.StructLayout({name: record_layout(record) for name, record in parts.items()})
        m.submodules.fork = fork = StreamFork(layout, 3)
        for source, name, part, fields in zip(
            fork.o,
            ("draws", "next_draws", "outcomes"),
            ("draws", "draws", "outcome"),
            ({"uniform": "uniform"}, {"uniform": "next_uniform"}, {"reward": "reward", "discount": "discount"}),
            strict=True,
        ):
            sink = getattr(self, name)
            m.submodules[f"{name}_waiting"] = waiting = StreamBuffer(
                sink.payload.shape(), StreamBufferConfig(depth=self._config.policy_samples)
            )
            wiring.connect(m, waiting.o, wiring.flipped(sink))
            m.d.comb += [waiting.i.valid.eq(source.valid), source.ready.eq(waiting.i.ready)]
            m.d.comb += [
                waiting.i.payload[field].eq(source.payload[part][of_part]) for field, of_part in fields.items()
            ]
            taken = "action" if part == "outcome" else "available"
            m.d.comb += waiting.i.payload[taken].eq(source.payload.taken[taken])
        return fork.i
