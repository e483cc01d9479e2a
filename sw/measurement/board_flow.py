"""From a system to a board: Verilog, and a bitstream by open tools or a project for the vendor's tool, and a report."""

import dataclasses
import functools
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...hw.cores.checks import require_integer
from ...hw.soc.boards.board import FLOWS, Board, find_board
from ...hw.soc.export.placement import CONFIGURATION, Algorithms
from ...hw.soc.target.clocks import DefaultClock
from ...hw.soc.written_file import writing, writing_into

__all__ = ["as_text", "build_board"]

# Names of the cells of each family in nextpnr.
CELLS = {
    "ecp5": {"lut": "TRELLIS_COMB", "ff": "TRELLIS_FF", "dsp": "MULT18X18D", "bram": "DP16KD"},
    "ice40": {"lut": "ICESTORM_LC", "dsp": "ICESTORM_DSP", "bram": "ICESTORM_RAM"},
}
# Options of nextpnr, each with a value, that are given here and not by the platform.
_OWN_OPTIONS = ("--log", "--json", "--lpf", "--pcf", "--textcfg", "--asc")


def build_board(
    board_name: str,
    preset: str | None = None,
    folder: Path | None = None,
    *,
    system: str = "fixar",
    clock_mhz: int | None = None,
    bitstream: bool = False,
    seed: int | None = None,
    seeds: int | None = None,
    jobs: int = 1,
    placer: str | None = None,
    router: str | None = None,
    timing_ripup: bool = False,
) -> dict[str, Any]:
    """Build a system for a board and return the report; each distinct input is synthesised and placed once.

    Parameters
    ----------
    board_name : str
    preset : str or None
        Configuration, by name or file; without one the largest of the system's that fits the board.
    folder : Path or None
        Where the files go: Verilog, constraints, reports, bitstream; for a board of the vendor's tools the project.
    system : str
    clock_mhz : int or None
        Clock of the system; without one that of system and part in ``constraints/clocks.yaml``, which a tool has
        placed, if the board can make it; else that of the board.
    bitstream : bool
        Pack it.
    seed : int or None
        Seed of the placer; ``None``: that of the same row of the table, else 1.
    seeds : int or None
        Place with so many seeds, from 1 on, in place of ``seed``, and take the best.
    jobs : int
        Seeds to place at a time.
    placer : str or None
        One of ``PLACERS``; ``None``: that of the same row of the table, else the family's usual one.
    router : str or None
        One of ``ROUTERS``; ``None``: that of the same row of the table, else ``router1``.
    timing_ripup : bool
        Route the wires of paths again that are too slow for the clock.

    Raises
    ------
    ValueError
        There is no such board, nothing of the system fits it, or it cannot make the clock; seeds, a placer, a router
        or rip-up for a board of the vendor's tools.
    ToolError
        A tool is missing or refused the design.
    """
    from ...hw.soc.boards.board_top import board_files, system_module
    from ...hw.soc.bus.uart_bridge import UartTop
    from ...hw.soc.bus.uart_config import UartConfig
    from ...hw.soc.devices import component_of
    from ...hw.soc.presets import read_preset
    from ...sim.verilog.emitted import emitted
    from .board_fit import fit_of

    board = find_board(board_name)
    if seeds is not None:
        require_integer("Seeds", seeds, 1)
    if not board.open_tools and (timing_ripup or any(option is not None for option in (seed, seeds, placer, router))):
        options = "Seeds, placers, routers and --timing-ripup"
        raise ValueError(f"{options} are for nextpnr: {FLOWS[board.family]} places for {board.name}")
    chosen = preset or fit_of(board, system).preset
    config = read_preset(chosen, system).hardware
    placed = _placed_clock(board, system) or DefaultClock(mhz=board.clock_mhz, source="the board's")
    board = dataclasses.replace(board, clock_mhz=clock_mhz or int(placed.mhz))
    if folder is not None:
        # Before minutes of synthesis, not after them.
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
    uart = UartConfig(divisor=board.divisor)
    verilog = emitted(UartTop(component_of(config), uart), system_module(board), told=True)
    built = board_files(board, verilog)
    report = {
        "board": board.name,
        "part": board.part,
        "flow": FLOWS[board.family],
        "preset": config.name,
        "system": config.system,
        "extent": config.extent,
        "configuration_hash": f"{config.configuration_hash:#010x}",
        "clock_mhz": board.clock_mhz,
        "baud": board.baud,
    }
    if board.open_tools:
        return _place(
            board,
            built,
            report,
            folder,
            bitstream=bitstream,
            seed=placed.seed if seed is None else seed,
            seeds=seeds,
            jobs=jobs,
            algorithms=Algorithms(
                placer=placer or placed.placer, router=router or placed.router, timing_ripup=timing_ripup
            ),
        )
    if folder is not None:
        from ...hw.soc.export.board_project import write_project

        write_project(board, built, report, folder)
    return report


def _placed_clock(board: Board, system: str) -> DefaultClock | None:
    """The clock at which a tool has placed a system on the part, if the board can make it."""
    from ...hw.soc.boards.clock_generator import can_make
    from ...hw.soc.target.clocks import load_clocks

    oscillator_mhz = board.make_platform().default_clk_frequency / 1e6
    for row in load_clocks().get(system, ()):
        if row.part == board.part and can_make(board.family, oscillator_mhz, int(row.mhz)):
            return row
    return None


def _place(
    board: Board,
    built: Any,
    report: dict[str, Any],
    folder: Path | None,
    *,
    bitstream: bool,
    seed: int,
    seeds: int | None,
    jobs: int,
    algorithms: Algorithms,
) -> dict[str, Any]:
    """Synthesis, place and route, and with ``bitstream`` packing, by open tools."""
    from ...hw.soc.export.tools import tool_version
    from .board_fit import lacking
    from .seed_sweep import sweep_seeds
    from .tool_cache import place_once, synthesise_once

    name = board.module
    constraints = next(file for file in built.files if file.endswith((".lpf", ".pcf")))
    verilog = built.files[f"{name}_system.v"] + built.files[f"{name}.v"]
    # Without the boundaries by which `rewardware report` counts blocks: less logic, and shorter wires.
    synthesised = synthesise_once(verilog, name, board.family, depth=None, netlist=True, options=board.synthesis)
    over = lacking(board, synthesised.result.total)
    if over:
        raise ValueError(f"Configuration {report['preset']} does not fit {board.name}: it needs {', '.join(over)}")
    placing, packing = built.commands[1:3]
    place = functools.partial(
        place_once,
        synthesised,
        constraints=built.files[constraints],
        tool=FLOWS[board.family],
        part=_part_options(placing),
        frequency=board.clock_mhz,
        algorithms=algorithms,
    )
    if seeds is None:
        best_seed = seed
        placed = place(seed=seed)
    else:
        sweep = sweep_seeds(lambda each: place(seed=each), seeds, jobs)
        placed, best_seed = sweep.best, sweep.best_seed
        report["seeds"] = sweep.describe()
    result = placed.result
    path = result.critical_path
    frequency = result.frequency or 0.0
    report |= {
        "frequency_mhz": round(frequency, 2),
        "met": frequency >= board.clock_mhz,
        "made_by": {
            "synthesis": tool_version("yosys"),
            "placement": tool_version(FLOWS[board.family]),
            "options": " ".join(algorithms.options(FLOWS[board.family])),
            "seed": best_seed,
        },
        "critical_path": None if path is None else vars(path) | {"through": list(path.through)},
        "utilization": {kind: list(result.utilization[cell]) for kind, cell in CELLS[board.family].items()},
    }
    if folder is None:
        return report
    with writing_into(folder):
        for file in (f"{name}.v", f"{name}_system.v", constraints):
            (folder / file).write_text(built.files[file])
        # Where the platform's command of packing looks for it.
        packed = next(word for word in packing if word.endswith((".config", ".asc")))
        shutil.copyfile(placed.folder / CONFIGURATION, folder / packed)
        shutil.copyfile(placed.folder / "placement.txt", folder / "placement.txt")
        (folder / "report.json").write_text(json.dumps(report, indent=2) + "\n")
        (folder / "report.txt").write_text(as_text(report) + "\n")
        if bitstream:
            from ...hw.soc.export.tools import run_tool

            run_tool(packing[0], packing[1:], folder, "bitstream.log")
    return report


def _part_options(command: Sequence[str]) -> list[str]:
    """Options of a platform's command that tell nextpnr the part."""
    words = [word for word in command[1:] if word != "--quiet"]
    return [
        word
        for place, word in enumerate(words)
        if word not in _OWN_OPTIONS and (place == 0 or words[place - 1] not in _OWN_OPTIONS)
    ]


def as_text(report: dict[str, Any]) -> str:
    """The report for people."""
    from .seed_sweep import sweep_line

    head = (
        f"{report['board']} ({report['part']}), {report['system']}, preset {report['preset']}: {report['extent']}, "
        f"configuration {report['configuration_hash']}, {report['clock_mhz']} MHz, {report['baud']} baud"
    )
    if "utilization" not in report:
        return head
    lines = [
        head,
        f"clock: {report['frequency_mhz']} MHz by nextpnr, {report['clock_mhz']} MHz on the board: "
        + ("met" if report["met"] else "NOT MET"),
    ]
    made_by = report["made_by"]
    lines.append("by {synthesis}; {placement}, {options}, seed {seed}".format(**made_by))
    if "seeds" in report:
        lines.append(sweep_line(report["seeds"]))
    path = report["critical_path"]
    if path is not None:
        lines.append(f"slowest path: {path['start']} to {path['end']}, {path['delay']} ns, {path['levels']} levels")
    for name, (number, available) in report["utilization"].items():
        lines.append(f"{name:5} {number:6} of {available:6}  {100 * number / available:5.1f} %")
    return "\n".join(lines)
