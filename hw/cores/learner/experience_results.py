"""Results that MAAC's learner makes of experiences, as rows."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import record_layout
from .attentive_critic_loss import verdict_layout
from .counterfactual_loss import advantage_layout
from .learner_records import ADVANTAGE, DRAWN, HIDDEN, LOGIT, ROW_WIDTH, VERDICT
from .maac_learner_config import MAACLearnerConfig

__all__ = ["ExperienceResults"]


class ExperienceResults(ConfiguredComponent):
    """Makes rows of what comes of experiences, agent after agent.

    For a host that updates the policies hidden layers, logits and values, choice, verdict; otherwise advantage and
    verdict.

    Latency: none. Throughput: a row a cycle. Back-pressure: that of ``rows`` on the streams whose turn it is; the
    others wait.

    Parameters
    ----------
    config : MAACLearnerConfig

    Members
    -------
    first, second, logits, values, choices, or advantages; verdicts
        Ports of :class:`.MAACLearner`.
    rows : Out(stream of 64 bits)
        As :mod:`.learner_records` has them.
    """

    def __init__(self, config: MAACLearnerConfig):
        networks = config.agents
        elements = stream.Signature(networks.arithmetic.format.width)
        if config.updates_policies:
            of_policies = {"advantages": In(stream.Signature(advantage_layout(networks.arithmetic)))}
        else:
            of_policies = {
                **{name: In(elements) for name in ("first", "second", "logits", "values")},
                "choices": In(stream.Signature(range(networks.actions))),
            }
        super().__init__(
            config,
            {
                **of_policies,
                "verdicts": In(stream.Signature(verdict_layout(networks.arithmetic))),
                "rows": Out(stream.Signature(ROW_WIDTH)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        place = Signal(range(self._config.agent_result_rows))
        end = 0
        for record, sources, values, rows in self._kinds():
            end += rows
            row = data.View(record_layout(record), self.rows.payload[: record.width])
            if end == rows:
                branch = m.If(place < end)
            elif end < self._config.agent_result_rows:
                branch = m.Elif(place < end)
            else:
                branch = m.Else()
            with branch:
                m.d.comb += self.rows.valid.eq(Cat(source.valid for source in sources).all())
                m.d.comb += [row[name].eq(value) for name, value in values.items()]
                m.d.comb += [source.ready.eq(self.rows.valid & self.rows.ready) for source in sources]
        with m.If(self.rows.valid & self.rows.ready):
            m.d.sync += place.eq(Mux(place == self._config.agent_result_rows - 1, 0, place + 1))
        return m

    def _kinds(self):
        """Kinds of rows in their order: the streams of a row, what it has of them by its fields, how many there are."""
        networks, verdict = self._config.agents, self.verdicts.payload
        verdicts = (VERDICT, (self.verdicts,), {"value": verdict.value, "error": verdict.error}, 1)
        if self._config.updates_policies:
            payload = self.advantages.payload
            advantage = {"logarithm": payload.logarithm, "advantage": payload.advantage}
            return ((ADVANTAGE, (self.advantages,), advantage, 1), verdicts)
        pairs = {"first": self.first.payload, "second": self.second.payload}
        logits = {"logit": self.logits.payload, "value": self.values.payload}
        return (
            (HIDDEN, (self.first, self.second), pairs, networks.hidden_size),
            (LOGIT, (self.logits, self.values), logits, networks.actions),
            (DRAWN, (self.choices,), {"action": self.choices.payload}, 1),
            verdicts,
        )
