"""Cycles of a gradient step of the learners in gateware, and how much of their units they use, without running them."""

from dataclasses import dataclass

from ...hw.cores.layer.config import DDPGLearnerConfig, DQNLearnerConfig, LayerConfig, NetworkConfig

__all__ = [
    "ACTOR",
    "CRITIC",
    "ONLINE_AND_TARGET",
    "LearnerConfig",
    "NetworkStages",
    "fill_cycles",
    "layer_cycles",
    "macs",
    "network_stages",
    "learner_stage_cycles",
    "stage_cycles",
    "step_cycles",
    "units",
    "update_cycles",
    "utilisation",
]

LearnerConfig = DQNLearnerConfig | DDPGLearnerConfig


@dataclass(frozen=True, kw_only=True)
class NetworkStages:
    """Stages with units that each layer of a network has; one of them adds up the gradient.

    Parameters
    ----------
    forward, backward : int
        The first layer has no backward stage.
    to_inputs : bool
        But one for the errors at the network's inputs.
    """

    forward: int
    backward: int = 1
    to_inputs: bool = False

    def count(self, first: bool) -> int:
        """Of a layer."""
        return self.forward + 1 + (int(self.to_inputs) if first else self.backward)


ONLINE_AND_TARGET = NetworkStages(forward=2)
ACTOR = ONLINE_AND_TARGET
# At actions that were taken, at the actor's own, and of the target; the actor's errors come through it.
CRITIC = NetworkStages(forward=3, backward=2, to_inputs=True)


def network_stages(config: LearnerConfig) -> list[tuple[NetworkConfig, NetworkStages]]:
    """Networks that are trained, in the order in which a sample goes forward through them."""
    if isinstance(config, DDPGLearnerConfig):
        return [(config.actor, ACTOR), (config.critic, CRITIC)]
    return [(config.network, ONLINE_AND_TARGET)]


def layer_cycles(layer: LayerConfig, backward: bool) -> int:
    """Of the slowest stage of a layer, a sample, with a backward stage or without."""
    return max(layer.forward_cycles, layer.backward_cycles if backward else 0, layer.gradient_cycles)


def stage_cycles(network: NetworkConfig, stages: NetworkStages = ONLINE_AND_TARGET) -> int:
    """T_stage of equation 4.4: cycles of the slowest stage of a network, a sample."""
    return max(layer_cycles(layer, index > 0 or stages.to_inputs) for index, layer in enumerate(network.layers))


def learner_stage_cycles(config: LearnerConfig) -> int:
    """T_stage of a learner: cycles from one sample to the next."""
    loss = config.critic_loss if isinstance(config, DDPGLearnerConfig) else config
    return max(loss.loss_cycles, *(stage_cycles(network, stages) for network, stages in network_stages(config)))


def fill_cycles(config: LearnerConfig) -> int:
    """Of the last sample's way through all stages, one after the other, each in its own time.

    Forward through all layers, back through all but the first one, and into its gradient. Equation 4.4 has three
    stages as slow as the slowest for each layer but one.
    """
    layers = [layer for network, _ in network_stages(config) for layer in network.layers]
    forward = sum(layer.forward_cycles for layer in layers)
    backward = sum(layer.backward_cycles for layer in layers[1:])
    return forward + backward + layers[0].gradient_cycles


def update_cycles(config: LearnerConfig) -> int:
    """Of the optimiser's pass: all layers side by side, a word every so many cycles.

    The latency of a lane, once a step, is not in it.
    """
    words = max(layer.words for network, _ in network_stages(config) for layer in network.layers)
    return words * config.update_interval


def step_cycles(config: LearnerConfig, batch: int) -> int:
    """Of a gradient step: a sample every T_stage cycles, the last one's way, and the update."""
    return learner_stage_cycles(config) * (batch - 1) + fill_cycles(config) + update_cycles(config)


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
    if isinstance(config, DDPGLearnerConfig):
        total += config.actions * config.critic.layers[0].outputs
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
