"""Rollouts: what agents did and inferred, step by step, and the way back to their errors."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from .config import A3CConfig
from .loss_gradient_unit import step_layout
from .ports import agent_number, error_write, rollout_layout
from .rollout_layouts import policy_layout, training_layout, transition_layout

__all__ = ["ErrorWriter", "RolloutReader", "error_place_layout"]


def error_place_layout(config: A3CConfig):
    """The step whose errors come next, of how many of its agent's rollout."""
    steps = range(config.steps + 1)
    return data.StructLayout({"agent": agent_number(config.agents), "step": steps, "steps": steps})


class RolloutReader(ConfiguredComponent):
    """Keeps transitions and policies of all agents, and reads a rollout from its last step to its first.

    Latency: two cycles from a training to its first step, two more where a state follows. Throughput: a step every two
    cycles, and a cycle more from the last step of a rollout to the next training. Back-pressure: transitions and
    policies are always taken, a training when the steps and places of the one before have been.

    Parameters
    ----------
    config : A3CConfig

    Members
    -------
    transitions : In(stream of transition_layout(config))
    policies : In(stream of policy_layout(config))
    trainings : In(stream of training_layout(config))
        Trainings of agents whose transitions and policies are all there; what belongs to them is not written before
        they are read.
    steps : Out(stream of step_layout(config))
    places : Out(stream of error_place_layout(config))
        Which steps these are, one for each.
    """

    def __init__(self, config: A3CConfig):
        super().__init__(
            config,
            {
                "transitions": In(stream.Signature(transition_layout(config))),
                "policies": In(stream.Signature(policy_layout(config))),
                "trainings": In(stream.Signature(training_layout(config))),
                "steps": Out(stream.Signature(step_layout(config))),
                "places": Out(stream.Signature(error_place_layout(config))),
            },
        )

    def elaborate(self, platform):
        m = Module()
        training = Signal(training_layout(self._config))
        slot, reads = Signal.like(training.steps), Signal()
        transition = self._keep(m, "transitions", self.transitions, training.agent, slot, reads)
        policy = self._keep(m, "policies", self.policies, training.agent, slot, reads)
        begins = Signal()
        following = Signal.like(policy.value)
        given, shown = Signal(), Signal()
        m.d.comb += [
            self.steps.payload.reward.begins.eq(begins),
            self.steps.payload.reward.following.eq(following),
            self.steps.payload.reward.reward.eq(transition.reward),
            self.steps.payload.action.eq(transition.action),
            self.steps.payload.value.eq(policy.value),
            self.steps.payload.probabilities.eq(policy.probabilities),
            self.places.payload.agent.eq(training.agent),
            self.places.payload.step.eq(slot),
            self.places.payload.steps.eq(training.steps),
        ]
        with m.FSM(name="rollout"):
            with m.State("IDLE"):
                m.d.comb += self.trainings.ready.eq(1)
                m.d.sync += [
                    training.eq(self.trainings.payload),
                    begins.eq(1),
                    following.eq(0),
                    slot.eq(self.trainings.payload.steps - ~self.trainings.payload.follows),
                ]
                with m.If(self.trainings.valid):
                    m.next = "READ"
                    with m.If(self.trainings.payload.follows):
                        m.next = "READ FOLLOWING"
            with m.State("READ FOLLOWING"):
                m.d.comb += reads.eq(1)
                m.next = "FOLLOWING"
            with m.State("FOLLOWING"):
                m.d.sync += [following.eq(policy.value), slot.eq(slot - 1)]
                m.next = "READ"
            with m.State("READ"):
                m.d.comb += reads.eq(1)
                m.next = "STEP"
            with m.State("STEP"):
                # Both streams, in any order.
                m.d.comb += [self.steps.valid.eq(~given), self.places.valid.eq(~shown)]
                step_left = given | self.steps.ready
                place_left = shown | self.places.ready
                m.d.sync += [given.eq(step_left & ~place_left), shown.eq(place_left & ~step_left)]
                with m.If(step_left & place_left):
                    m.d.sync += [slot.eq(slot - 1), begins.eq(0)]
                    m.next = "READ"
                    with m.If(slot == 0):
                        m.next = "IDLE"
        return m

    def _keep(self, m, name, values, agent, slot, reads):
        """A memory of an agent's slots that the stream is written to; what was read."""
        shape = values.payload.shape()
        width = len(agent) + len(slot)
        m.submodules[name] = memory = Memory(shape, MemoryConfig(depth=1 << width, hazard="never"))
        place = values.payload.place
        m.d.comb += [
            values.ready.eq(1),
            memory.write.enable.eq(values.valid),
            memory.write.address.eq(Cat(place.slot, place.agent)),
            memory.write.data.eq(values.payload),
            memory.reads[0].enable.eq(reads),
            memory.reads[0].address.eq(Cat(slot, agent)),
        ]
        return memory.reads[0].data


class ErrorWriter(ConfiguredComponent):
    """Writes errors at logits and value to the rows of their agent and step, from the last step of a rollout on.

    Latency: none. Throughput: a row of errors a cycle. Back-pressure: on ``errors`` and ``places``, which wait for each
    other, and for the last step of a rollout on ``rollouts``.

    Parameters
    ----------
    config : A3CConfig

    Members
    -------
    errors : In(stream of ArrayLayout(width, actions + 1))
    places : In(stream of error_place_layout(config))
    rows : Out(error_write(config))
    rollouts : Out(stream of rollout_layout(config))
        Rollouts whose errors have all been written.
    """

    def __init__(self, config: A3CConfig):
        errors = data.ArrayLayout(config.arithmetic.format.width, config.outputs)
        super().__init__(
            config,
            {
                "errors": In(stream.Signature(errors)),
                "places": In(stream.Signature(error_place_layout(config))),
                "rows": Out(error_write(config)),
                "rollouts": Out(stream.Signature(rollout_layout(config))),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config, layer, place = self._config, self._config.layers[-1], self.places.payload
        group, both, moves, last = Signal(range(max(layer.groups, 2))), Signal(), Signal(), Signal()
        m.d.comb += [
            both.eq(self.errors.valid & self.places.valid),
            last.eq(group == layer.groups - 1),
            self.rollouts.valid.eq(both & last & (place.step == 0)),
            self.rollouts.payload.agent.eq(place.agent),
            self.rollouts.payload.steps.eq(place.steps),
            moves.eq(both & (~self.rollouts.valid | self.rollouts.ready)),
            self.errors.ready.eq(moves & last),
            self.places.ready.eq(moves & last),
            self.rows.enable.eq(moves),
            self.rows.agent.eq(place.agent),
            self.rows.address.eq(place.step * config.error_rows + layer.output_row + group),
        ]
        absent = layer.groups * config.width - config.outputs
        numbers = [*self.errors.payload, *(Const(0, config.arithmetic.format.width) for _ in range(absent))]
        for lane, number in enumerate(self.rows.data):
            choices = numbers[lane :: config.width]
            m.d.comb += number.eq(Array(choices)[group] if len(choices) > 1 else choices[0])
        with m.If(moves):
            m.d.sync += group.eq(Mux(last, 0, group + 1))
        return m
