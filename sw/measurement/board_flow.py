"""From a system to a board: Verilog, synthesis, place and route, bitstream, and a report of what came out."""

import importlib
import json
import shutil
from pathlib import Path
from typing import Any

from ...hw.cores.checks import require_name
from ...hw.soc.devices import devices
from ...hw.soc.export.placement import PLACERS
from ...hw.soc.written_file import writing, writing_into

__all__ = ["boards", "build_board"]


def boards() -> dict[str, dict[str, str]]:
    """Boards, each a module of `hw/soc/boards`, with the preset that fits it of each device."""
    found: dict[str, dict[str, str]] = {}
    for name, device in devices().items():
        for board, preset in device.boards.items():
            found.setdefault(board, {})[name] = preset
    return found


def build_board(
    board: str,
    preset: str | None = None,
    folder: Path | None = None,
    *,
    system: str = "fixar",
    bitstream: bool = False,
    seed: int = 1,
    placer: str = PLACERS[0],
) -> dict[str, Any]:
    """Build a system for a board and return the report; each distinct input is synthesised and placed once.

    Parameters
    ----------
    board : str
    preset : str or None
        Configuration, by name or file; without one that of the board.
    folder : Path or None
        Where the files go: Verilog, constraints, reports, bitstream.
    system : str
    bitstream : bool
        Pack it.
    seed : int
        Seed of the placer.
    placer : str
        One of ``PLACERS``.
    """
    from ...hw.soc.export.placement import CONFIGURATION
    from ...hw.soc.export.tools import run_tool
    from ...hw.soc.presets import read_preset
    from ...hw.soc.target.parts import CONSTRAINTS, find_part
    from ...sim.harness.systems import verilog_of
    from ..measurement.tool_cache import place_once, synthesise_once

    known = boards()
    require_name("Board", board, known)
    name = board.replace("-", "_")
    module = importlib.import_module(f"...hw.soc.boards.{name}", __package__)
    require_name(f"System for {board}", system, known[board])
    config = read_preset(preset or known[board][system], system).hardware
    if folder is not None:
        # Before minutes of synthesis, not behind them.
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
    verilog = verilog_of(config, module.TOP, name)
    part = find_part(module.PART)
    constraints = CONSTRAINTS / module.CONSTRAINTS
    # Without the boundaries by which `rewardware report` counts blocks: less logic, and shorter wires.
    synthesised = synthesise_once(verilog, name, part.target.name, depth=None, netlist=True, options=module.SYNTHESIS)
    total = synthesised.result.total
    _check_fit(board, config.name, part, total)
    options = {"device": module.DEVICE, "package": module.PACKAGE, "speed": module.SPEED, "frequency": module.CLOCK_MHZ}
    placed = place_once(synthesised, constraints=constraints, seed=seed, placer=placer, **options)
    report = _report(board, config, part, module, placed.result)
    if folder is None:
        return report
    with writing_into(folder):
        (folder / f"{name}.v").write_text(verilog)
        shutil.copyfile(constraints, folder / constraints.name)
        shutil.copyfile(placed.folder / CONFIGURATION, folder / f"{name}.config")
        shutil.copyfile(placed.folder / "placement.txt", folder / "placement.txt")
        (folder / "report.json").write_text(json.dumps(report, indent=2) + "\n")
        (folder / "report.txt").write_text(as_text(report) + "\n")
        if bitstream:
            arguments = ["--compress", "--input", f"{name}.config", "--bit", f"{name}.bit"]
            run_tool("ecppack", arguments, folder, "bitstream.log")
    return report


def _check_fit(board: str, preset: str, part: Any, used: Any) -> None:
    over = [
        f"{used_number:g} {part.target.units[name]} of {getattr(part.holds, name):g}"
        for name, used_number in used.items()
        if used_number > getattr(part.holds, name)
    ]
    if over:
        raise ValueError(f"Configuration {preset} does not fit {board}: it needs {', '.join(over)}")


def _report(board: str, config: Any, part: Any, module: Any, placement: Any) -> dict[str, Any]:
    used = placement.utilization
    cells = {"lut": "TRELLIS_COMB", "ff": "TRELLIS_FF", "dsp": "MULT18X18D", "bram": "DP16KD"}
    path = placement.critical_path
    return {
        "board": board,
        "part": part.name,
        "speed_grade": module.SPEED,
        "preset": config.name,
        "system": config.system,
        "extent": config.extent,
        "configuration_hash": f"{config.configuration_hash:#010x}",
        "clock_mhz": module.CLOCK_MHZ,
        "frequency_mhz": round(placement.frequency, 2),
        "met": placement.frequency >= module.CLOCK_MHZ,
        "critical_path": None if path is None else vars(path) | {"through": list(path.through)},
        "utilization": {name: list(used[cell]) for name, cell in cells.items()},
    }


def as_text(report: dict[str, Any]) -> str:
    """The report for people."""
    lines = [
        f"{report['board']} ({report['part']}, speed grade {report['speed_grade']}), {report['system']}, preset "
        f"{report['preset']}: {report['extent']}, configuration {report['configuration_hash']}",
        f"clock: {report['frequency_mhz']} MHz by nextpnr, {report['clock_mhz']} MHz on the board: "
        + ("met" if report["met"] else "NOT MET"),
    ]
    path = report["critical_path"]
    if path is not None:
        lines.append(f"slowest path: {path['start']} to {path['end']}, {path['delay']} ns, {path['levels']} levels")
    for name, (number, available) in report["utilization"].items():
        lines.append(f"{name:5} {number:6} of {available:6}  {100 * number / available:5.1f} %")
    return "\n".join(lines)
