"""A whole learner of a deterministic policy: gradient steps of DDPG."""

from amaranth.hdl import Cat, Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In

from ..graph.backward_graph import BackwardGraph
from ..graph.forward_graph import ForwardGraph
from ..graph.perceptron import perceptron_graph
from ..layer.network_parameters import add_parameters
from ..layer.update_stage import rates_layout
from ..layer.update_stage_config import ARRAY_WIDTH
from ..stream.connect import connect_handshake
from ..stream.ways import fork_stream
from .actor_critic_learner import ActorCriticLearner, to_critic, waiting_samples
from .learner import connect_activations
from .learner_base_config import LearnerCommand
from .learner_config import DDPGLearnerConfig, LearnedNetwork
from .learner_control import LearnerControl

__all__ = ["DDPGLearner", "ddpg_learner_command"]

ddpg_learner_command = data.StructLayout({"kind": LearnerCommand, "array": ARRAY_WIDTH, "network": LearnedNetwork})


class DDPGLearner(ActorCriticLearner):
    """Takes gradient steps of DDPG: actor and critic with all stages, a target network of each with forward stages.

    Three ways of a sample go side by side, each through stages of its own:

    - the critic at the action that was taken; its temporal-difference error goes back into the critic's gradient;
    - the actor, then the critic at the actor's action: the derivative of the actor's loss goes back through the critic
      to the action, and from there into the actor's gradient;
    - the actor's target at the next observation, then the critic's target at that action, for the
      temporal-difference error.

    Gradients are those of the weights before the step. After the last sample of a batch all layers of both networks
    are updated side by side, and each word of the targets after its weights. Commands, one at a time:

    ``STEP``
        A gradient step with the next ``batch`` samples.
    ``LOAD``
        The parameters of an array of one network come in: ``array`` is a place in ``config.arrays``. Gradients are
        not loaded: what comes is taken and forgotten.
    ``STORE``
        The parameters of an array of one network go out.

    An array is layer after layer, row after row, output after output; the biases are the last row of a layer.

    Number format: ``config.actor.arithmetic.format``; for the order of all operations see the stages
    (:class:`.ForwardGraph`, :class:`.BackwardGraph`, :class:`.TemporalDifferenceLoss`, :class:`.UpdateStage`,
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
        For the optimisers; constant while a step is under way.
    tau : In(width)
        How far targets move; constant while a step is under way.
    policy_slope : In(width)
        Derivative of the actor's loss by the critic's value of a sample, -1 / batch; constant while a step is under
        way.
    observations, actions, next_observations : In(stream of width)
        Element 0 of a sample, then 1, and so on.
    transitions : In(stream of ``transition_layout(config.temporal_difference)``)
    priorities : Out(stream of width)
        Magnitude of each sample's temporal-difference error.
    parameters_in, parameters_out : streams of width
        The parameters of arrays.
    errors : Out
        ``nonfinite``: an output of a layer, or a number that is updated in this cycle, is infinite or NaN.

    Source
    ------
    T. P. Lillicrap et al., "Continuous control with deep reinforcement learning", ICLR 2016, algorithm 1; Meng's
    dissertation, section 4.4.2.2.
    """

    def __init__(self, config: DDPGLearnerConfig):
        width = config.actor.arithmetic.format.width
        super().__init__(
            config,
            ddpg_learner_command,
            width,
            {
                "actor_rates": In(rates_layout(config.actor_updates[0])),
                "critic_rates": In(rates_layout(config.critic_updates[0])),
                "tau": In(width),
                "policy_slope": In(width),
                "actions": In(stream.Signature(width)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.control = control = LearnerControl(ddpg_learner_command, networks=2)
        actor_graph = perceptron_graph(config.actor)
        critic_graph = perceptron_graph(config.critic, config.observations, config.actions)
        m.submodules.actor = actor = ForwardGraph(actor_graph, activations=True)
        m.submodules.critic = critic = ForwardGraph(critic_graph, activations=True)
        m.submodules.policy_critic = policy_critic = ForwardGraph(critic_graph, activations=True)
        m.submodules.target_actor = target_actor = ForwardGraph(actor_graph)
        m.submodules.target_critic = target_critic = ForwardGraph(critic_graph)
        self._observe(m, control, actor, critic, policy_critic)
        self._observe_next(m, control, target_actor, target_critic)
        m.submodules.critic_backward = critic_backward = BackwardGraph(critic_graph)
        self._lose(m, critic, target_critic, critic_backward)
        policy_backward, actor_backward = self._actor_backward(m, actor, policy_critic)
        actor_parameters = add_parameters(
            m,
            "actor_parameters",
            config.actor_updates,
            readers=[actor, actor_backward],
            target=target_actor,
            gradients=actor_backward,
        )
        critic_parameters = add_parameters(
            m,
            "critic_parameters",
            config.critic_updates,
            readers=[critic, policy_critic, critic_backward, policy_backward],
            target=target_critic,
            gradients=critic_backward,
        )
        self._forward_commands(m, control)
        self._control(m, control, LearnedNetwork.ACTOR, actor_parameters, actor_backward)
        self._control(m, control, LearnedNetwork.CRITIC, critic_parameters, critic_backward)
        networks = (actor_parameters, critic_parameters)
        nonfinite = [part.errors.nonfinite for part in (actor, critic, policy_critic, target_actor, target_critic)]
        m.d.comb += [
            control.transferred.eq(Cat(part.transferred for part in networks).any()),
            self.errors.nonfinite.eq(Cat(nonfinite, (part.nonfinite for part in networks)).any()),
        ]
        return m

    def _observe(self, m, control, actor, critic, policy_critic):
        """Observations to the actor, and, with an action each, to the critic and to the critic of the policy.

        Observations wait for the actor's action, also for the critic at the other action: so its values come about
        when the target's do.
        """
        waiting = self._to_actor(m, control, "observations", actor)
        taken, drawn = fork_stream(m, "critics", waiting)
        to_critic(m, taken, wiring.flipped(self.actions), critic)
        to_critic(m, drawn, actor.outputs, policy_critic)

    def _observe_next(self, m, control, target_actor, target_critic):
        """Next observations to the actor's target, and with its action to the critic's."""
        waiting = self._to_actor(m, control, "next_observations", target_actor)
        to_critic(m, waiting, target_actor.outputs, target_critic)

    def _actor_backward(self, m, actor, policy_critic):
        """The way of the actor's loss back through the critic, and through the actor."""
        action = policy_critic.config.inputs[1]
        through_critic = BackwardGraph(policy_critic.config, action.name, gradients=False)
        through_actor = BackwardGraph(actor.config, late=waiting_samples(policy_critic))
        m.submodules.policy_backward, m.submodules.actor_backward = through_critic, through_actor
        # Only the presence of the value matters here: the actor's loss is linear in it.
        connect_handshake(m, policy_critic.outputs, through_critic.errors)
        m.d.comb += through_critic.errors.payload.eq(self.policy_slope)
        wiring.connect(m, through_critic.results, through_actor.errors)
        connect_activations(m, policy_critic, through_critic)
        connect_activations(m, actor, through_actor)
        return through_critic, through_actor
