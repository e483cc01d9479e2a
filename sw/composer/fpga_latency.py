"""Latencies and resources on an FPGA, from cycle models.

The replay manager's is that of the RTL (:mod:`..mapping.replay_cycles`); the learner's is equation 4.4 of the source
(:mod:`..mapping.learner_cycles`).
"""

from dataclasses import dataclass

from ...hw.cores.replay.config import SumTreeConfig
from ..mapping.learner_cycles import balanced_unroll_factors, segment_cycles, stage_cycles
from ..mapping.replay_cycles import sample_cycles, update_cycles
from .algorithms import Iteration
from .fields import require_number
from .latency_table import Latency

__all__ = ["CycleModel", "model_cycles"]


@dataclass(frozen=True, kw_only=True)
class CycleModel:
    """What an FPGA is told to be.

    Parameters
    ----------
    frequency : float
        Hertz.
    dsp_per_multiply_accumulate : float
        Of its ``dsp``, for a unit in binary32.
    fanout : int
        Of the sum tree.

    Raises
    ------
    TypeError, ValueError
        No number, or not above 0.
    """

    frequency: float
    dsp_per_multiply_accumulate: float = 2
    fanout: int = 16

    def __post_init__(self):
        require_number("Frequency", self.frequency, positive=True)
        require_number("DSP a multiply-accumulate unit", self.dsp_per_multiply_accumulate, positive=True)


def model_cycles(
    iteration: Iteration, model: CycleModel, dsp: float
) -> tuple[dict[str, Latency], dict[str, dict[str, float]]]:
    """Latencies and resources of each task.

    As in section 4.3.2, the unroll factors are those of the whole learner on the FPGA, whichever part of it is placed
    there. Resources are ``dsp``, and ``ram_bits``: the sum tree, weights, and the activations of two experiences.

    Parameters
    ----------
    iteration : Iteration
    model : CycleModel
    dsp : float
        That the FPGA has.
    """
    groups = iteration.groups
    stages = [(task, products) for task, group in groups.items() for products in group.stages]
    products = [product for _, product in stages]
    factors = balanced_unroll_factors(products, int(dsp / model.dsp_per_multiply_accumulate))
    stage = stage_cycles(products, factors)
    latencies, resources = {}, {}
    for task, group in groups.items():
        units = sum(factor for (owner, _), factor in zip(stages, factors, strict=True) if owner == task)
        latencies[task] = _latency(segment_cycles(stage, 0, group.fill), stage, model)
        resources[task] = {
            "dsp": units * model.dsp_per_multiply_accumulate,
            "ram_bits": 8.0 * (group.weight_bytes + 2 * group.activation_bytes),
        }
    tree = SumTreeConfig(leaves=iteration.workload.leaves, fanout=model.fanout)
    # A request a cycle, behind what a batch takes at any size.
    latencies["sample"] = _latency(sample_cycles(tree, 0), 1, model)
    latencies["update"] = _latency(update_cycles(tree, 0), 1, model)
    nodes = sum(tree.rows(level) * tree.children(level) * tree.sum_width(level) for level in range(tree.depth))
    # Once for both operations.
    resources["sample"] = {"ram_bits": float(nodes + tree.leaves * tree.priority_width)}
    return latencies, resources


def _latency(fixed: int, experience: int, model: CycleModel) -> Latency:
    return Latency(fixed=fixed / model.frequency, experience=experience / model.frequency, origin="cycle model")
