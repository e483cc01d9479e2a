"""How unequal the cores' workloads are where the rows of LearningGroup's largest layer are dealt out."""

from typing import Any

import numpy as np

__all__ = ["deviations_at_random", "deviations_in_training"]

Deviations = dict[str, list[float]]


def deviations_in_training(groups: int, cores: int, *, hidden_size: int, iterations: int, seed: int) -> Deviations:
    """For each iteration of a training run on Predator-Prey and each scheme the largest distance of a core's unmasked
    weights of the hidden state's matrix from an equal part."""
    from ....algorithms.ic3net.flgw import mask
    from ....algorithms.ic3net.ic3net_config import IC3NetConfig
    from ....core.environments.predator_prey_config import LEVELS
    from ..agent import IC3Net

    config = IC3NetConfig(hidden_size=hidden_size, groups=groups, seed=seed)
    agent = IC3Net(LEVELS["easy"], config, backend="blocks")
    workloads = []

    def watch(agent: Any, record: dict[str, Any]) -> None:
        weight = agent.learner.network.layers["hidden"]
        workloads.append(mask(weight.input_grouping, weight.output_grouping).sum(1).numpy())

    try:
        agent.learn(iterations, callback=watch)
    finally:
        agent.close()
    return _deviations(workloads, cores)


def deviations_at_random(groups: int, cores: int, *, shape: tuple[int, int], draws: int, seed: int) -> Deviations:
    """The same of groupings at random of a matrix. One training run is little more than one of them: groups change
    slowly."""
    random, (rows, columns) = np.random.default_rng(seed), shape
    workloads = []
    for _ in range(draws):
        sizes = np.bincount(random.integers(groups, size=columns), minlength=groups)
        workloads.append(sizes[random.integers(groups, size=rows)])
    return _deviations(workloads, cores)


def _deviations(workloads: list[Any], cores: int) -> Deviations:
    """For each scheme, of the workloads of all rows."""
    from ....reference.sparse.load_allocation import deviation, row_based, threshold_based

    schemes = {"row": row_based, "threshold": threshold_based}
    return {name: [deviation(scheme(each, cores)) / cores for each in workloads] for name, scheme in schemes.items()}
