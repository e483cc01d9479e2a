"""How many units each layer of a learner gets, so that the slowest stage is as fast as possible."""

from collections.abc import Sequence

from ...hw.cores.float.config import FloatLaneConfig
from ...hw.cores.layer.config import BINARY32_LANE, LayerConfig
from .layer_pipeline import layer_cycles, layer_stages

__all__ = ["balance_units"]


def balance_units(
    sizes: Sequence[int], budget: int, *, target: bool = True, arithmetic: FloatLaneConfig = BINARY32_LANE
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
    target : bool
        Each layer has a second forward stage, of the target network.
    arithmetic : FloatLaneConfig
        Of all layers.

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
    layers = list(zip(sizes[:-1], sizes[1:], strict=True))
    stages = [layer_stages(index == 0, target=target) for index in range(len(layers))]
    if budget < sum(stages):
        raise ValueError(f"Budget must be at least one unit for each of {sum(stages)} stages, not {budget}")
    # For each layer, its cycles with 1, 2, ... units.
    cycles = [
        [
            layer_cycles(LayerConfig(inputs=inputs, outputs=outputs, units=units, arithmetic=arithmetic), index == 0)
            for units in range(1, outputs + 1)
        ]
        for index, (inputs, outputs) in enumerate(layers)
    ]
    # No stage is faster than the fastest of the layer that is slowest with all its units.
    fastest = max(column[-1] for column in cycles)
    candidates = sorted({count for column in cycles for count in column if count >= fastest})
    for candidate in candidates:
        chosen = tuple(next(units for units, count in enumerate(column, 1) if count <= candidate) for column in cycles)
        if sum(count * units for count, units in zip(stages, chosen, strict=True)) <= budget:
            return chosen
    raise AssertionError("One unit a stage is always a candidate")
