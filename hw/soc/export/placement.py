"""Place and route on ECP5 and iCE40: the clock that a design reaches, and what a bitstream is made of."""

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .tools import run_tool

__all__ = [
    "CONFIGURATION",
    "PLACERS",
    "ROUTERS",
    "USUAL",
    "Algorithms",
    "CriticalPath",
    "Placement",
    "place",
    "read_placement",
]

# The file of which the packing tool makes the bitstream.
CONFIGURATION = "design.config"
# The analytic placer (heap) puts multipliers at the far ends of their rows, away from what they work with: no router
# found all the long wires along those rows of FIXAR. The other one aims at 70 % of the LUTs and does not finish where a
# design takes 90 %.
PLACERS = ("static", "heap")
# The first goes wire by wire, and stalls where a part is full. The second one settles the conflicts of all wires
# together, in minutes; some hundreds stayed where a part was full, and thousands after `heap`.
ROUTERS = ("router1", "router2")
# When router1 has routed all wires, it routes those again whose paths miss the clock or just meet it, fifty times at
# most; without such paths the result is as without it. FIXAR's seed 2 went from 76.35 to 84.88 MHz in the same seven
# minutes; of MCTS's seed 1 a few slow wires took tens of thousands of others with them.
_TIMING_RIPUP = "--tmg-ripup"
# The part of a design that is no board's: a ULX3S has it.
_PART = ("--85k", "--package", "CABGA381", "--speed", "6")


@dataclass(frozen=True)
class _Family:
    """Options by which one nextpnr takes constraints and gives the configuration, and its usual placer."""

    constraints: str
    configuration: str
    placer: str


_FAMILIES = {
    "nextpnr-ecp5": _Family("--lpf", "--textcfg", "static"),
    "nextpnr-ice40": _Family("--pcf", "--asc", "heap"),
}
_NETLIST = "input.json"
_REPORT = "report.json"


@dataclass(frozen=True, kw_only=True)
class Algorithms:
    """How nextpnr places and routes a design.

    Parameters
    ----------
    placer : str or None
        One of ``PLACERS``; ``None``: the family's usual one.
    router : str or None
        One of ``ROUTERS``; ``None``: ``router1``.
    timing_ripup : bool
        Route the wires of paths again that are too slow for the clock.
    """

    placer: str | None = None
    router: str | None = None
    timing_ripup: bool = False

    def options(self, tool: str) -> tuple[str, ...]:
        """Options of one of the family's tools, ``nextpnr-ecp5`` or ``nextpnr-ice40``."""
        chosen = "--placer", self.placer or _FAMILIES[tool].placer, "--router", self.router or ROUTERS[0]
        return (*chosen, _TIMING_RIPUP) if self.timing_ripup else chosen


# The family's placer, router1, and no wire routed again.
USUAL = Algorithms()


@dataclass(frozen=True, kw_only=True)
class CriticalPath:
    """The slowest path of a clock.

    Parameters
    ----------
    start, end : str
        The cells at its ends.
    delay : float
        Nanoseconds, clock-to-output and set-up included.
    levels : int
        Cells between the ends.
    through : tuple of str
        Cells on the path that take longer than a nanosecond: multipliers, long carries.
    """

    start: str
    end: str
    delay: float
    levels: int
    through: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Placement:
    """Report of nextpnr on a placed and routed design.

    Parameters
    ----------
    frequency : float or None
        Highest clock of the design in MHz: that of the slowest of its clocks. None without a clock.
    clocks : dict
        The highest frequency of each clock, MHz.
    utilization : dict
        For each kind of cell (used, available).
    critical_path : CriticalPath or None
        The slowest path between registers of one clock.
    """

    frequency: float | None
    clocks: dict[str, float]
    utilization: dict[str, tuple[int, int]]
    critical_path: CriticalPath | None


def place(
    netlist: Path,
    folder: Path,
    *,
    tool: str = "nextpnr-ecp5",
    part: Sequence[str] = _PART,
    frequency: float = 50.0,
    constraints: str | None = None,
    seed: int = 1,
    algorithms: Algorithms = USUAL,
) -> None:
    """Place and route a netlist; :func:`read_placement` says what came of it.

    Without constraints the design is a unit of a larger one: its ports get no pins and its clock is taken for what
    lies between registers.

    Parameters
    ----------
    netlist : Path
        The one of :func:`~.synthesis.synthesise`.
    folder : Path
        An empty one, for the tool's files.
    tool : str
        ``nextpnr-ecp5`` or ``nextpnr-ice40``.
    part : sequence of str
        Its options that name device, package and speed grade.
    frequency : float
        MHz to aim at.
    constraints : str or None
        Text of the family's file: pins, and clocks.
    seed : int
        Seed of the placer.
    algorithms : Algorithms

    Raises
    ------
    ToolError
        nextpnr is missing, or the design does not fit.
    """
    arguments = [*part, "--freq", f"{frequency:g}", *algorithms.options(tool)]
    arguments += ["--seed", str(seed), "--timing-allow-fail", "--json", _NETLIST, "--report", _REPORT]
    if constraints is None:
        arguments += ["--out-of-context"]
    else:
        (folder / "constraints.txt").write_text(constraints)
        family = _FAMILIES[tool]
        arguments += [family.constraints, "constraints.txt", family.configuration, CONFIGURATION]
    # A copy, for the tool sees its own folder alone where it runs in a sandbox.
    shutil.copyfile(netlist, folder / _NETLIST)
    run_tool(tool, [*arguments, "-q", "-l", "placement.txt"], folder, "placement.log")
    (folder / _NETLIST).unlink()


def read_placement(folder: Path) -> Placement:
    """Read the report that :func:`place` left in ``folder``."""
    report = json.loads((folder / _REPORT).read_text())
    clocks = {_plain(name): entry["achieved"] for name, entry in report["fmax"].items()}
    return Placement(
        frequency=min(clocks.values()) if clocks else None,
        clocks=clocks,
        utilization={name: (entry["used"], entry["available"]) for name, entry in report["utilization"].items()},
        critical_path=_critical_path(report),
    )


def _plain(name: str) -> str:
    return re.sub(r"^\$glbnet\$", "", name)


def _critical_path(report: dict) -> CriticalPath | None:
    """The slowest path from a clock edge to the next one of the same clock."""
    paths = [path["path"] for path in report["critical_paths"] if path["from"] == path["to"]]
    if not paths:
        return None
    slowest = max(paths, key=lambda path: sum(step["delay"] for step in path))
    logic = [step for step in slowest if step["type"] == "logic"]
    return CriticalPath(
        start=slowest[0]["from"]["cell"],
        end=slowest[-1]["to"]["cell"],
        delay=round(sum(step["delay"] for step in slowest), 3),
        levels=len(logic),
        through=tuple(dict.fromkeys(step["to"]["cell"].partition("$")[0] for step in logic if step["delay"] > 1.0)),
    )
