"""Where answers to agents leave."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import record_layout
from ..stream.packet import packet_signature
from .config import A3CConfig
from .ports import agent_number
from .records import ANSWER, REWARD_PLACE, answer_rows, row_width
from .rollout_layouts import policy_layout

__all__ = ["Exit"]


class Exit(ConfiguredComponent):
    """Answers agents, a packet each: with probabilities and value, or that they are trained, which goes first.

    Latency: none. Throughput: a row a cycle. Back-pressure: on all streams.

    Parameters
    ----------
    config : A3CConfig

    Members
    -------
    policies : In(stream of policy_layout(config))
    updated : In(stream of agent's number)
    packets : Out(stream of rows)
    answered, trained : Out(agents)
        An agent's answer leaves with its last row in this cycle; it says that the agent is trained.
    """

    def __init__(self, config: A3CConfig):
        super().__init__(
            config,
            {
                "policies": In(stream.Signature(policy_layout(config))),
                "updated": In(stream.Signature(agent_number(config.agents))),
                "packets": Out(packet_signature(row_width(config))),
                "answered": Out(config.agents),
                "trained": Out(config.agents),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config, policy, packet = self._config, self.policies.payload, self.packets.payload
        rows, width = answer_rows(config), row_width(config)
        # Offered rows stay, and the rows of an answer follow each other.
        row, begun = Signal(range(max(rows, 2))), Signal()
        header, agent = Signal(record_layout(ANSWER)), Signal(agent_number(config.agents))
        tells, taken, last, answer = Signal(), Signal(), Signal(), Signal(rows * width)
        m.d.sync += begun.eq(self.packets.valid & ~tells & ~(taken & last))
        m.d.comb += [
            tells.eq(self.updated.valid & ~begun),
            agent.eq(Mux(tells, self.updated.payload, policy.place.agent)),
            header.agent.eq(agent),
            header.trained.eq(tells),
            answer[:REWARD_PLACE].eq(header),
            answer[REWARD_PLACE:].eq(Mux(tells, 0, Cat(policy.probabilities.as_value(), policy.value))),
            last.eq(row == rows - 1),
            self.packets.valid.eq(tells | self.policies.valid),
            packet.last.eq(last),
            packet.data.eq(answer.word_select(row, width) if rows > 1 else answer),
            taken.eq(self.packets.valid & self.packets.ready),
            self.updated.ready.eq(taken & last & tells),
            self.policies.ready.eq(taken & last & ~tells),
        ]
        with m.If(taken):
            m.d.sync += row.eq(Mux(last, 0, row + 1))
        with m.If(taken & last):
            m.d.comb += [self.answered.eq(1 << agent), self.trained.eq(Mux(tells, 1 << agent, 0))]
        return m
