"""A design as a folder that other tools take: Verilog, file list, parameters, header, constraints, waivers."""

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

from .constraints import sdc, xdc
from .lint import waiver_file

__all__ = ["split_units", "write_package"]


def write_package(
    verilog: str,
    name: str,
    folder: Path,
    *,
    configuration: Any = None,
    description: str = "",
    clock: str = "clk",
    frequency: float = 164.0,
) -> list[Path]:
    """Write a design into ``folder`` and return its files.

    Parameters
    ----------
    verilog : str
        Complete in one text, with the top module ``name``.
    name : str
        Of the design; the files are called by it.
    folder : Path
        Made if it is not there; other files in it stay.
    configuration : dataclass instance or None
        What the design was made from. One with a ``shell`` gives the register map besides.
    description : str
        One line.
    clock : str
        Port of the clock.
    frequency : float
        MHz of the constraints.
    """
    files: dict[str, str] = {f"rtl/{unit}.v": text for unit, text in split_units(verilog, name).items()}
    parameters: dict[str, Any] = {
        "design": name,
        "description": description,
        "top": name,
        "clock": {"port": clock, "frequency_mhz": frequency},
        "files": list(files),
        "configuration": dataclasses.asdict(configuration) if configuration is not None else {},
    }
    shell = getattr(configuration, "shell", None)
    if shell is not None:
        from ..bus.export import to_c_header, to_json

        parameters["configuration_hash"] = f"{shell.configuration_hash:#010x}"
        parameters["instruction_set"] = shell.instruction_set.describe()
        parameters["registers"] = json.loads(to_json(shell.address_map))
        files[f"{name}.h"] = to_c_header(shell.address_map)
    files |= {
        f"{name}.f": "".join(f"{file}\n" for file in parameters["files"]),
        f"{name}.json": json.dumps(parameters, indent=2, default=_plain) + "\n",
        f"{name}.vlt": waiver_file(),
        f"{name}.xdc": xdc(clock, frequency),
        f"{name}.sdc": sdc(clock, frequency),
    }
    for file, text in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return [folder / file for file in files]


def _plain(value: Any) -> str:
    """What JSON has no form for: an enumeration is its name."""
    return str(getattr(value, "name", value))


def split_units(verilog: str, top: str) -> dict[str, str]:
    """Modules of a text by the kind of unit they belong to: the top, and each replicated unit, with what is inside.

    Amaranth names the modules inside a unit by their path below it, ``unit.part``.
    """
    units: dict[str, str] = {top: ""}
    for match in re.finditer(r"^(?:\(\*.*\*\)\n)*module\s+(\\\S+|\w+).*?^endmodule", verilog, re.DOTALL | re.MULTILINE):
        unit = match[1].lstrip("\\").partition(".")[0]
        units[unit] = units.get(unit, "") + _run_constants(match[0]) + "\n\n"
    return {unit: text.rstrip("\n") + "\n" for unit, text in units.items()}


def _run_constants(module: str) -> str:
    """A process that reads nothing, ``always @* x[0] = 0``, never runs in a simulator: let it read a register."""
    text, found = re.subn(
        r"^  always @\*\n    ([^;\n]+ = \d+'h[0-9a-fx]+;)\n",
        r"  always @* begin\n    if (\\$begin ) begin end\n    \1\n  end\n",
        module,
        flags=re.MULTILINE,
    )
    return re.sub(r"\);\n", r");\n  reg \\$begin = 0;\n", text, count=1) if found else module
