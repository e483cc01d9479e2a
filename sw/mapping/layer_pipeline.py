"""Cycles of learners in gateware, and of their parts, and how much of their units they use, without running them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...hw.cores.layer.config import LayerConfig, NetworkConfig
from ...hw.cores.layer.update_stage_config import UpdateStageConfig
from ...hw.cores.learner.learner_config import DDPGLearnerConfig, DQNLearnerConfig
from ...hw.cores.learner.sac_learner_config import SACLearnerConfig

__all__ = [
    "ACTOR",
    "CRITIC",
    "ONLINE_AND_TARGET",
    "LearnerConfig",
    "NetworkStages",
    "SegmentCycles",
    "backward_segment",
    "equation_cycles",
    "fill_cycles",
    "forward_segment",
    "layer_cycles",
    "learner_stage_cycles",
    "loss_segment",
    "macs",
    "network_stages",
    "pass_cycles",
    "stage_cycles",
    "step_cycles",
    "units",
    "update_cycles",
    "utilisation",
]

LearnerConfig = DQNLearnerConfig | DDPGLearnerConfig | SACLearnerConfig


@dataclass(frozen=True, kw_only=True)
class NetworkStages:
    """Stages with units that each layer of a network has.

    Parameters
    ----------
    forward, backward, gradients : int
        The first layer has no backward stage.
    to_inputs : int
        But these, for the errors at the network's inputs.
    """

    forward: int
    backward: int = 1
    gradients: int = 1
    to_inputs: int = 0

    def count(self, first: bool) -> int:
        """Of a layer."""
        return self.forward + self.gradients + (self.to_inputs if first else self.backward)


ONLINE_AND_TARGET = NetworkStages(forward=2)
# Of SAC, at the next observations in place of a target.
ACTOR = ONLINE_AND_TARGET
# At actions that were taken, at the actor's own, and of the target; the actor's errors come through it.
CRITIC = NetworkStages(forward=3, backward=2, to_inputs=1)


def network_stages(config: LearnerConfig) -> list[tuple[NetworkConfig, NetworkStages]]:
    """Networks that are trained, in the order in which a sample goes forward through them."""
    if isinstance(config, DDPGLearnerConfig):
        return [(config.actor, ACTOR), (config.critic, CRITIC)]
    if isinstance(config, SACLearnerConfig):
        return [(config.actor, ACTOR), (config.critic, CRITIC), (config.critic, CRITIC)]
    return [(config.network, ONLINE_AND_TARGET)]


def layer_cycles(layer: LayerConfig, backward: bool) -> int:
    """Of the slowest stage of a layer, a sample, with a backward stage or without."""
    return max(layer.forward_cycles, layer.backward_cycles if backward else 0, layer.gradient_cycles)


def stage_cycles(network: NetworkConfig, stages: NetworkStages = ONLINE_AND_TARGET) -> int:
    """T_stage of equation 4.4: cycles of the slowest stage of a network, a sample."""
    return max(layer_cycles(layer, index > 0 or stages.to_inputs > 0) for index, layer in enumerate(network.layers))


def learner_stage_cycles(config: LearnerConfig) -> int:
    """T_stage of a learner: cycles from one sample to the next."""
    networks = (stage_cycles(network, stages) for network, stages in network_stages(config))
    # What draws actions, and the gradient of the temperature.
    beside = (
        [config.squashed_gaussian.cycles, stage_cycles(config.temperature)]
        if isinstance(config, SACLearnerConfig)
        else []
    )
    return max(config.temporal_difference.cycles, *networks, *beside)


@dataclass(frozen=True, kw_only=True)
class SegmentCycles:
    """Cycles of stages that a sample goes through one after the other.

    Parameters
    ----------
    stage : int
        From one sample to the next: those of the slowest stage.
    fill : int
        Of a sample's way through all of them, each in its own time.
    """

    stage: int
    fill: int

    def batch(self, samples: int) -> int:
        """Of so many samples: one every T_stage cycles, and the last one's way."""
        return self.stage * (samples - 1) + self.fill


def forward_segment(layers: Sequence[LayerConfig]) -> SegmentCycles:
    """Through the forward stages of layers."""
    cycles = [layer.forward_cycles for layer in layers]
    return SegmentCycles(stage=max(cycles), fill=sum(cycles))


def loss_segment(outputs: int) -> SegmentCycles:
    """Through the loss stage of a network with so many outputs."""
    network = NetworkConfig(sizes=(1, outputs), units=(1,))
    cycles = DQNLearnerConfig(network=network).temporal_difference.cycles
    return SegmentCycles(stage=cycles, fill=cycles)


def backward_segment(
    layers: Sequence[LayerConfig], *, to_inputs: bool = False, gradients: bool = True
) -> SegmentCycles:
    """Back through layers, as :class:`...hw.cores.graph.backward_graph.BackwardGraph` goes.

    Parameters
    ----------
    layers : sequence of LayerConfig
        From the input on.
    to_inputs : bool
        Through the first layer, too.
    gradients : bool
        Into the gradient of each; a sample's way ends where the last of them has it.
    """
    backward = [layer.backward_cycles for layer in layers]
    if not to_inputs:
        backward[0] = 0
    ends = [sum(backward)]
    if gradients:
        ends += [sum(backward[index + 1 :]) + layer.gradient_cycles for index, layer in enumerate(layers)]
    slowest = [*backward, *(layer.gradient_cycles for layer in layers if gradients)]
    return SegmentCycles(stage=max(slowest), fill=max(ends))


def fill_cycles(config: LearnerConfig) -> int:
    """Of the last sample's way through all stages, one after the other, each in its own time.

    Forward through all layers, back through all but the first one, and into its gradient; of DDPG and SAC through actor
    and critic, and back through both.
    """
    if isinstance(config, DDPGLearnerConfig | SACLearnerConfig):
        actor, critic = config.actor.layers, config.critic.layers
        through_critic = backward_segment(critic, to_inputs=True, gradients=False)
        way = [forward_segment(actor), forward_segment(critic), through_critic, backward_segment(actor)]
    else:
        layers = config.network.layers
        way = [forward_segment(layers), backward_segment(layers)]
    return sum(segment.fill for segment in way)


def pass_cycles(updates: Iterable[UpdateStageConfig]) -> int:
    """Of the optimiser's pass: all layers side by side, a word every so many cycles.

    The latency of a lane, once a step, is not in it.
    """
    return max(update.layer.words * update.interval for update in updates)


def update_cycles(config: LearnerConfig) -> int:
    """Of the optimiser's pass over all networks of a learner."""
    if isinstance(config, DDPGLearnerConfig):
        return pass_cycles((*config.actor_updates, *config.critic_updates))
    if isinstance(config, SACLearnerConfig):
        return pass_cycles(update for updates in config.optimizers.values() for update in updates)
    return pass_cycles(config.updates)


def step_cycles(config: LearnerConfig, batch: int) -> int:
    """Of a gradient step: a sample every T_stage cycles, the last one's way, and the update."""
    whole = SegmentCycles(stage=learner_stage_cycles(config), fill=fill_cycles(config))
    return whole.batch(batch) + update_cycles(config)


def equation_cycles(stage: int, batch: int, layers: int) -> int:
    """Of a gradient step by equation 4.4 of Meng's dissertation: T_stage * (BS + 3 (layers - 1)).

    Every stage takes as long as the slowest, and there is no optimiser; :func:`step_cycles` is what the gateware does.
    """
    return stage * (batch + 3 * (layers - 1))


def units(config: LearnerConfig) -> int:
    """Multiplier and adder pairs of all stages."""
    return sum(
        stages.count(index == 0) * count
        for network, stages in network_stages(config)
        for index, count in enumerate(network.units)
    )


def macs(config: LearnerConfig) -> int:
    """Multiplications and additions that a sample needs, biases included.

    Of the errors at a critic's inputs, those at the actions are needed.
    """
    total = 0
    for network, stages in network_stages(config):
        for index, layer in enumerate(network.layers):
            total += (stages.forward + 1) * layer.rows * layer.outputs
            total += stages.backward * layer.inputs * layer.outputs if index else 0
    if isinstance(config, DDPGLearnerConfig | SACLearnerConfig):
        critics = sum(network == config.critic for network, _ in network_stages(config))
        total += critics * config.actions * config.critic.layers[0].outputs
    return total


def utilisation(config: LearnerConfig, batch: int, cycles: int | None = None) -> float:
    """Operations that a gradient step needs over those that the units could have done in its cycles.

    Parameters
    ----------
    config : LearnerConfig
    batch : int
    cycles : int or None
        Of the step; None takes the model's.
    """
    cycles = step_cycles(config, batch) if cycles is None else cycles
    return macs(config) * batch / (units(config) * cycles)
