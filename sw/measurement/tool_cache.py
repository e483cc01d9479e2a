"""Synthesis, place and route, each distinct input once: results are kept by their content."""

import dataclasses
from pathlib import Path
from typing import Any

from ...hw.soc.export.placement import USUAL, Algorithms, Placement, place, read_placement
from ...hw.soc.export.synthesis import NETLIST, Synthesis, read_synthesis, synthesise
from ...hw.soc.export.tools import tool_version
from ...hw.soc.target.target import TARGETS
from ...sim.verilator.cache import build_once, content_key

__all__ = ["Placed", "Synthesised", "place_once", "synthesise_once"]


@dataclasses.dataclass(frozen=True)
class Synthesised:
    """A synthesised design and where its files are.

    Parameters
    ----------
    result : Synthesis
    folder : Path
        In the cache.
    """

    result: Synthesis
    folder: Path


@dataclasses.dataclass(frozen=True)
class Placed:
    """A placed design and where its files are.

    Parameters
    ----------
    result : Placement
    folder : Path
        In the cache.
    """

    result: Placement
    folder: Path


def synthesise_once(verilog: str, top: str, target_name: str, **options: Any) -> Synthesised:
    """:func:`synthesise`, or its result from the cache; ``options`` are its keywords."""
    target = TARGETS[target_name]
    key = content_key(
        verilog=verilog,
        top=top,
        target=(target.synthesis, target.preparation),
        options=options,
        version=tool_version("yosys"),
    )
    told = f"synthesising {top} for {target_name}, once"
    folder = build_once("synthesis", key, lambda place: synthesise(verilog, top, target, place, **options), told)
    return Synthesised(read_synthesis(folder, top, target), folder)


def place_once(
    synthesised: Synthesised,
    constraints: str | None = None,
    *,
    tool: str = "nextpnr-ecp5",
    algorithms: Algorithms = USUAL,
    **options: Any,
) -> Placed:
    """:func:`place`, or its result from the cache; ``options`` are its keywords."""
    key = content_key(
        netlist=synthesised.folder.name,
        constraints=constraints,
        options=options,
        algorithms=algorithms.options(tool),
        version=tool_version(tool),
    )

    def build(folder: Path) -> None:
        netlist = synthesised.folder / NETLIST
        place(netlist, folder, constraints=constraints, tool=tool, algorithms=algorithms, **options)

    folder = build_once("placement", key, build, "placing and routing, once")
    return Placed(read_placement(folder), folder)
