"""Cycles of a gradient step of the learner in gateware, and how much of its units they use, without running it."""

from ...hw.cores.layer.config import DQNLearnerConfig, LayerConfig, NetworkConfig
from .learner_cycles import learner_cycles

__all__ = [
    "layer_cycles",
    "layer_stages",
    "macs",
    "stage_cycles",
    "step_cycles",
    "units",
    "update_cycles",
    "utilisation",
]


def layer_cycles(layer: LayerConfig, first: bool) -> int:
    """Of the slowest stage of a layer, a sample; nobody needs the errors at the inputs of the first one."""
    backward = 0 if first else layer.backward_cycles
    return max(layer.forward_cycles, backward, layer.gradient_cycles)


def stage_cycles(network: NetworkConfig) -> int:
    """T_stage of equation 4.4: cycles from one sample to the next."""
    return max(layer_cycles(layer, index == 0) for index, layer in enumerate(network.layers))


def update_cycles(config: DQNLearnerConfig) -> int:
    """Of the optimiser's pass: all layers side by side, a word every so many cycles.

    The latency of a lane, once a step, is not in it.
    """
    return max(update.layer.words * update.interval for update in config.updates)


def step_cycles(config: DQNLearnerConfig, batch: int) -> int:
    """Of a gradient step: equation 4.4 of the source, ``T_stage * (batch + 3 * (layers - 1))``, and the update."""
    stage = max(stage_cycles(config.network), config.loss_cycles)
    return learner_cycles(stage, batch, len(config.network.units)) + update_cycles(config)


def layer_stages(first: bool, *, target: bool) -> int:
    """Stages of a layer that have units: forward, gradient, backward but of the first layer, the target's forward."""
    return 2 + int(not first) + int(target)


def units(config: DQNLearnerConfig) -> int:
    """Multiplier and adder pairs of all stages."""
    return sum(layer_stages(index == 0, target=True) * count for index, count in enumerate(config.network.units))


def macs(config: DQNLearnerConfig) -> int:
    """Multiplications and additions that a sample needs, biases included."""
    total = 0
    for index, layer in enumerate(config.network.layers):
        total += 3 * layer.rows * layer.outputs  # forward, forward of the target, gradient
        total += 0 if index == 0 else layer.inputs * layer.outputs
    return total


def utilisation(config: DQNLearnerConfig, batch: int, cycles: int | None = None) -> float:
    """Operations that a gradient step needs over those that the units could have done in its cycles.

    Parameters
    ----------
    config : DQNLearnerConfig
    batch : int
    cycles : int or None
        Of the step; None takes the model's.
    """
    cycles = step_cycles(config, batch) if cycles is None else cycles
    return macs(config) * batch / (units(config) * cycles)
