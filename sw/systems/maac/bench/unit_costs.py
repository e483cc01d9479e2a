"""Resources of the parts of MAAC's accelerator, by Yosys, for its exploration."""

import dataclasses
from typing import Any

from .....hw.soc.target.target import Resources
from ....mapping.maac.resources import LinearCost, UnitCosts

__all__ = ["measure_costs"]

# Units of the two stages of each kind that are synthesised, and groups and inputs of their layers: memories of 256
# words, and as few groups as layers of fast designs have. With more of them a forward unit takes less, with one more.
UNITS = (4, 8)
GROUPS, INPUTS = 2, 127
# Intervals of the synthesised parameters' optimiser: with 4 units per lane, and two.
INTERVALS = (4, 2)
# Stages that read the weights.
READERS = 3


def measure_costs(family: str) -> UnitCosts:
    """Measure stages, parameters and attention on a family of parts, each synthesised in two sizes, or once.

    Block memories are left out, as :class:`.UnitCosts` has it. A unit is synthesised once however often it stands in a
    stage, so that what is between the two sizes is that of further units.

    Parameters
    ----------
    family : str
        In ``hw/soc/target``.
    """
    from .....hw.cores.attention.attention_backward import AttentionBackward
    from .....hw.cores.attention.attention_forward import AttentionForward
    from .....hw.cores.attention.config import AttentionConfig
    from .....hw.cores.layer.backward_stage import BackwardStage
    from .....hw.cores.layer.forward_stage import ForwardStage
    from .....hw.cores.layer.gradient_stage import GradientStage
    from .....hw.cores.layer.layer_parameters import LayerParameters
    from .....hw.cores.layer.update_stage_config import UpdateStageConfig

    few, many = UNITS
    stages = {"forward": ForwardStage, "backward": BackwardStage, "gradient": GradientStage}
    lines = {
        kind: _line(*(_take(stage(_layer(units)), f"{kind}_stage", family) for units in UNITS))
        for kind, stage in stages.items()
    }
    one_lane, two_lanes, more_units = (
        _take(
            LayerParameters(UpdateStageConfig(layer=_layer(units), interval=interval, target="soft"), READERS),
            "layer_parameters",
            family,
        )
        for units, interval in ((few, INTERVALS[0]), (few, INTERVALS[1]), (many, INTERVALS[0]))
    )
    lane = two_lanes - one_lane
    attention = AttentionConfig(agents=4, heads=4, key_size=32, value_size=32)
    return UnitCosts(
        family=family,
        stages=lines,
        parameters=_line(one_lane - lane, more_units - lane * 2),
        lane=lane,
        attention={
            "forward": _take(AttentionForward(attention), "attention_forward", family),
            "backward": _take(AttentionBackward(attention), "attention_backward", family),
        },
    )


def _layer(units: int) -> Any:
    from .....hw.cores.layer.config import LayerConfig

    return LayerConfig(inputs=INPUTS, outputs=GROUPS * units, units=units, activation="leaky_relu")


def _line(at_few: Resources, at_many: Resources) -> LinearCost:
    """The line through two sizes."""
    few, many = UNITS
    unit = (at_many - at_few) * (1 / (many - few))
    return LinearCost(base=at_few - unit * few, unit=unit)


def _take(unit: Any, name: str, family: str) -> Resources:
    """Resources of a part without its block memories."""
    from .....hw.cores.verilog.emit import emit
    from ....measurement.tool_cache import synthesise_once

    return dataclasses.replace(synthesise_once(emit(unit, name), name, family, depth=0).result.total, bram=0)
