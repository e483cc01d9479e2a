"""A whole learner of a deterministic policy: gradient steps of DDPG."""

from amaranth.hdl import Cat, Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..forwarding import forward_port
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from ..stream.concatenation import StreamConcatenation, StreamTail
from ..stream.fork import StreamFork
from ..stream.join import join_handshake
from .backward_pipeline import BackwardPipeline
from .config import BATCH_WIDTH
from .dqn_loss import DQNLoss
from .forward_pipeline import ForwardPipeline
from .learner_config import DDPGLearnerConfig, LearnedNetwork, LearnerCommand
from .learner_control import LearnerControl
from .network_parameters import add_parameters
from .sample_gate import SampleGate
from .update_stage import rates_layout
from .update_stage_config import ARRAY_WIDTH

__all__ = ["DDPGLearner", "ddpg_learner_command", "ddpg_transition_layout"]

ddpg_learner_command = data.StructLayout({"kind": LearnerCommand, "array": ARRAY_WIDTH, "network": LearnedNetwork})


def ddpg_transition_layout(config: DDPGLearnerConfig):
    """What the critic's loss takes of a sample besides values."""
    return data.StructLayout(dict.fromkeys(("reward", "discount", "weight"), config.actor.arithmetic.format.width))


class DDPGLearner(wiring.Component):
    """Takes gradient steps of DDPG: actor and critic with all stages, a target network of each with forward stages.

    Of a sample go side by side, each through stages of its own:

    - the critic at the action that was taken; its TD error goes back into the critic's gradient;
    - the actor, then the critic at the actor's action: the derivative of the actor's loss goes back through the critic
      to the action, and from there into the actor's gradient;
    - the actor's target at the next observation, then the critic's target at that action, for the TD error.

    Gradients are those of the weights before the step. Behind the last sample of a batch all layers of both networks
    are updated side by side, and each word of the targets behind its weights. Commands, one at a time:

    ``STEP``
        A gradient step with the next ``batch`` samples.
    ``LOAD``
        The numbers of an array of one network come in: ``array`` is a place in ``config.arrays``. Gradients are not
        loaded: their numbers are taken and forgotten.
    ``STORE``
        The numbers of an array of one network go out.

    An array is layer after layer, row after row, output after output; the biases are the last row of a layer.

    Number format: ``config.actor.arithmetic.format``; for the order of all operations see the stages
    (:class:`.ForwardPipeline`, :class:`.BackwardPipeline`, :class:`.DQNLoss`, :class:`.UpdateStage`,
    :class:`.SoftUpdateStage`).

    Throughput: a sample in T_stage cycles, those of the slowest stage of both networks; for a whole step see
    ``sw/mapping/layer_pipeline.py``. Back-pressure: priorities that nobody takes hold a step back.

    Parameters
    ----------
    config : DDPGLearnerConfig

    Members
    -------
    commands : In(stream of ``ddpg_learner_command``)
    completions : Out(stream of 1)
        One for each command that is done; priorities may still wait.
    batch : In(16)
        Samples of a step, at least 1; constant while it is under way.
    actor_rates, critic_rates : In(rates_layout)
        Of the optimisers; constant while a step is under way.
    tau : In(width)
        How far targets move; constant while a step is under way.
    policy_slope : In(width)
        Derivative of the actor's loss by the critic's value of a sample, -1 / batch; constant while a step is under
        way.
    observations, actions, next_observations : In(stream of width)
        Number 0 of a sample, then 1, and so on.
    transitions : In(stream of ``ddpg_transition_layout(config)``)
    priorities : Out(stream of width)
        Magnitude of each sample's TD error.
    numbers_in, numbers_out : streams of width
        Of arrays.
    errors : Out
        ``nonfinite``: an output of a layer, or a number that is updated in this cycle, is infinite or NaN.

    Source
    ------
    T. P. Lillicrap et al., "Continuous control with deep reinforcement learning", ICLR 2016, algorithm 1; Meng's
    dissertation, section 4.4.2.2.
    """

    def __init__(self, config: DDPGLearnerConfig):
        self._config = config
        width = config.actor.arithmetic.format.width
        numbers = stream.Signature(width)
        super().__init__(
            {
                "commands": In(stream.Signature(ddpg_learner_command)),
                "completions": Out(stream.Signature(1)),
                "batch": In(BATCH_WIDTH),
                "actor_rates": In(rates_layout(config.actor_updates[0])),
                "critic_rates": In(rates_layout(config.critic_updates[0])),
                "tau": In(width),
                "policy_slope": In(width),
                "observations": In(numbers),
                "actions": In(numbers),
                "next_observations": In(numbers),
                "transitions": In(stream.Signature(ddpg_transition_layout(config))),
                "priorities": Out(numbers),
                "numbers_in": In(numbers),
                "numbers_out": Out(numbers),
                "errors": Out(data.StructLayout({"nonfinite": 1})),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.control = control = LearnerControl(ddpg_learner_command, networks=2)
        m.submodules.actor = actor = ForwardPipeline(config.actor, activations=True)
        m.submodules.critic = critic = ForwardPipeline(config.critic, activations=True)
        m.submodules.policy_critic = policy_critic = ForwardPipeline(config.critic, activations=True)
        m.submodules.target_actor = target_actor = ForwardPipeline(config.actor)
        m.submodules.target_critic = target_critic = ForwardPipeline(config.critic)

        # Observations wait for the actor's action, for the critic at the other action, too: so its values come about
        # when the target's do.
        observations = self._gate(m, control, "observations")
        waiting = self._to_actor(m, "observations_waiting", observations, actor)
        m.submodules.observations_fork = fork = StreamFork(self.tau.shape(), 2)
        wiring.connect(m, waiting, fork.i)
        self._to_critic(m, "samples", fork.o[0], wiring.flipped(self.actions), critic)
        self._to_critic(m, "policy_samples", fork.o[1], actor.outputs, policy_critic)
        following = self._gate(m, control, "next_observations")
        waiting = self._to_actor(m, "next_observations_waiting", following, target_actor)
        self._to_critic(m, "next_samples", waiting, target_actor.outputs, target_critic)

        critic_backward = self._critic_backward(m, critic, target_critic)
        policy_backward, actor_backward = self._actor_backward(m, actor, policy_critic)

        parameters = {
            LearnedNetwork.ACTOR: add_parameters(
                m,
                "actor_parameters",
                config.actor_updates,
                readers=[actor, actor_backward],
                target=target_actor,
                gradients=actor_backward,
            ),
            LearnedNetwork.CRITIC: add_parameters(
                m,
                "critic_parameters",
                config.critic_updates,
                readers=[critic, policy_critic, critic_backward, policy_backward],
                target=target_critic,
                gradients=critic_backward,
            ),
        }
        for name in ("commands", "completions"):
            forward_port(m, control, self, name)
        m.d.comb += [
            parameters[LearnedNetwork.ACTOR].rates.eq(self.actor_rates),
            parameters[LearnedNetwork.CRITIC].rates.eq(self.critic_rates),
        ]
        for network, backward in zip(LearnedNetwork, (actor_backward, critic_backward), strict=True):
            self._update(m, control, network, parameters[network], backward)
            self._transfer(m, control, network, parameters[network])
        nonfinite = [part.errors.nonfinite for part in (actor, critic, policy_critic, target_actor, target_critic)]
        nonfinite += [part.nonfinite for part in parameters.values()]
        m.d.comb += [
            control.transferred.eq(Cat(part.transferred for part in parameters.values()).any()),
            self.errors.nonfinite.eq(Cat(nonfinite).any()),
        ]
        return m

    def _gate(self, m, control, name):
        """Observations of one batch."""
        m.submodules[f"{name}_gate"] = gate = SampleGate(self._config.actor)
        m.d.comb += [gate.open.eq(control.start_step), gate.batch.eq(self.batch)]
        wiring.connect(m, wiring.flipped(getattr(self, name)), gate.i)
        return gate.o

    def _to_actor(self, m, name, observations, actor):
        """Observations to an actor, and once more to where they wait for its actions."""
        samples = self._config.actor.waiting_samples(0)
        depth = StreamBufferConfig(depth=samples * self._config.observations)
        m.submodules[f"{name}_fork"] = fork = StreamFork(self.tau.shape(), 2)
        m.submodules[name] = waiting = StreamBuffer(self.tau.shape(), depth)
        wiring.connect(m, observations, fork.i)
        wiring.connect(m, fork.o[0], actor.inputs)
        wiring.connect(m, fork.o[1], waiting.i)
        return waiting.o

    def _to_critic(self, m, name, observations, actions, critic):
        """Observations, each with its action behind it, to a critic."""
        both = StreamConcatenation(self.tau.shape(), self._config.observations, self._config.actions)
        m.submodules[name] = both
        wiring.connect(m, observations, both.i[0])
        wiring.connect(m, actions, both.i[1])
        wiring.connect(m, both.o, critic.inputs)

    def _critic_backward(self, m, critic, target_critic):
        """The critic's loss, and its way back."""
        m.submodules.loss = loss = DQNLoss(self._config.critic_loss)
        m.submodules.critic_backward = backward = BackwardPipeline(self._config.critic)
        join_handshake(m, wiring.flipped(self.transitions), loss.transitions)
        for name in ("reward", "discount", "weight"):
            m.d.comb += loss.transitions.payload[name].eq(self.transitions.payload[name])
        wiring.connect(m, critic.outputs, loss.values)
        wiring.connect(m, target_critic.outputs, loss.next_values)
        wiring.connect(m, loss.priorities, wiring.flipped(self.priorities))
        wiring.connect(m, loss.errors, backward.errors)
        _connect_activations(m, critic, backward)
        return backward

    def _actor_backward(self, m, actor, policy_critic):
        """The way of the actor's loss back through the critic, and through the actor."""
        config = self._config
        through_critic = BackwardPipeline(config.critic, to_inputs=True, gradients=False)
        through_actor = BackwardPipeline(config.actor, late=config.critic.waiting_samples(0))
        m.submodules.policy_backward, m.submodules.actor_backward = through_critic, through_actor
        m.submodules.action_errors = errors = StreamTail(self.tau.shape(), config.observations, config.actions)
        # Of a value only that it is there is wanted: the loss is linear in it.
        join_handshake(m, policy_critic.outputs, through_critic.errors)
        m.d.comb += through_critic.errors.payload.eq(self.policy_slope)
        wiring.connect(m, through_critic.results, errors.i)
        wiring.connect(m, errors.o, through_actor.errors)
        _connect_activations(m, policy_critic, through_critic)
        _connect_activations(m, actor, through_actor)
        return through_critic, through_actor

    def _update(self, m, control, network, parameters, backward):
        """The end of a gradient step of a network."""
        m.d.comb += [
            backward.batch.eq(self.batch),
            control.aggregated[network].eq(backward.done),
            parameters.start_update.eq(control.start_update),
            parameters.tau.eq(self.tau),
            control.updated[network].eq(parameters.updated),
        ]

    def _transfer(self, m, control, network, parameters):
        """Numbers of a network to the host, and from it, while it is meant."""
        chosen = control.command.network == network
        m.d.comb += [
            parameters.start_transfer.eq(control.start_transfer & chosen),
            parameters.load.eq(control.command.kind == LearnerCommand.LOAD),
            parameters.array.eq(control.command.array),
            parameters.numbers_in.payload.eq(self.numbers_in.payload),
            parameters.numbers_in.valid.eq(self.numbers_in.valid & chosen),
            parameters.numbers_out.ready.eq(self.numbers_out.ready & chosen),
        ]
        with m.If(chosen):
            m.d.comb += [
                self.numbers_in.ready.eq(parameters.numbers_in.ready),
                self.numbers_out.payload.eq(parameters.numbers_out.payload),
                self.numbers_out.valid.eq(parameters.numbers_out.valid),
            ]


def _connect_activations(m, forward, backward):
    for source, sink in zip(forward.activations, backward.activations, strict=True):
        wiring.connect(m, source, sink)
