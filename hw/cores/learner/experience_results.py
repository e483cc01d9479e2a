"""What MAAC's learner makes of experiences, as rows."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import record_layout
from .attentive_critic_loss import verdict_layout
from .learner_records import DRAWN, ELEMENT, HIDDEN, LOGIT, ROW_WIDTH, VERDICT
from .maac_learner_config import MAACLearnerConfig

__all__ = ["ExperienceResults"]


class ExperienceResults(ConfiguredComponent):
    """Makes rows of what comes of experiences, agent after agent: hidden layers, logits and values, choice, verdict.

    Latency: none. Throughput: a row a cycle. Back-pressure: that of ``rows`` on the streams whose turn it is; the
    others wait.

    Parameters
    ----------
    config : MAACLearnerConfig
        In binary32.

    Members
    -------
    first, second, logits, values, choices, verdicts
        Of :class:`.MAACLearner`.
    rows : Out(stream of 64 bits)
        As :mod:`.learner_records` has them.
    """

    def __init__(self, config: MAACLearnerConfig):
        networks = config.agents
        elements = stream.Signature(ELEMENT.width)
        super().__init__(
            config,
            {
                "first": In(elements),
                "second": In(elements),
                "logits": In(elements),
                "values": In(elements),
                "choices": In(stream.Signature(range(networks.actions))),
                "verdicts": In(stream.Signature(verdict_layout(networks.arithmetic))),
                "rows": Out(stream.Signature(ROW_WIDTH)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        hidden, actions = self._config.agents.hidden_size, self._config.agents.actions
        place = Signal(range(self._config.agent_result_rows))
        # The streams of a row, what it has of them by its fields, and the first place behind rows of its kind.
        verdict, end = self.verdicts.payload, hidden + actions
        pairs = {"first": self.first.payload, "second": self.second.payload}
        logits = {"logit": self.logits.payload, "value": self.values.payload}
        kinds = (
            (HIDDEN, (self.first, self.second), pairs, hidden),
            (LOGIT, (self.logits, self.values), logits, end),
            (DRAWN, (self.choices,), {"action": self.choices.payload}, end + 1),
            (VERDICT, (self.verdicts,), {"value": verdict.value, "error": verdict.error}, end + 2),
        )
        before = 0
        for record, sources, values, end in kinds:
            row = data.View(record_layout(record), self.rows.payload[: record.width])
            with m.If((place >= before) & (place < end)):
                m.d.comb += self.rows.valid.eq(Cat(source.valid for source in sources).all())
                m.d.comb += [row[name].eq(value) for name, value in values.items()]
                m.d.comb += [source.ready.eq(self.rows.valid & self.rows.ready) for source in sources]
            before = end
        with m.If(self.rows.valid & self.rows.ready):
            m.d.sync += place.eq(Mux(place == self._config.agent_result_rows - 1, 0, place + 1))
        return m
