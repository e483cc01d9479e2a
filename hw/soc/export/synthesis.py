"""Verilog through Yosys: what each block of a design takes on a family of FPGAs."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..target.target import Resources, Target
from .tools import run_tool

__all__ = ["Block", "Synthesis", "modules_of", "read_synthesis", "synthesise"]

NETLIST = "netlist.json"
_STATISTICS = "statistics.json"


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
        Of one instance, blocks inside it that have a row of their own left out.
    """

    name: str
    instances: int
    resources: Resources


@dataclass(frozen=True, kw_only=True)
class Synthesis:
    """What Yosys made of a design.

    Parameters
    ----------
    target : str
        Name of the family.
    blocks : tuple of Block
    """

    target: str
    blocks: tuple[Block, ...]

    @property
    def total(self) -> Resources:
        """Of the whole design: each kind is synthesised once and counted as often as it stands."""
        total = Resources()
        for block in self.blocks:
            total += block.resources * block.instances
        return total


def modules_of(verilog: str) -> list[str]:
    """Names of the modules in a text of Verilog, in its order."""
    return [name.lstrip("\\") for name in re.findall(r"^module\s+(\\\S+|\w+)", verilog, flags=re.MULTILINE)]


def synthesise(
    verilog: str,
    top: str,
    target: Target,
    folder: Path,
    *,
    depth: int | None = 1,
    options: str = "",
    netlist: bool = False,
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
        # An element of an array is a wire "x[0]" here, Yosys takes it for bit 0 of a wire "x" at the mapping to tables.
        r"rename -hide w:*\[*",
        *(f"setattr -mod -set keep_hierarchy 1 \\{name}" for name in kept),
        *target.preparation,
        f"{target.synthesis.format(top=top)} {options}".rstrip(),
        f"tee -q -o {_STATISTICS} stat -json",
    ]
    if netlist:
        script += ["setattr -mod -unset keep_hierarchy", "flatten", "opt_clean -purge", f"write_json {NETLIST}"]
    (folder / "synthesis.ys").write_text("\n".join(script) + "\n")
    run_tool("yosys", ["-q", "-l", "yosys.txt", "synthesis.ys"], folder, "synthesis.log")


def read_synthesis(folder: Path, top: str, target: Target) -> Synthesis:
    """What :func:`synthesise` left in ``folder``, counted."""
    statistics = json.loads((folder / _STATISTICS).read_text())
    cells = {
        name.lstrip("\\"): module["num_cells_by_type"]
        for name, module in statistics["modules"].items()
        if not name.startswith("$paramod")
    }
    return Synthesis(target=target.name, blocks=tuple(_count(cells, top, target)))


def kept_modules(modules: Sequence[str], top: str, depth: int | None) -> list[str]:
    """Modules that keep their boundary: Amaranth names a module by its path, a replicated unit has its own name."""
    if depth is None:
        return []
    inside = f"{top}."
    return [
        name
        for name in modules
        if ("." not in name and name != top) or (name.startswith(inside) and name.count(".") <= depth)
    ]


def _count(cells: Mapping[str, Mapping[str, int]], top: str, target: Target) -> list[Block]:
    instances = dict.fromkeys(cells, 0)

    def visit(module: str, number: int) -> None:
        instances[module] += number
        for cell, count in cells[module].items():
            if cell.lstrip("\\") in cells:
                visit(cell.lstrip("\\"), number * count)

    visit(top, 1)
    return [
        Block(name=name.removeprefix(f"{top}."), instances=number, resources=target.count(cells[name]))
        for name, number in instances.items()
        if number
    ]
