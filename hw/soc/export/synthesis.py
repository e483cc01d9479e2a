"""Verilog through Yosys: what each block of a design takes on a family of FPGAs."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..target.target import Resources, Target
from .tools import run_tool

__all__ = ["Block", "Synthesis", "modules_of", "ports_of", "read_synthesis", "synthesise"]

NETLIST = "netlist.json"
_STATISTICS = "statistics.json"
_LEVELS = "levels.txt"


@dataclass(frozen=True, kw_only=True)
class Block:
    """One kind of module of a synthesised design.

    Parameters
    ----------
    name : str
        The module, without the name of the top.
    instances : int
        How often it stands in the whole design.
    resources : Resources
        Resources that one instance takes, without the blocks inside it that have a row of their own.
    """

    name: str
    instances: int
    resources: Resources


@dataclass(frozen=True, kw_only=True)
class Synthesis:
    """Report of Yosys on a design.

    Parameters
    ----------
    target : str
        Name of the family.
    blocks : tuple of Block
    levels : int or None
        Cells of logic on the longest path between registers, memories or ports; None where nobody asked.
    """

    target: str
    blocks: tuple[Block, ...]
    levels: int | None = None

    @property
    def total(self) -> Resources:
        """Resources of the whole design: each kind is synthesised once and counted as often as it stands."""
        total = Resources()
        for block in self.blocks:
            total += block.resources * block.instances
        return total


def modules_of(verilog: str) -> list[str]:
    """Names of the modules in a text of Verilog, in its order."""
    return [name.lstrip("\\") for name in re.findall(r"^module\s+(\\\S+|\w+)", verilog, flags=re.MULTILINE)]


def ports_of(verilog: str, module: str) -> list[str]:
    """Names of the ports of a module in a text of Verilog."""
    header = re.search(rf"^module\s+{module}\s*\((.*?)\);$", verilog, re.MULTILINE | re.DOTALL)
    return re.findall(r"[\w$]+", header[1]) if header else []


def synthesise(
    verilog: str,
    top: str,
    target: Target,
    folder: Path,
    *,
    depth: int | None = 1,
    options: str = "",
    netlist: bool = False,
    levels: bool = False,
) -> None:
    """Synthesise a design; :func:`read_synthesis` says what its blocks take.

    Blocks keep their boundary: those at most ``depth`` levels below the top, and each replicated unit, which is
    synthesised once however often it stands. With ``depth`` 0 and no replicated unit the design is flat.

    Parameters
    ----------
    verilog : str
        Complete in one text.
    top : str
        Name of its top module.
    target : Target
        The family.
    folder : Path
        An empty one, for the tool's files.
    depth : int or None
        Levels below the top that have rows of their own. None: no boundary at all, not of replicated units either.
    options : str
        Further options of the family's synthesis command.
    netlist : bool
        Leave a flat netlist for place and route in ``folder``.
    levels : bool
        Find the longest path, which also takes the flat netlist.

    Raises
    ------
    ToolError
        Yosys is missing or refused the design.
    """
    kept = kept_modules(modules_of(verilog), top, depth)
    (folder / "design.v").write_text(verilog)
    script = [
        "read_verilog design.v",
        f"hierarchy -top {top}",
        *(f"setattr -mod -set keep_hierarchy 1 \\{name}" for name in kept),
        *target.preparation,
        f"{target.synthesis.format(top=top)} {options}".rstrip(),
        f"tee -q -o {_STATISTICS} stat -json",
    ]
    if netlist or levels:
        script += ["setattr -mod -unset keep_hierarchy", "flatten", "opt_clean -purge"]
    if netlist:
        script.append(f"write_json {NETLIST}")
    if levels:
        # All wires, but only cells of logic: what is left out ends a path.
        script.append(f"tee -q -o {_LEVELS} ltp w:* {' '.join(f't:{pattern}' for pattern in target.logic)}")
    (folder / "synthesis.ys").write_text("\n".join(script) + "\n")
    run_tool("yosys", ["-q", "-l", "yosys.txt", "synthesis.ys"], folder, "synthesis.log")


def read_synthesis(folder: Path, top: str, target: Target) -> Synthesis:
    """Read and count the netlists that :func:`synthesise` left in ``folder``."""
    statistics = json.loads((folder / _STATISTICS).read_text())
    cells = {
        name.lstrip("\\"): module["num_cells_by_type"]
        for name, module in statistics["modules"].items()
        if not name.startswith("$paramod")
    }
    return Synthesis(target=target.name, blocks=tuple(_count(cells, top, target)), levels=_read_levels(folder))


def _read_levels(folder: Path) -> int | None:
    """The length of the longest path, if it was asked for; 0 of a design without logic."""
    if not (folder / _LEVELS).exists():
        return None
    found = re.search(r"\(length=(-?\d+)\)", (folder / _LEVELS).read_text())
    return max(0, int(found[1])) if found else 0


def kept_modules(modules: Sequence[str], top: str, depth: int | None) -> list[str]:
    """Modules that keep their boundary: replicated units, and modules of few enough steps in the path of their name.

    Memories do not: they belong to what they stand in.
    """
    if depth is None:
        return []
    return [name for name in modules if name != top and not _is_memory(name, top) and _steps(name, top) <= depth]


def _is_memory(name: str, top: str) -> bool:
    return re.fullmatch(rf"{top}_memory_\d+x\d+(_\d+)?", name) is not None


def _steps(name: str, top: str) -> float:
    """Levels below the top; 0 for a replicated unit, more than any depth inside of one."""
    unit, *path = name.split(".")
    return len(path) if unit == top or not path else float("inf")


def _count(cells: Mapping[str, Mapping[str, int]], top: str, target: Target) -> list[Block]:
    instances = dict.fromkeys(cells, 0)

    def visit(module: str, number: int) -> None:
        instances[module] += number
        for cell, count in cells[module].items():
            if cell.lstrip("\\") in cells:
                visit(cell.lstrip("\\"), number * count)

    visit(top, 1)
    return [
        Block(name=re.sub(rf"^{top}[._]", "", name), instances=number, resources=target.count(cells[name]))
        for name, number in instances.items()
        if number
    ]
