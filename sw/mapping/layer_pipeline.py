"""Cycles of learners in gateware, and of their parts, and how much of their units they use, without running them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...hw.cores.layer.config import LayerConfig, NetworkConfig
from ...hw.cores.layer.update_stage_config import UpdateStageConfig
from ...hw.cores.learner.learner_config import PerceptronLearnerConfig
from ...hw.cores.learner.network_stages import ONLINE_AND_TARGET, NetworkStages
from ...hw.cores.learner.temporal_difference_config import TemporalDifferenceConfig

__all__ = [
    "SegmentCycles",
    "backward_segment",
    "equation_cycles",
    "fill_cycles",
    "forward_segment",
    "layer_cycles",
    "learner_stage_cycles",
    "loss_segment",
    "macs",
    "pass_cycles",
    "stage_cycles",
    "step_cycles",
    "units",
    "update_cycles",
    "utilisation",
]


def layer_cycles(layer: LayerConfig, backward: bool) -> int:
    """Cycles per sample of the slowest stage of a layer, with a backward stage or without."""
    return max(layer.forward_cycles, layer.backward_cycles if backward else 0, layer.gradient_cycles)


def stage_cycles(network: NetworkConfig, stages: NetworkStages = ONLINE_AND_TARGET) -> int:
    """T_stage of equation 4.4: cycles of the slowest stage of a network, a sample."""
    return max(layer_cycles(layer, index > 0 or stages.to_inputs > 0) for index, layer in enumerate(network.layers))


def learner_stage_cycles(config: PerceptronLearnerConfig) -> int:
    """T_stage of a learner: cycles from one sample to the next."""
    networks = (stage_cycles(network, stages) for network, stages in config.network_stages)
    return max(config.other_cycles, *networks)


@dataclass(frozen=True, kw_only=True)
class SegmentCycles:
    """Cycles of stages that a sample goes through one after the other.

    Parameters
    ----------
    stage : int
        From one sample to the next: those of the slowest stage.
    fill : int
        Cycles of a sample's way through all of them, each in its own time.
    """

    stage: int
    fill: int

    def batch(self, samples: int) -> int:
        """Cycles of so many samples: one every T_stage cycles, and the last one's way."""
        return self.stage * (samples - 1) + self.fill


def forward_segment(layers: Sequence[LayerConfig]) -> SegmentCycles:
    """Through the forward stages of layers."""
    cycles = [layer.forward_cycles for layer in layers]
    return SegmentCycles(stage=max(cycles), fill=sum(cycles))


def loss_segment(outputs: int) -> SegmentCycles:
    """Through the loss stage of a network with so many outputs."""
    cycles = TemporalDifferenceConfig(values=outputs).cycles
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
        Whether errors also go back through the first layer.
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


def fill_cycles(config: PerceptronLearnerConfig) -> int:
    """Cycles of the last sample's way through all stages, one after the other, each in its own time.

    Forward through all layers, back through all but the first one, and into its gradient; of DDPG and SAC through actor
    and critic, and back through both.
    """
    first, *others = (network.layers for network in config.way)
    way = [forward_segment(first), backward_segment(first)]
    for layers in others:
        way += [forward_segment(layers), backward_segment(layers, to_inputs=True, gradients=False)]
    return sum(segment.fill for segment in way)


def pass_cycles(updates: Iterable[UpdateStageConfig]) -> int:
    """Cycles of the optimiser's pass: all layers in parallel, a word every so many cycles.

    The latency of a lane, once a step, is not in it.
    """
    return max(update.layer.words * update.interval for update in updates)


def update_cycles(config: PerceptronLearnerConfig) -> int:
    """Cycles of the optimiser's pass over all networks of a learner."""
    return pass_cycles(update for updates in config.optimizers.values() for update in updates)


def step_cycles(config: PerceptronLearnerConfig, batch: int) -> int:
    """Cycles of a gradient step: a sample every T_stage cycles, the last one's way, and the update."""
    whole = SegmentCycles(stage=learner_stage_cycles(config), fill=fill_cycles(config))
    return whole.batch(batch) + update_cycles(config)


def equation_cycles(stage: int, batch: int, layers: int) -> int:
    """Cycles of a gradient step by equation 4.4 of Meng's dissertation: T_stage * (BS + 3 (layers - 1)).

    Every stage takes as long as the slowest, and there is no optimiser; :func:`step_cycles` is what the gateware does.
    """
    return stage * (batch + 3 * (layers - 1))


def units(config: PerceptronLearnerConfig) -> int:
    """Multiplier and adder pairs of all stages."""
    return sum(
        stages.count(index == 0) * count
        for network, stages in config.network_stages
        for index, count in enumerate(network.units)
    )


def macs(config: PerceptronLearnerConfig) -> int:
    """Multiplications and additions that a sample needs, biases included.

    At a critic's inputs only the errors at the actions are needed.
    """
    total = 0
    for network, stages in config.network_stages:
        for index, layer in enumerate(network.layers):
            total += (stages.forward + 1) * layer.rows * layer.outputs
            total += stages.backward * layer.inputs * layer.outputs if index else 0
        total += stages.to_inputs * config.actions * network.layers[0].outputs
    return total


def utilisation(config: PerceptronLearnerConfig, batch: int, cycles: int | None = None) -> float:
    """Operations that a gradient step needs over those that the units could have done in its cycles.

    Parameters
    ----------
    config : PerceptronLearnerConfig
    batch : int
    cycles : int or None
        Cycles of the step; None takes the model's.
    """
    cycles = step_cycles(config, batch) if cycles is None else cycles
    return macs(config) * batch / (units(config) * cycles)
