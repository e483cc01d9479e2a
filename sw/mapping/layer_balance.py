"""How many units each layer of a learner gets, so that the slowest stage is as fast as possible."""

from collections.abc import Iterable, Sequence

from ...hw.cores.float.config import FloatLaneConfig
from ...hw.cores.layer.config import BINARY32_LANE, LayerConfig
from ...hw.cores.learner.network_stages import ACTOR, CRITIC, ONLINE_AND_TARGET, NetworkStages
from .layer_pipeline import layer_cycles

__all__ = ["balance_actor_critic", "balance_networks", "balance_units", "least_units"]


def balance_units(
    sizes: Sequence[int],
    budget: int,
    *,
    stages: NetworkStages = ONLINE_AND_TARGET,
    arithmetic: FloatLaneConfig = BINARY32_LANE,
) -> tuple[int, ...]:
    """UF of each layer: the smallest T_stage that the budget allows, and for it the fewest units of each layer.

    Exact. A layer's cycles never grow with its units, so for a given T_stage each layer has a fewest number of units by
    itself; T_stage is one of the finitely many numbers of cycles that some layer can have.

    Parameters
    ----------
    sizes : sequence of int
        Inputs of the network, then outputs of each layer.
    budget : int
        Multiplier and adder pairs of all stages together.
    stages : NetworkStages
        Stages that each layer has.
    arithmetic : FloatLaneConfig
        Arithmetic of all layers.

    Returns
    -------
    tuple of int

    Raises
    ------
    ValueError
        The budget does not suffice for one unit a stage.

    Source
    ------
    Meng's dissertation, equation 4.1.
    """
    (chosen,) = balance_networks([(sizes, stages)], budget, arithmetic=arithmetic)
    return chosen


def balance_actor_critic(
    actor: Sequence[int], critic: Sequence[int], budget: int, *, arithmetic: FloatLaneConfig = BINARY32_LANE
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """UF of each layer of a DDPG learner's networks, as :func:`balance_units`: one T_stage for both.

    Parameters
    ----------
    actor, critic : sequence of int
        Inputs of each network, then outputs of each layer.
    budget : int
        Multiplier and adder pairs of all stages together.
    arithmetic : FloatLaneConfig
        Arithmetic of all layers.

    Raises
    ------
    ValueError
        The budget does not suffice for one unit a stage.
    """
    of_actor, of_critic = balance_networks([(actor, ACTOR), (critic, CRITIC)], budget, arithmetic=arithmetic)
    return of_actor, of_critic


def least_units(networks: Iterable[tuple[Sequence[int], NetworkStages]]) -> int:
    """One for each stage of all layers."""
    return sum(stages.count(index == 0) for sizes, stages in networks for index in range(len(sizes) - 1))


def balance_networks(
    networks: Sequence[tuple[Sequence[int], NetworkStages]],
    budget: int,
    *,
    arithmetic: FloatLaneConfig = BINARY32_LANE,
) -> list[tuple[int, ...]]:
    """UF of each layer of several networks, as :func:`balance_units`: one T_stage for all.

    Parameters
    ----------
    networks : sequence of (sizes, stages)
    budget : int
        Multiplier and adder pairs of all stages together.
    arithmetic : FloatLaneConfig
        Arithmetic of all layers.

    Raises
    ------
    ValueError
        The budget does not suffice for one unit a stage.
    """
    least = least_units(networks)
    if budget < least:
        raise ValueError(f"Budget must be at least one unit for each of {least} stages, not {budget}")
    counts, cycles = [], []
    for sizes, stages in networks:
        for index, (inputs, outputs) in enumerate(zip(sizes[:-1], sizes[1:], strict=True)):
            counts.append(stages.count(index == 0))
            layers = (
                LayerConfig(inputs=inputs, outputs=outputs, units=units, arithmetic=arithmetic)
                for units in range(1, outputs + 1)
            )
            # With 1, 2, ... units.
            cycles.append([layer_cycles(layer, index > 0 or stages.to_inputs > 0) for layer in layers])
    # No stage is faster than the fastest of the layer that is slowest with all its units.
    fastest = max(column[-1] for column in cycles)
    candidates = sorted({count for column in cycles for count in column if count >= fastest})
    for candidate in candidates:
        units = [next(units for units, count in enumerate(column, 1) if count <= candidate) for column in cycles]
        if sum(count * used for count, used in zip(counts, units, strict=True)) <= budget:
            rest = iter(units)
            return [tuple(next(rest) for _ in sizes[1:]) for sizes, _ in networks]
    raise AssertionError("One unit per stage is always a candidate")
