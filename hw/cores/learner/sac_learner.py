"""A whole learner of a policy that draws actions: gradient steps of soft actor-critic."""

from amaranth.hdl import Cat, Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In

from ..graph.backward_graph import BackwardGraph
from ..graph.error_sum import ErrorSum
from ..graph.forward_graph import ForwardGraph
from ..graph.perceptron import perceptron_graph
from ..layer.network_parameters import add_parameters
from ..layer.update_stage import rates_layout
from ..layer.update_stage_config import ARRAY_WIDTH
from ..stream.ways import buffer_stream, fork_stream
from .actor_critic_learner import ActorCriticLearner, to_critic, waiting_samples
from .learner import connect_activations
from .learner_base_config import LearnerCommand
from .learner_control import LearnerControl
from .lesser_value import LesserValue
from .sac_learner_config import SACLearnerConfig, SACNetwork
from .squashed_gaussian import SquashedGaussian
from .squashed_gaussian_derivative import SquashedGaussianDerivative
from .temperature_stage import TemperatureStage
from .twin_critic_loss import TwinCriticLoss

__all__ = ["SACLearner", "sac_learner_command"]

sac_learner_command = data.StructLayout({"kind": LearnerCommand, "array": ARRAY_WIDTH, "network": SACNetwork})


class SACLearner(ActorCriticLearner):
    """Takes gradient steps of soft actor-critic: actor and two critics with all stages, targets with forward stages.

    The actor also has forward stages at the next observation, in place of a target. Three ways of a sample go side by
    side, each through stages of its own:

    - both critics at the action that was taken; their temporal-difference errors go back into their gradients;
    - the actor, and of its outputs an action that is drawn (:class:`.SquashedGaussian`), then both critics at this
      action: the derivative of the actor's loss goes back through the critic of the lesser value to the action, from
      there to the actor's outputs (:class:`.SquashedGaussianDerivative`), and into its gradient;
    - the actor at the next observation, an action that is drawn there, then both target critics, for the
      temporal-difference errors (:class:`.TwinCriticLoss`).

    ::

        observations -+-> actor ---> SquashedGaussian -+-> critics ---> LesserValue ---> back through the critics -.
                      |                 |     ^        |                                                           |
                      |                 |   noises     `-> drawn ----> SquashedGaussianDerivative <----------------'
                      |                 |                                 `---> back through the actor
                      |                 `-> density ---> TemperatureStage ---> gradient of the temperature
                      `-> with the actions taken ---> critics ---> TwinCriticLoss ---> back through the critics
        next_observations ---> actor ---> SquashedGaussian ---> target critics -^
                                            ^ next_noises

    The temperature is the exponential of a weight, that of a network with nothing else. Gradients are those of the
    weights before the step. After the last sample of a batch all layers of all networks are updated side by side, and
    each word of the targets after its weights. Commands, one at a time:

    ``STEP``
        A gradient step with the next ``batch`` samples.
    ``LOAD``
        The parameters of an array of one network come in: ``array`` is a place in the ``arrays`` of its
        ``config.optimizers``. Gradients are not loaded: what comes is taken and forgotten.
    ``STORE``
        The parameters of an array of one network go out.

    An array is layer after layer, row after row, output after output; the biases are the last row of a layer.

    Number format: ``config.actor.arithmetic.format``; for the order of all operations see the stages
    (:class:`.ForwardGraph`, :class:`.BackwardGraph`, :class:`.UpdateStage`, :class:`.SoftUpdateStage` and those above).

    Throughput: a sample in T_stage cycles, those of the slowest stage of all; for a whole step see
    ``sw/mapping/layer_pipeline.py``. Back-pressure: priorities that nobody takes hold a step back.

    Parameters
    ----------
    config : SACLearnerConfig

    Members
    -------
    commands : In(stream of ``sac_learner_command``)
    completions : Out(stream of 1)
        One for each command that is done; priorities may still wait.
    batch : In(16)
        Samples of a step, at least 1; constant while it is under way.
    actor_rates, critic_1_rates, critic_2_rates, temperature_rates : In(rates_layout)
        For the optimisers; constant while a step is under way.
    tau : In(width)
        How far targets move; constant while a step is under way.
    policy_slope : In(width)
        Derivative of the actor's loss by the lesser value of a sample, -1 / batch; constant while a step is under way.
    target_entropy : In(width)
        Entropy that the temperature is learned for; constant while a step is under way.
    observations, actions, next_observations : In(stream of width)
        Element 0 of a sample, then 1, and so on.
    noises, next_noises : In(stream of width)
        Standard normal numbers, one for each element of the action that is drawn at an observation, and at the next.
    transitions : In(stream of ``transition_layout(config.temporal_difference)``)
    priorities : Out(stream of width)
        Mean magnitude of both temporal-difference errors of each sample.
    parameters_in, parameters_out : streams of width
        The parameters of arrays.
    errors : Out
        ``nonfinite``: an output of a layer, or a number that is updated in this cycle, is infinite or NaN.

    Source
    ------
    T. Haarnoja et al., "Soft actor-critic algorithms and applications", 2019, algorithm 1. Not in the source: the
    gradient of the actor is that at the critics before their step.
    """

    def __init__(self, config: SACLearnerConfig):
        width = config.actor.arithmetic.format.width
        elements = stream.Signature(width)
        rates = {f"{name}_rates": In(rates_layout(updates[0])) for name, updates in config.optimizers.items()}
        settings = {name: In(width) for name in ("tau", "policy_slope", "target_entropy")}
        samples = {name: In(elements) for name in ("actions", "noises", "next_noises")}
        super().__init__(config, sac_learner_command, width, {**rates, **settings, **samples})
        self._actor_graph = perceptron_graph(config.actor)
        self._critic_graph = perceptron_graph(config.critic, config.observations, config.actions)
        self._drawing = SquashedGaussian(config.squashed_gaussian, derivable=True)
        self._next_drawing = SquashedGaussian(config.squashed_gaussian)
        self._derivative = SquashedGaussianDerivative(config.squashed_gaussian)
        self._loss = TwinCriticLoss(config.temporal_difference)

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.control = control = LearnerControl(sac_learner_command, networks=len(SACNetwork))
        (layer,) = config.temperature.layers
        m.submodules.temperature = temperature = TemperatureStage(layer)
        m.d.comb += [
            temperature.start.eq(control.start_step),
            temperature.policy_slope.eq(self.policy_slope),
            temperature.target_entropy.eq(self.target_entropy),
        ]
        actor = self._add_forward(m, "actor", self._actor_graph)
        critics, policy_critics = (
            [self._add_forward(m, f"{name}_{index}", self._critic_graph) for index in (1, 2)]
            for name in ("critic", "policy_critic")
        )
        m.submodules.next_actor = next_actor = ForwardGraph(self._actor_graph)
        target_critics = [ForwardGraph(self._critic_graph) for _ in range(2)]
        m.submodules.target_critic_1, m.submodules.target_critic_2 = target_critics
        self._observe(m, control, temperature, actor, critics, policy_critics)
        log_densities = self._observe_next(m, control, temperature, next_actor, target_critics)
        critics_backward = self._critics_backward(m, temperature, critics, target_critics, log_densities)
        actor_backward, through_critics = self._actor_backward(m, temperature, actor, policy_critics)
        temperature_backward = self._temperature_backward(m, temperature)

        # Each network has readers of its weights, a part with its gradients, and its target.
        parts: list[tuple] = [([actor, next_actor, actor_backward], actor_backward, None)]
        ways = zip(critics, policy_critics, critics_backward, through_critics, strict=True)
        for (*reading, backward, through), target in zip(ways, target_critics, strict=True):
            parts.append(([*reading, backward, through], backward, target))
        parts.append(([temperature], temperature_backward, None))
        networks = []
        for network, (reading, backward, target) in zip(SACNetwork, parts, strict=True):
            name = network.name.lower()
            networks.append(
                add_parameters(
                    m,
                    f"{name}_parameters",
                    config.optimizers[name],
                    readers=reading,
                    gradients=backward,
                    target=target,
                )
            )
            self._control(m, control, network, networks[-1], backward)
        self._forward_commands(m, control)
        forward = (actor, next_actor, *critics, *policy_critics, *target_critics)
        m.d.comb += [
            control.transferred.eq(Cat(part.transferred for part in networks).any()),
            self.errors.nonfinite.eq(
                Cat((part.errors.nonfinite for part in forward), (part.nonfinite for part in networks)).any()
            ),
        ]
        return m

    def _samples(self, latency):
        """Samples that come in so many cycles, at least one."""
        stages = (self._actor_graph.cycles, self._critic_graph.cycles, self._config.squashed_gaussian.cycles)
        return 1 + latency // max(stages)

    def _add_forward(self, m, name, graph):
        m.submodules[name] = forward = ForwardGraph(graph, activations=True)
        return forward

    def _draw(self, m, name, drawing, actor, noises):
        """Actions that are drawn of an actor's outputs, for two critics."""
        m.submodules[name] = drawing
        wiring.connect(m, actor.outputs, drawing.outputs)
        wiring.connect(m, wiring.flipped(noises), drawing.noises)
        return fork_stream(m, f"{name}_actions", drawing.actions)

    def _observe(self, m, control, temperature, actor, critics, policy_critics):
        """Observations to the actor, and, with an action each, to the critics and to those of the policy.

        Observations wait for the action that is drawn, also for the critics at the other action: so their values come
        about when the targets' do.
        """
        drawing = self._drawing
        more = self._samples(drawing.action_latency)
        waiting = self._to_actor(m, control, "observations", actor, more, temperature.ready)
        drawn = self._draw(m, "drawing", drawing, actor, self.noises)
        taken = fork_stream(m, "actions", wiring.flipped(self.actions))
        ways = fork_stream(m, "critics", waiting, 4)
        for observation, action, critic in zip(ways, (*taken, *drawn), (*critics, *policy_critics), strict=True):
            to_critic(m, observation, action, critic)

    def _observe_next(self, m, control, temperature, actor, critics):
        """Next observations to the actor, and with the actions that are drawn to the target critics.

        Returns the logarithms of the actions' densities, which wait for the values.
        """
        drawing = self._next_drawing
        more = self._samples(drawing.action_latency)
        waiting = self._to_actor(m, control, "next_observations", actor, more, temperature.ready)
        actions = self._draw(m, "next_drawing", drawing, actor, self.next_noises)
        for observation, action, critic in zip(
            fork_stream(m, "target_critics", waiting), actions, critics, strict=True
        ):
            to_critic(m, observation, action, critic)
        return buffer_stream(m, "next_log_densities", drawing.log_densities, waiting_samples(critics[0]))

    def _critics_backward(self, m, temperature, critics, target_critics, log_densities):
        """The losses of the critics, and their ways back."""
        m.submodules.loss = loss = self._loss
        m.d.comb += loss.temperature.eq(temperature.temperature)
        wiring.connect(m, wiring.flipped(self.transitions), loss.transitions)
        wiring.connect(m, log_densities, loss.log_densities)
        wiring.connect(m, loss.priorities, wiring.flipped(self.priorities))
        # A density may come later than the values at its action.
        late = self._samples(self._next_drawing.density_latency + loss.latency)
        found = []
        for index, (critic, target) in enumerate(zip(critics, target_critics, strict=True)):
            m.submodules[f"critic_{index + 1}_backward"] = backward = BackwardGraph(critic.config, late=late)
            wiring.connect(m, critic.outputs, loss.values[index])
            wiring.connect(m, target.outputs, loss.next_values[index])
            wiring.connect(m, loss.errors[index], backward.errors)
            connect_activations(m, critic, backward)
            found.append(backward)
        return found

    def _actor_backward(self, m, temperature, actor, policy_critics):
        """The way of the actor's loss back through the actor, and before that through the critics."""
        arithmetic = self._config.actor.arithmetic
        m.submodules.lesser_value = lesser = LesserValue(arithmetic)
        m.submodules.action_errors = errors = ErrorSum(arithmetic)
        m.submodules.derivative = derivative = self._derivative
        m.d.comb += [
            lesser.slope.eq(self.policy_slope),
            derivative.entropy_slope.eq(temperature.entropy_slope),
        ]
        through_critics = []
        for index, critic in enumerate(policy_critics):
            action = critic.config.inputs[1]
            back = BackwardGraph(critic.config, action.name, gradients=False)
            m.submodules[f"policy_critic_{index + 1}_backward"] = back
            wiring.connect(m, critic.outputs, lesser.values[index])
            wiring.connect(m, lesser.errors[index], back.errors)
            wiring.connect(m, back.results, errors.i[index])
            connect_activations(m, critic, back)
            through_critics.append(back)
        wiring.connect(m, errors.o, derivative.errors)
        # Drawn actions and the actor's activations wait while samples go through the critics.
        late = waiting_samples(policy_critics[0]) + self._samples(errors.latency + derivative.latency)
        drawn = buffer_stream(m, "drawn", self._drawing.drawn, (late + 1) * self._config.actions)
        wiring.connect(m, drawn, derivative.drawn)
        late += self._samples(self._drawing.action_latency)
        m.submodules.actor_backward = through_actor = BackwardGraph(actor.config, late=late)
        wiring.connect(m, derivative.results, through_actor.errors)
        connect_activations(m, actor, through_actor)
        return through_actor, through_critics

    def _temperature_backward(self, m, temperature):
        """The gradient of the temperature's logarithm."""
        graph = perceptron_graph(self._config.temperature)
        m.submodules.temperature_backward = backward = BackwardGraph(graph)
        wiring.connect(m, self._drawing.log_densities, temperature.log_densities)
        wiring.connect(m, temperature.errors, backward.errors)
        # The input of its layer is 1, whatever the sample.
        m.d.comb += [
            backward.activations[0].payload.eq(graph.arithmetic.format.one),
            backward.activations[0].valid.eq(1),
        ]
        return backward
