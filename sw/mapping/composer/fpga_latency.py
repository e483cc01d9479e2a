"""Latencies and resources on an FPGA, from the cycle models of the gateware.

The replay manager's is :mod:`..mapping.replay_cycles`, the learner's :mod:`..mapping.layer_pipeline`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ....hw.cores.layer.config import LayerConfig, NetworkConfig
from ....hw.cores.layer.update_stage_config import UpdateStageConfig
from ....hw.cores.learner.network_stages import NetworkStages
from ....hw.cores.replay.config import SumTreeConfig
from ...core.fields import require_number
from ..layer_balance import balance_networks, least_units
from ..layer_pipeline import (
    SegmentCycles,
    backward_segment,
    forward_segment,
    loss_segment,
    pass_cycles,
)
from ..replay_cycles import sample_cycles, update_cycles
from .algorithms import Iteration
from .latency_table import Latency
from .layer_group import LayerGroup, Propagation

__all__ = ["CycleModel", "model_cycles"]

# Stages of each layer that a propagation takes.
STAGES = {
    Propagation.INFERENCE: NetworkStages(forward=1, backward=0, gradients=0),
    Propagation.FORWARD: NetworkStages(forward=1, backward=0, gradients=0),
    Propagation.BACKWARD: NetworkStages(forward=0),
    Propagation.INPUT_GRADIENT: NetworkStages(forward=1, gradients=0, to_inputs=1),
}
NONE = NetworkStages(forward=0, backward=0, gradients=0)
# Multipliers and adders of a loss stage.
LOSS_UNITS = 2


@dataclass(frozen=True, kw_only=True)
class CycleModel:
    """An FPGA as the cycle models take it.

    Parameters
    ----------
    frequency : float
        Hertz.
    dsp_per_multiply_accumulate : float
        How many of its ``dsp`` a unit in binary32 takes.
    fanout : int
        Fanout of the sum tree.

    Raises
    ------
    TypeError, ValueError
        No number, or not above 0.
    """

    frequency: float
    dsp_per_multiply_accumulate: float = 2
    fanout: int = 16

    def __post_init__(self) -> None:
        require_number("Frequency", self.frequency, positive=True)
        require_number("DSP a multiply-accumulate unit", self.dsp_per_multiply_accumulate, positive=True)


def model_cycles(
    iteration: Iteration, model: CycleModel, dsp: float
) -> tuple[dict[str, Latency], dict[str, dict[str, float]]]:
    """Latencies and resources of each task.

    As in section 4.3.2, the unroll factors are those of the whole learner on the FPGA, whichever part of it is placed
    there; with fewer units than stages each has one, and whoever has the budget sees that it is short. A task takes the
    cycles of its own stages: T_stage for each sample, the last one's way, and the optimiser's pass. Resources are
    ``dsp``, and ``ram_bits``: the sum tree, weights, and the activations of two experiences.

    Parameters
    ----------
    iteration : Iteration
    model : CycleModel
    dsp : float
        DSP blocks of the FPGA.
    """
    groups = iteration.groups
    layers = _balanced(groups.values(), int(dsp / model.dsp_per_multiply_accumulate))
    latencies, resources = {}, {}
    for task, group in groups.items():
        cycles, once, units = _cost(group, layers.get(group.sizes, ()))
        latencies[task] = _latency(cycles.batch(0) + once, cycles.stage, model)
        resources[task] = {
            "dsp": units * model.dsp_per_multiply_accumulate,
            "ram_bits": 8.0 * (group.weight_bytes + 2 * group.activation_bytes),
        }
    tree = SumTreeConfig(leaves=iteration.workload.leaves, fanout=model.fanout)
    # A request per cycle, after what a batch of any size takes.
    latencies["sample"] = _latency(sample_cycles(tree, 0), 1, model)
    latencies["update"] = _latency(update_cycles(tree, 0), 1, model)
    nodes = sum(tree.rows(level) * tree.children(level) * tree.sum_width(level) for level in range(tree.depth))
    # Once for both operations.
    resources["sample"] = {"ram_bits": float(nodes + tree.leaves * tree.priority_width)}
    return latencies, resources


def _latency(fixed: int, experience: int, model: CycleModel) -> Latency:
    return Latency(fixed=fixed / model.frequency, experience=experience / model.frequency, origin="cycle model")


def _balanced(groups: Iterable[LayerGroup], budget: int) -> dict[tuple[int, ...], tuple[LayerConfig, ...]]:
    """Layers with their units, by the sizes of a network; networks of the same sizes have the same."""
    networks: dict[tuple[int, ...], NetworkStages] = {}
    for group in groups:
        if group.propagation in STAGES:
            here, more = networks.get(group.sizes, NONE), STAGES[group.propagation]
            networks[group.sizes] = NetworkStages(
                **{name: getattr(here, name) + getattr(more, name) for name in vars(NONE)}
            )
    wanted = list(networks.items())
    chosen = balance_networks(wanted, max(budget, least_units(wanted)))
    return {
        sizes: NetworkConfig(sizes=sizes, units=units).layers for sizes, units in zip(networks, chosen, strict=True)
    }


def _cost(group: LayerGroup, layers: tuple[LayerConfig, ...]) -> tuple[SegmentCycles, int, int]:
    """Cycles of the pipeline, those of the optimiser once a batch, and units."""
    if group.propagation == Propagation.LOSS:
        return loss_segment(group.sizes[-1]), 0, LOSS_UNITS
    stages = STAGES[group.propagation]
    units = sum(stages.count(index == 0) * layer.units for index, layer in enumerate(layers))
    if group.propagation == Propagation.BACKWARD:
        return backward_segment(layers), pass_cycles(UpdateStageConfig(layer=layer) for layer in layers), units
    cycles = forward_segment(layers)
    if group.propagation == Propagation.INPUT_GRADIENT:
        back = backward_segment(layers, to_inputs=True, gradients=False)
        cycles = SegmentCycles(stage=max(cycles.stage, back.stage), fill=cycles.fill + back.fill)
    return cycles, 0, units
