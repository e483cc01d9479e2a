"""A whole learner of attentive critics: updates of MAAC."""

from amaranth.hdl import Cat, Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..graph.backward_graph import BackwardGraph
from ..graph.forward_graph import ForwardGraph
from ..layer.network_parameters import add_parameters
from ..layer.update_stage import rates_layout
from ..layer.update_stage_config import ARRAY_WIDTH
from ..stream.connect import connect_field
from ..stream.one_hot import OneHot
from ..stream.ways import buffer_to, fork_stream
from .attentive_critic_loss import AttentiveCriticLoss, outcome_layout, verdict_layout
from .categorical_sampler import CategoricalSampler, draw_layout
from .counterfactual_loss import CounterfactualLoss, advantage_layout
from .learner import Learner, connect_activations
from .learner_base_config import LearnerCommand
from .learner_control import LearnerControl
from .maac_learner_config import MAACLearnerConfig, MAACNetwork

__all__ = ["MAACLearner", "maac_learner_command"]

maac_learner_command = data.StructLayout({"kind": LearnerCommand, "array": ARRAY_WIDTH, "network": MAACNetwork})


class MAACLearner(Learner):
    """Updates critics, and does the forward pass of the policies' update, or all of it, with the critics of before.

    Three ways of an experience go side by side, each through stages of its own:

    - the critics at the actions that were taken; their errors go back into the critics' gradients;
    - the target policies at the next observations, actions drawn from them, then the target critics at these, for the
      errors;
    - the policies, actions drawn from them, then the critics at these: with hidden layers and logits all that the
      policies' backward pass needs.

    Where the host does that pass (``config.policy_backward``), it leaves::

        observations -+-> policy -+-> sampler -+-> one-hot -> policy_critic -> values
                      |           `------------|-----------------------------> first, second, logits
                      |                        `-----------------------------> choices
                      `-> wait -> critic <- one-hot <- action taken
                                    |                                                .-> verdicts
                                    `-> values ----------------------------.         |
        next_observations -+-> target_policy -> sampler -+-> one-hot ---.  +-> loss -+-> backward -> gradients
                           `-> wait -------------------> target_critic -|--'
                                                         probability ---'

    On the device the first way goes on, and nothing but advantages leaves::

        observations -+-> policy ---+---> sampler -+-> one-hot -> policy_critic -> values -.
                      `-> wait -+   |              +-> choices ----------------------------+-> policy_loss -> advantages
                                |   |              `-> probabilities ----------------------'        |
                                |   `-> activations --------------> policy_backward <- errors ------'
                                `-> both critics                           `-> gradients

    A sample is an agent's part of an experience; the agents of an experience follow each other. Gradients are those of
    the weights before the step. After the last sample of a batch all layers of the critics, and on the device of the
    policies, are updated side by side, and each word of the targets after its weights. Commands, one at a time:

    ``STEP``
        An update with the next ``batch`` experiences.
    ``LOAD``
        The parameters of an array of one network come in: ``array`` is a place in those of its optimiser. Gradients are
        not loaded: what comes is taken and forgotten.
    ``STORE``
        The parameters of an array of one network go out.
    ``FOLLOW``
        The target policies follow the policies, which the host has loaded; there is none if the device updates them.

    An array is layer after layer, agent after agent where each has parameters of its own, row after row, output after
    output; the biases are the last row of a layer.

    Number format: ``config.agents.arithmetic.format``; for the order of all operations see the stages
    (:class:`.ForwardGraph`, :class:`.BackwardGraph`, :class:`.CategoricalSampler`, :class:`.AttentiveCriticLoss`,
    :class:`.CounterfactualLoss`, :class:`.UpdateStage`, :class:`.SoftUpdateStage`).

    Throughput: an experience in ``config.experience_cycles`` cycles, those of the slowest stage. Back-pressure: results
    that nobody takes hold a step back.

    Parameters
    ----------
    config : MAACLearnerConfig

    Members
    -------
    commands : In(stream of ``maac_learner_command``)
    completions : Out(stream of 1)
        One for each command that is done; results may still wait.
    batch : In(16)
        Experiences of a step, at least 1, and their samples less than 65536; constant while it is under way.
    critic_rates : In(rates_layout)
        For the optimiser; constant while a step is under way.
    policy_rates : In(rates_layout), on the device
    tau : In(width)
        How far targets move; constant while a step, or a follow, is under way.
    entropy_share, slope : In(width)
        See :class:`.AttentiveCriticLoss`; constant while a step is under way.
    policy_slope : In(width), on the device
        See :class:`.CounterfactualLoss`, ``slope``.
    observations, next_observations : In(stream of width)
        Element 0 of a sample, then 1, and so on.
    draws, next_draws : In(stream of ``draw_layout``)
        Numbers with which actions of the policies, and of the target policies, are drawn.
    outcomes : In(stream of ``outcome_layout``)
    first, second : Out(stream of width), for the host
        Hidden layers of the policies.
    logits, values : Out(stream of width), for the host
        Logits of the policies, and values of all actions while the other agents do what was drawn for them.
    choices : Out(stream of range(actions)), for the host
        Actions that were drawn from the policies.
    advantages : Out(stream of ``advantage_layout``), on the device
    verdicts : Out(stream of ``verdict_layout``)
    parameters_in, parameters_out : streams of width
        The parameters of arrays.
    errors : Out
        ``nonfinite``: an output of a layer, or a number that is updated in this cycle, is infinite or NaN.

    Source
    ------
    S. Iqbal and F. Sha, "Actor-Attention-Critic for Multi-Agent Reinforcement Learning", ICML 2019; S. Wiggins et al.,
    section III-B and figure 4.
    """

    def __init__(self, config: MAACLearnerConfig):
        networks = config.agents
        arithmetic, actions = networks.arithmetic, networks.actions
        width = arithmetic.format.width
        elements, draws = stream.Signature(width), stream.Signature(draw_layout(arithmetic, actions))
        if config.updates_policies:
            of_policies = {
                "policy_rates": In(rates_layout(config.optimizers["policy"][0])),
                "policy_slope": In(width),
                "advantages": Out(stream.Signature(advantage_layout(arithmetic))),
            }
        else:
            of_policies = {
                **{name: Out(elements) for name in ("first", "second", "logits", "values")},
                "choices": Out(stream.Signature(range(actions))),
            }
        super().__init__(
            config,
            maac_learner_command,
            width,
            {
                "critic_rates": In(rates_layout(config.optimizers["critic"][0])),
                "tau": In(width),
                "entropy_share": In(width),
                "slope": In(width),
                "observations": In(elements),
                "next_observations": In(elements),
                "draws": In(draws),
                "next_draws": In(draws),
                "outcomes": In(stream.Signature(outcome_layout(arithmetic, actions))),
                "verdicts": Out(stream.Signature(verdict_layout(arithmetic))),
                **of_policies,
            },
        )

    def elaborate(self, platform):
        m = Module()
        config, networks = self._config, self._config.agents
        m.submodules.control = control = LearnerControl(maac_learner_command, networks=1 + config.updates_policies)
        m.submodules.policy = policy = ForwardGraph(networks.policy, activations=True)
        m.submodules.target_policy = target_policy = ForwardGraph(networks.policy)
        m.submodules.critic = critic = ForwardGraph(networks.critic, activations=True)
        m.submodules.policy_critic = policy_critic = ForwardGraph(networks.critic)
        m.submodules.target_critic = target_critic = ForwardGraph(networks.critic)
        m.submodules.backward = backward = BackwardGraph(networks.critic, late=4)
        m.submodules.loss = loss = AttentiveCriticLoss(networks.arithmetic, networks.actions)
        sampler = self._act(m, control, policy, critic, policy_critic)
        policy_backward = None
        if config.updates_policies:
            m.submodules.policy_backward = policy_backward = BackwardGraph(networks.policy, late=config.policy_late)
            self._learn_policies(m, policy, sampler, policy_critic, policy_backward)
        else:
            self._give_forward_pass(m, policy, sampler, policy_critic)
        self._follow(m, control, target_policy, target_critic, loss)
        self._lose(m, critic, target_critic, loss, backward)
        policy_parameters = add_parameters(
            m,
            "policy_parameters",
            config.optimizers["policy"],
            readers=[policy] if policy_backward is None else [policy, policy_backward],
            target=target_policy,
            gradients=policy_backward,
        )
        critic_parameters = add_parameters(
            m,
            "critic_parameters",
            config.optimizers["critic"],
            readers=[critic, policy_critic, backward],
            target=target_critic,
            gradients=backward,
        )
        self._forward_commands(m, control)
        if policy_backward is None:
            self._end_step(m, control, 0, critic_parameters, backward)
            m.d.comb += [
                policy_parameters.start_update.eq(control.start_follow),
                control.followed.eq(policy_parameters.updated),
            ]
        else:
            self._end_step(m, control, MAACNetwork.CRITIC, critic_parameters, backward)
            self._end_step(m, control, MAACNetwork.POLICY, policy_parameters, policy_backward)
            m.d.comb += policy_parameters.rates.eq(self.policy_rates)
        self._transfer(m, control, MAACNetwork.POLICY, policy_parameters)
        self._transfer(m, control, MAACNetwork.CRITIC, critic_parameters)
        parameters, forward = (policy_parameters, critic_parameters), (policy, critic, policy_critic)
        nonfinite = [part.errors.nonfinite for part in (*forward, target_policy, target_critic)]
        m.d.comb += [
            critic_parameters.rates.eq(self.critic_rates),
            *(part.tau.eq(self.tau) for part in parameters),
            control.transferred.eq(Cat(part.transferred for part in parameters).any()),
            self.errors.nonfinite.eq(Cat(nonfinite, (part.nonfinite for part in parameters)).any()),
        ]
        return m

    def _act(self, m, control, policy, critic, policy_critic):
        """Observations to the policies, and to both critics, which value the actions that are drawn."""
        waiting = self._to_policy(m, control, "observations", policy)
        # Both critics take them at once: values of the actions that were taken come about when the target's do.
        for way, sink in zip(fork_stream(m, "critics", waiting), (critic, policy_critic), strict=True):
            wiring.connect(m, way, sink.inputs[0])
        return self._sample(m, "actions", self.draws, probabilities=self._config.updates_policies)

    def _choose(self, m, sampler, policy_critic):
        """Actions that are drawn to the critic, and once more to where they wait for its values."""
        drawn, waiting = fork_stream(m, "choices", sampler.choices)
        self._to_critic(m, "drawn", drawn, policy_critic)
        return waiting

    def _give_forward_pass(self, m, policy, sampler, policy_critic):
        """All that the host's backward pass of the policies needs leaves."""
        config, networks = self._config, self._config.agents
        later = config.critic_samples
        logits, leaving = fork_stream(m, "logits", policy.outputs)
        wiring.connect(m, logits, sampler.logits)
        buffer_to(m, "logits", leaving, wiring.flipped(self.logits), later * networks.actions)
        choices = self._choose(m, sampler, policy_critic)
        buffer_to(m, "choices", choices, wiring.flipped(self.choices), later, "action")
        wiring.connect(m, policy_critic.outputs, wiring.flipped(self.values))
        for name, numbers in zip(networks.policy.activations, policy.activations, strict=True):
            if hasattr(self, name):
                samples = len(networks.policy.linear) + config.policy_samples + later
                buffer_to(m, name, numbers, wiring.flipped(getattr(self, name)), samples * networks.hidden_size)
            else:
                # The host has the observations.
                m.d.comb += numbers.ready.eq(1)

    def _learn_policies(self, m, policy, sampler, policy_critic, backward):
        """The policies' loss, and its way back."""
        networks, later = self._config.agents, self._config.critic_samples
        m.submodules.policy_loss = loss = CounterfactualLoss(networks.arithmetic, networks.actions)
        wiring.connect(m, policy.outputs, sampler.logits)
        buffer_to(m, "choices", self._choose(m, sampler, policy_critic), loss.choices, later)
        buffer_to(m, "probabilities", sampler.probabilities, loss.probabilities, later * networks.actions)
        wiring.connect(m, policy_critic.outputs, loss.values)
        wiring.connect(m, loss.errors, backward.errors)
        # Advantages must not hold back the loss while the collector waits for the critics' verdicts.
        buffer_to(m, "advantages", loss.advantages, wiring.flipped(self.advantages), later)
        connect_activations(m, policy, backward)
        m.d.comb += [loss.entropy_share.eq(self.entropy_share), loss.slope.eq(self.policy_slope)]

    def _follow(self, m, control, target_policy, target_critic, loss):
        """Next observations to the target policies, and with the actions drawn to the target critics."""
        waiting = self._to_policy(m, control, "next_observations", target_policy)
        wiring.connect(m, waiting, target_critic.inputs[0])
        sampler = self._sample(m, "next_actions", self.next_draws)
        wiring.connect(m, target_policy.outputs, sampler.logits)
        drawn, choices = fork_stream(m, "next_choices", sampler.choices)
        self._to_critic(m, "next_drawn", drawn, target_critic)
        buffer_to(m, "next_choices", choices, loss.choices, self._config.critic_samples)

    def _lose(self, m, critic, target_critic, loss, backward):
        """The critics at the actions that were taken, their loss, and its way back."""
        later = self._config.critic_samples
        taken, outcomes = fork_stream(m, "outcomes", wiring.flipped(self.outcomes))
        self._to_critic(m, "taken", taken, critic)
        buffer_to(m, "outcomes", outcomes, loss.outcomes, later)
        wiring.connect(m, critic.outputs, loss.values)
        wiring.connect(m, target_critic.outputs, loss.next_values)
        wiring.connect(m, loss.errors, backward.errors)
        # A verdict may come before its sample's values. It must not hold back the loss, as the values wait for that.
        buffer_to(m, "verdicts", loss.verdicts, wiring.flipped(self.verdicts), later)
        connect_activations(m, critic, backward)
        m.d.comb += [loss.entropy_share.eq(self.entropy_share), loss.slope.eq(self.slope)]

    def _to_policy(self, m, control, name, policy):
        """Observations to a policy, and once more to where they wait for its actions."""
        config, networks = self._config, self._config.agents
        samples = (self.batch * networks.agents)[: len(self.batch)]
        numbers = self._gate(m, control, name, networks.observations, samples)
        return self._take_twice(m, name, numbers, policy.inputs[0], config.policy_samples * networks.observations)

    def _sample(self, m, name, draws, probabilities=False):
        """Draws actions."""
        networks = self._config.agents
        m.submodules[name] = sampler = CategoricalSampler(networks.arithmetic, networks.actions, probabilities)
        wiring.connect(m, wiring.flipped(draws), sampler.draws)
        return sampler

    def _to_critic(self, m, name, choices, critic):
        """Actions, one-hot, to a critic."""
        networks = self._config.agents
        number_format = networks.arithmetic.format
        m.submodules[name] = one_hot = OneHot(number_format.width, networks.actions)
        connect_field(m, choices, "action", one_hot.places)
        m.d.comb += [one_hot.values.payload.eq(number_format.one), one_hot.values.valid.eq(1)]
        wiring.connect(m, one_hot.o, critic.inputs[1])
