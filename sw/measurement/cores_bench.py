"""Resources of each core of the catalogue on an FPGA by itself."""

import functools
from collections.abc import Callable
from typing import Any

from ...hw.soc.export.catalogue import catalogue
from ...hw.soc.target.parts import find_part
from .bench import BenchOfPresets, make_row
from .elaboration import elaborate_design
from .tool_cache import synthesise_once

__all__ = ["PARTS", "CoresBench"]

# The first one's LUTs are the row's value; those of the others vary with them.
PARTS = ("xcu50", "lfe5u-85f")


class CoresBench(BenchOfPresets):
    """Rows of the bench: a core in its default configuration, as ``rewardware report NAME --part PART`` counts it.

    A row also has ``resources``: by part how many LUTs, flip-flops, multipliers and block memories.
    """

    system = "cores"

    def ids(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """A figure for each core of the catalogue."""
        return {
            name: functools.partial(self.resources, name) for name, design in catalogue().items() if not design.system
        }

    def resources(self, name: str) -> dict[str, Any]:
        """Resources of a core."""
        design = elaborate_design(name)
        found, told = {}, []
        for part in map(find_part, PARTS):
            # With the options of the report, so that each synthesis is done once.
            total = synthesise_once(design.verilog, name, part.target.name, depth=1, netlist=False).result.total
            found[part.name] = {kind: value for kind, value in total.items() if kind in part.target.units}
            numbers = ", ".join(f"{value:g} {part.target.units[kind]}" for kind, value in found[part.name].items())
            told.append(f"{part.name}: {numbers}")
        unit = find_part(PARTS[0]).target.units["lut"]
        row = make_row(found[PARTS[0]]["lut"], unit, "synthesised", f"Yosys; {'; '.join(told)}")
        return {**row, "resources": found}
