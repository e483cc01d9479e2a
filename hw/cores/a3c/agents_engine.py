"""All units that agents share, and the way of an agent through them."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..forwarding import forward_port
from ..memory.host_map import HostPort
from ..optimizer.rms_prop_config import RATES
from ..stream.arbiter import StreamArbiter, StreamDispatcher
from ..stream.packet import packet_signature
from ..stream.ways import buffer_stream, buffer_to
from .agent_memories import AgentMemories
from .agent_memories_config import AgentMemoriesConfig
from .backward_engine import BackwardEngine
from .config import A3CConfig
from .entrance import Entrance
from .exit import Exit
from .forward_unit import ForwardUnit
from .gradient_unit import GradientUnit
from .host_regions import copies_region, copy_address_width
from .loss_gradient_unit import LossGradientUnit
from .ports import rollout_layout
from .records import row_width
from .rms_prop_unit import RMSPropUnit
from .rollout_layouts import training_layout
from .rollout_reader import ErrorWriter, RolloutReader

__all__ = ["LOSS_RATES", "AgentsEngine"]

LOSS_RATES = ("discount", "entropy", "value_slope")
# The host's, at the optimiser.
CENTRAL_PORTS = ("parameters", "squares")


# Values of a rollout's steps that wait for their errors.
STEPS_WAITING = 16


class AgentsEngine(ConfiguredComponent):
    """Serves agents: infers for them, and trains with their rollouts.

    ::

        packets_in -> Entrance -+- inferences -> ForwardUnit -+- policies -> Exit -> packets_out
                                |                             |               ^
                                `- trainings -> arbiter <-----'               | updated
                                                   |                          |
              RolloutReader -> LossGradientUnit -> ErrorWriter                |
                                                   |                          |
                         BackwardEngines -> updates -> GradientUnit -> RMSPropUnit

    Each agent is at one place of this at a time. It waits for an engine only while all of a kind are busy, in the order
    of arrival; updates follow each other in the order in which agents leave the backward engines.

    Number format: ``config.arithmetic.format``; see the parts, and ``rewardware.sw.reference.a3c``.

    Throughput: that of the slowest kind of engine; see docs/a3c.md. Back-pressure: on both streams of packets.

    Parameters
    ----------
    config : A3CConfig

    Members
    -------
    commands, completions, busy, errors
        See :class:`.EngineSignature`. A command serves up to a request that ends the service, and is complete
        when all agents have been answered. ``address_out_of_range``, ``stream_underflow``, ``stream_overflow``: see
        :class:`~.a3c.entrance.Entrance`. ``nonfinite``: a parameter became infinite or NaN. ``memory_conflict``: two
        parts meant one port of an agent's memory.
    serving : Out(1)
        Packets are this engine's.
    packets_in, packets_out : streams of rows
    discount, entropy, value_slope, decay, one_minus_decay, learning_rate, epsilon : In(width)
        Constant while it serves.
    parameters, squares : In(HostPort)
        The host's access to the central parameters and to RMSProp's mean squares; see :class:`.RMSPropUnit`.
    copies : In(HostPort)
        And to the agents' copies, while none is served; see :func:`.copies_region`.

    Source
    ------
    Ge et al., section 4.1, figure 6.
    """

    def __init__(self, config: A3CConfig):
        self._optimizer = RMSPropUnit(config)
        flags = ("address_out_of_range", "stream_underflow", "stream_overflow", "nonfinite", "memory_conflict")
        width = config.arithmetic.format.width
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(1)),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout(dict.fromkeys(flags, 1))),
                "serving": Out(1),
                "packets_in": In(packet_signature(row_width(config))),
                "packets_out": Out(packet_signature(row_width(config))),
                **dict.fromkeys((*LOSS_RATES, *RATES), In(width)),
                **{name: self._optimizer.signature.members[name] for name in CENTRAL_PORTS},
                "copies": In(HostPort(copies_region(config))),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.memories = memories = AgentMemories(_users(config))
        m.submodules.entrance = entrance = Entrance(config)
        m.submodules.exit = leaving = Exit(config)
        m.submodules.forward = forward = ForwardUnit(config)
        m.submodules.optimizer = optimizer = self._optimizer
        wiring.connect(m, wiring.flipped(self.packets_in), entrance.packets)
        wiring.connect(m, leaving.packets, wiring.flipped(self.packets_out))
        buffer_to(m, "inferences", entrance.inferences, forward.inferences, config.agents + 1)
        trainings = self._policies(m, entrance, forward, leaving)
        writer = self._losses(m, entrance, forward, trainings)
        backward, gradients = self._updates(m, writer, leaving)
        m.d.comb += [
            entrance.answered.eq(leaving.answered),
            entrance.trained.eq(leaving.trained),
            *(self.errors[name].eq(entrance.errors[name]) for name, _ in entrance.errors.shape()),
            self.errors.nonfinite.eq(optimizer.nonfinite),
            self.errors.memory_conflict.eq(memories.conflict),
        ]
        users = {
            "parameters_reads": [*forward.parameters, *(engine.parameters for engine in backward)],
            "parameters_writes": [optimizer.updated],
            "activations_reads": [*forward.activations, gradients.activations],
            "activations_writes": [entrance.activations, *forward.new_activations],
            "signs_reads": [engine.signs for engine in backward],
            "signs_writes": list(forward.new_signs),
            "errors_reads": [*(engine.errors for engine in backward), gradients.errors],
            "errors_writes": [writer.rows, *(engine.new_errors for engine in backward)],
        }
        for name, ports in users.items():
            # The last ones of the parameters are the host's.
            for user, port in zip(ports, list(getattr(memories, name))[: len(ports)], strict=True):
                wiring.connect(m, user, port)
        self._show_copies(m, memories)
        self._serve(m, entrance)
        return m

    def _show_copies(self, m, memories):
        """The host's way to the agents' copies."""
        host, width = self.copies, copy_address_width(self._config)
        read, write = memories.parameters_reads[-1], memories.parameters_writes[-1]
        for port, access in ((read, host.read), (write, host.write)):
            m.d.comb += [
                port.enable.eq(access.enable),
                port.address.eq(access.address[:width]),
                port.agent.eq(access.address[width:]),
            ]
        m.d.comb += [host.read.data.eq(read.data), Value.cast(write.data).eq(host.write.data)]

    def _serve(self, m, entrance):
        """One command after the other."""
        m.d.comb += [entrance.serving.eq(self.serving), self.busy.eq(~self.commands.ready)]
        with m.FSM(name="agents"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                with m.If(self.commands.valid):
                    m.next = "SERVE"
            with m.State("SERVE"):
                m.d.comb += self.serving.eq(1)
                with m.If(entrance.ended):
                    m.next = "ANSWER"
            with m.State("ANSWER"):
                with m.If(entrance.idle):
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"

    def _policies(self, m, entrance, forward, leaving):
        """Policies are answers, or ends of rollouts; rollouts to be trained with."""
        layout = training_layout(self._config)
        m.submodules.trainings = trainings = StreamArbiter(layout, 2)
        wiring.connect(m, entrance.trainings, trainings.i[0])
        policy, ending = forward.policies.payload, trainings.i[1]
        ends = Signal()
        m.d.comb += [
            ends.eq(entrance.ends.bit_select(policy.place.agent, 1)),
            leaving.policies.payload.eq(policy),
            leaving.policies.valid.eq(forward.policies.valid & ~ends),
            ending.payload.agent.eq(policy.place.agent),
            ending.payload.steps.eq(policy.place.slot),
            ending.payload.follows.eq(1),
            ending.valid.eq(forward.policies.valid & ends),
            forward.policies.ready.eq(Mux(ends, ending.ready, leaving.policies.ready)),
        ]
        return buffer_stream(m, "trainings", trainings.o, self._config.agents + 1)

    def _losses(self, m, entrance, forward, trainings):
        """Rollouts to errors at their logits and values."""
        config = self._config
        m.submodules.reader = reader = RolloutReader(config)
        m.submodules.loss = loss = LossGradientUnit(config)
        m.submodules.writer = writer = ErrorWriter(config)
        wiring.connect(m, entrance.transitions, reader.transitions)
        m.d.comb += [
            reader.policies.payload.eq(forward.policies.payload),
            reader.policies.valid.eq(forward.policies.valid & forward.policies.ready),
            *(getattr(loss, name).eq(getattr(self, name)) for name in LOSS_RATES),
        ]
        wiring.connect(m, trainings, reader.trainings)
        wiring.connect(m, reader.steps, loss.steps)
        buffer_to(m, "places", reader.places, writer.places, STEPS_WAITING)
        wiring.connect(m, loss.errors, writer.errors)
        return writer

    def _updates(self, m, writer, leaving):
        """Errors of rollouts to parameters."""
        config, optimizer = self._config, self._optimizer
        layout = rollout_layout(config)
        m.submodules.backward_dispatcher = dispatcher = StreamDispatcher(layout, config.backward_engines)
        m.submodules.backward_done = done = StreamArbiter(layout, config.backward_engines)
        m.submodules.gradients = gradients = GradientUnit(config)
        buffer_to(m, "rollouts", writer.rollouts, dispatcher.i, config.agents + 1)
        engines = [BackwardEngine(config) for _ in range(config.backward_engines)]
        for number, engine in enumerate(engines):
            m.submodules[f"backward_{number}"] = engine
            wiring.connect(m, dispatcher.o[number], engine.jobs)
            wiring.connect(m, engine.done, done.i[number])
        # The queue of agents whose updates follow each other.
        buffer_to(m, "updates", done.o, gradients.jobs, config.agents + 1)
        wiring.connect(m, gradients.gradients, optimizer.gradients)
        wiring.connect(m, optimizer.done, leaving.updated)
        m.d.comb += [optimizer.rates[name].eq(getattr(self, name)) for name in RATES]
        for name in CENTRAL_PORTS:
            forward_port(m, optimizer, self, name)
        return engines, gradients


def _users(config):
    """How many parts use each kind of memory of the agents."""
    return AgentMemoriesConfig(
        a3c=config,
        parameter_readers=config.forward_engines + config.backward_engines + 1,
        parameter_writers=2,
        activation_readers=config.forward_engines + 1,
        activation_writers=config.forward_engines + 1,
        sign_readers=config.backward_engines,
        sign_writers=config.forward_engines,
        error_readers=config.backward_engines + 1,
        error_writers=config.backward_engines + 1,
    )
