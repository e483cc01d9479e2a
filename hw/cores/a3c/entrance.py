"""Where agents' requests come in."""

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import record_layout
from ..stream.packet import packet_signature
from .config import A3CConfig
from .ports import activation_write, agent_number, inference_layout
from .records import REQUEST, REWARD_PLACE, row_width
from .rollout_layouts import training_layout, transition_layout

__all__ = ["Entrance"]


class Entrance(ConfiguredComponent):
    """Takes requests, a packet each, while ``serving``: an agent's action and reward go to its rollout, its observation
    to the rows of its activations, and the agent to whoever works on it next.

    A request waits until its agent has been answered. A rollout begins after the agent's training, or with a request
    that restarts it.

    ::

        packets -> request -+-> words of an observation -> inferences
                            |        `-> activations
                            +----------------------------> trainings
                            `-> transitions

    Latency: a cycle from the first row of a request to its transition, a cycle from the last row of an observation to
    its inference, and two cycles from a request without observation to its training. Throughput: a request of n rows in
    n + 2 cycles, one that ends the service in a cycle. Back-pressure: on all streams.

    Parameters
    ----------
    config : A3CConfig

    Members
    -------
    serving : In(1)
        High until ``ended``.
    ended : Out(1)
        A request was taken that ends the service: for one cycle.
    idle : Out(1)
        Every agent has been answered.
    packets : In(stream of rows)
    transitions : Out(stream of transition_layout(config))
        What an agent did and got.
    activations : Out(activation_write(config))
        An observation.
    inferences : Out(stream of inference_layout(config))
    trainings : Out(stream of training_layout(config))
        Rollouts after which nothing follows; the others come to their end in the forward unit.
    ends : Out(agents)
        For each agent whether its rollout ends with the observation that it has given.
    steps : Out(range(config.steps + 1)).array(agents)
        Steps of each agent's rollout so far.
    answered, trained : In(agents)
        An agent has been answered, and trained: for one cycle.
    errors : Out
        ``address_out_of_range``: no such agent or action, or a request that its rollout does not allow: an action
        without an observation, an observation after another or after the last slot, a training without a step, or
        neither observation nor training. ``stream_underflow``, ``stream_overflow``: the packet is shorter or longer
        than its request. The rest of such a packet is dropped, and nobody answers the request.
    """

    def __init__(self, config: A3CConfig):
        flags = ("address_out_of_range", "stream_underflow", "stream_overflow")
        super().__init__(
            config,
            {
                "serving": In(1),
                "ended": Out(1),
                "idle": Out(1),
                "packets": In(packet_signature(row_width(config))),
                "transitions": Out(stream.Signature(transition_layout(config))),
                "activations": Out(activation_write(config)),
                "inferences": Out(stream.Signature(inference_layout(config))),
                "trainings": Out(stream.Signature(training_layout(config))),
                "ends": Out(config.agents),
                "steps": Out(range(config.steps + 1)).array(config.agents),
                "answered": In(config.agents),
                "trained": In(config.agents),
                "errors": Out(data.StructLayout(dict.fromkeys(flags, 1))),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config, packet = self._config, self.packets.payload
        request, reward = Signal(record_layout(REQUEST)), Signal(config.arithmetic.format.width)
        header = data.View(record_layout(REQUEST), packet.data[: REQUEST.width])
        busy, observed = Signal(config.agents), Signal(config.agents)
        agent, taken, whole = Signal(agent_number(config.agents)), Signal(), Signal()
        before, steps, follows, allowed = (
            Signal(range(config.steps + 1)),
            Signal(range(config.steps + 1)),
            Signal(),
            Signal(),
        )
        m.d.comb += [
            agent.eq(request.agent),
            taken.eq(self.packets.valid & self.packets.ready),
            before.eq(Mux(request.restarts, 0, Array(self.steps)[agent])),
            steps.eq(before + request.acts),
            follows.eq(observed.bit_select(agent, 1) & ~request.restarts),
            allowed.eq(self._allows(request, before, follows)),
            self.idle.eq(~busy.any()),
        ]
        m.d.sync += [busy.eq(busy & ~self.answered), observed.eq(observed & ~self.trained)]
        for number, done in enumerate(self.steps):
            with m.If(self.trained[number]):
                m.d.sync += done.eq(0)
        block = Signal(range(max(config.layers[0].blocks, 2)))
        self._show(m, request, reward, agent, before, steps, block)
        with m.FSM(name="request"):
            with m.State("HEADER"):
                m.d.comb += self.packets.ready.eq(self.serving)
                m.d.sync += [
                    request.eq(packet.data),
                    reward.eq(packet.data[REWARD_PLACE:]),
                    whole.eq(packet.last),
                    block.eq(0),
                ]
                with m.If(taken):
                    m.next = "CHECK"
                    with m.If(header.ends):
                        m.d.comb += [self.ended.eq(packet.last), self.errors.stream_overflow.eq(~packet.last)]
                        m.next = "HEADER"
                        with m.If(~packet.last):
                            m.next = "DROP"
            with m.State("CHECK"):
                with m.If(~allowed & ~(busy.bit_select(agent, 1) & (request.agent < config.agents))):
                    m.d.comb += self.errors.address_out_of_range.eq(1)
                    self._drop(m, whole)
                with m.Elif(whole == request.observes):
                    m.d.comb += [self.errors.stream_underflow.eq(whole), self.errors.stream_overflow.eq(~whole)]
                    self._drop(m, whole)
                with m.Elif(~busy.bit_select(agent, 1)):
                    m.d.comb += self.transitions.valid.eq(request.acts)
                    with m.If(self.transitions.ready | ~request.acts):
                        m.next = "ISSUE"
                        with m.If(request.observes):
                            m.next = "OBSERVATION"
            with m.State("OBSERVATION"):
                final = block == config.layers[0].blocks - 1
                m.d.comb += [
                    self.packets.ready.eq(1),
                    self.activations.enable.eq(taken),
                    self.errors.stream_underflow.eq(taken & packet.last & ~final),
                    self.errors.stream_overflow.eq(taken & ~packet.last & final),
                ]
                with m.If(taken):
                    m.d.sync += block.eq(block + 1)
                    with m.If(final != packet.last):
                        self._drop(m, packet.last)
                    with m.Elif(final):
                        m.next = "ISSUE"
            with m.State("ISSUE"):
                m.d.comb += [self.inferences.valid.eq(request.observes), self.trainings.valid.eq(~request.observes)]
                with m.If(Mux(request.observes, self.inferences.ready, self.trainings.ready)):
                    m.d.sync += [
                        busy.bit_select(agent, 1).eq(1),
                        observed.bit_select(agent, 1).eq(request.observes),
                        self.ends.bit_select(agent, 1).eq(request.trains),
                        Array(self.steps)[agent].eq(steps),
                    ]
                    m.next = "HEADER"
            with m.State("DROP"):
                m.d.comb += self.packets.ready.eq(1)
                with m.If(taken & packet.last):
                    m.next = "HEADER"
        return m

    def _allows(self, request, steps, follows):
        """Whether an agent's rollout so far allows the request."""
        config = self._config
        acts = follows & (steps != config.steps) & (request.observes | request.trains)
        begins = request.observes & ~request.trains & ~follows
        known = (request.agent < config.agents) & (request.action < config.actions)
        return known & Mux(request.acts, acts, begins)

    def _drop(self, m, ended):
        """Skips the rest of a packet that has not ended."""
        m.next = "HEADER"
        with m.If(~ended):
            m.next = "DROP"

    def _show(self, m, request, reward, agent, before, steps, block):
        """Drives the payloads of the streams that leave, and the rows of an observation."""
        config, layer, write = self._config, self._config.layers[0], self.activations
        m.d.comb += [
            self.transitions.payload.place.agent.eq(agent),
            self.transitions.payload.place.slot.eq(before),
            self.transitions.payload.action.eq(request.action),
            self.transitions.payload.reward.eq(reward),
            self.inferences.payload.agent.eq(agent),
            self.inferences.payload.slot.eq(steps),
            self.trainings.payload.agent.eq(agent),
            self.trainings.payload.steps.eq(steps),
            write.agent.eq(agent),
            write.address.eq(steps * config.activation_rows + block),
            write.data.eq(self.packets.payload.data),
        ]
        # Places after the last number hold +0.
        with m.If(block == layer.blocks - 1):
            m.d.comb += [
                write.data[lane].eq(0)
                for lane in range(config.width)
                if lane >= layer.inputs - (layer.blocks - 1) * layer.width
            ]
