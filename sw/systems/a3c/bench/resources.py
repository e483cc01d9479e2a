"""Rows of the bench about what the device takes on the paper's part."""

import functools
from typing import Any

from .....hw.soc.target.parts import find_part
from ....measurement.bench import make_row
from .rates import PRESET

__all__ = ["device_resource"]

PART = "xc7vx485t"
# The paper's table 3.
PAPER = {"dsp": 689, "lut": 228_475}


@functools.cache
def _synthesised(preset: str) -> Any:
    """Resources of all blocks; each kind is synthesised once."""
    from ....measurement.elaboration import elaborate_design
    from ....measurement.tool_cache import synthesise_once

    design = elaborate_design("a3c", preset)
    # As `rewardware report` does it, so that the cache has it once.
    return synthesise_once(design.verilog, design.name, find_part(PART).target.name, depth=1, netlist=False).result


def device_resource(resource: str, preset: str = PRESET) -> dict[str, Any]:
    """A resource of the whole device."""
    part, total = find_part(PART), _synthesised(preset).total
    how = (
        f"Yosys, synth_xilinx -family {part.target.name}: the whole device of preset {preset} within its AXI top, "
        f"{part.share(total)[resource]:.1f} % of {part.name}"
    )
    value = round(getattr(total, resource))
    return make_row(value, part.target.units[resource], "synthesised", how, PAPER[resource])
