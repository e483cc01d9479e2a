"""A board's project for the vendor's tool: a folder from which one command makes the bitstream."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..boards.board import FLOWS, Board
from ..written_file import writing_into

__all__ = ["project_files", "write_project"]

_QUARTUS_PROJECT = """\
# The project that Quartus opens; the settings are in {name}.qsf.
PROJECT_REVISION = "{name}"
"""
_QUARTUS_SCRIPT = """\
# Makes {name}.sof and {name}.rbf: quartus_sh -t {name}.tcl
package require ::quartus::project
package require ::quartus::flow
project_open -revision {name} {name}
execute_flow -compile
project_close
"""
_COMMANDS = {
    "Vivado": ("vivado -mode batch -source {name}.tcl", "{name}.bit and {name}.bin"),
    "Quartus": ("quartus_sh -t {name}.tcl", "{name}.sof and {name}.rbf"),
}
_README = """\
# {system}, preset {preset}, for {board}

{description}

    {command}

makes {products} with {flow}, in this folder. `build_{name}.sh` and `build_{name}.bat` do the same and take the tool's
environment script from the variable that they name. Program the board with the vendor's tool, then

    rewardware probe uart:PORT{at_baud}

says whether the system answers: configuration {configuration_hash}, {clock_mhz} MHz, {baud} baud.

| file | what |
| --- | --- |
| `{name}.v` | the board's top: oscillator, clock generator, reset, serial port, lights |
| `{name}_system.v` | the system behind its serial port |
| `{name}.{constraints}` | pins{clocks} |
| `{name}.tcl` | the tool's script |
| `report.json` | what was built |

Not checked: {flow} has not seen this project, and the board has not run it. Checked are the Verilog, by Yosys; that the
constraints name every port of the top and no other, with the pins of amaranth-boards; and the script, in a Tcl
interpreter with commands that record what they are told.
"""


def project_files(board: Board, built: Any, report: Mapping[str, Any]) -> dict[str, str]:
    """Text by name of all files of a project.

    Parameters
    ----------
    board : Board
        Board of a family whose tools are the vendor's.
    built : BoardFiles
    report : Mapping
        Description of what was built.
    """
    name, flow = board.module, FLOWS[board.family]
    files = dict(built.files)
    if flow == "Quartus":
        files[f"{name}.qpf"] = _QUARTUS_PROJECT.format(name=name)
        files[f"{name}.tcl"] = _QUARTUS_SCRIPT.format(name=name)
    command, products = (text.format(name=name) for text in _COMMANDS[flow])
    files["README.md"] = _README.format(
        **report,
        name=name,
        description=board.description,
        command=command,
        products=products,
        at_baud="" if board.baud == 1_000_000 else f"@{board.baud}",
        constraints="xdc" if flow == "Vivado" else "qsf",
        clocks=" and clock" if flow == "Vivado" else f"; the clock is in `{name}.sdc`",
    )
    files["report.json"] = json.dumps(report, indent=2) + "\n"
    return files


def write_project(board: Board, built: Any, report: Mapping[str, Any], folder: Path) -> None:
    """Write a project into a folder that is there.

    Raises
    ------
    WriteError
        A file cannot be written.
    """
    with writing_into(folder):
        for file, text in project_files(board, built, report).items():
            (folder / file).write_text(text, encoding="utf-8")
