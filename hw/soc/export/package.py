"""A design as a folder that other tools take: Verilog, file list, parameters, header, constraints, waivers."""

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

from ..written_file import write_text, writing
from .constraints import sdc, xdc
from .lint import waiver_file

__all__ = ["split_units", "write_package"]


def write_package(
    verilog: str,
    name: str,
    folder: Path,
    *,
    design: str = "",
    configuration: Any = None,
    description: str = "",
    clock: str | None = "clk",
    frequency: float = 164.0,
) -> list[Path]:
    """Write a design into ``folder`` and return its files.

    Parameters
    ----------
    verilog : str
        Complete in one text, with the top module ``name``.
    name : str
        Name of the top module; the files are called by it.
    folder : Path
        Empty or not there, or with an earlier package of that name, which is replaced whole.
    design : str
        Name in the catalogue, if it is another one.
    configuration : dataclass instance or None
        What the design was made from. One with a ``shell`` gives the register map besides.
    description : str
        One line.
    clock : str or None
        Port of the clock; without one there are no constraints.
    frequency : float
        MHz of the constraints.

    Raises
    ------
    ValueError
        The folder holds something else.
    WriteError
        A file cannot be written.
    """
    files: dict[str, str] = {f"rtl/{unit}.v": text for unit, text in split_units(verilog, name).items()}
    parameters: dict[str, Any] = {
        "design": design or name,
        "description": description,
        "top": name,
        "clock": {"port": clock, "frequency_mhz": frequency} if clock else None,
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
    files |= {f"{name}.f": _file_list(name, parameters["files"]), f"{name}.vlt": waiver_file()}
    if clock:
        files |= {f"{name}_ooc.xdc": xdc(clock, frequency), f"{name}_ooc.sdc": sdc(clock, frequency)}
    parameters["package"] = [*files, f"{name}.json"]
    files[f"{name}.json"] = json.dumps(parameters, indent=2, default=_plain) + "\n"
    _make_room(folder, name)
    for file, text in files.items():
        path = folder / file
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
    return [folder / file for file in files]


def _file_list(name: str, files: list[str]) -> str:
    """Paths are relative to this file, which tools know as -F."""
    return "\n".join(
        [
            f"// From any folder: -F PATH/{name}.f (Verilator, slang, Questa, VCS, Xcelium).",
            f"// In this folder: -f {name}.f (these, and Icarus).",
            *files,
            "",
        ]
    )


def _make_room(folder: Path, name: str) -> None:
    """Remove the package of that name from a folder, which may hold nothing else."""
    present = {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}
    about = folder / f"{name}.json"
    replaced = set(json.loads(about.read_text())["package"]) if about.exists() else set()
    if present - replaced:
        some = ", ".join(sorted(present - replaced)[:3])
        raise ValueError(f"Folder {folder} must be empty or hold an export of {name} alone, not {some}")
    for file in present:
        (folder / file).unlink()


def _plain(value: Any) -> str:
    """What JSON has no form for: an enumeration is its name."""
    return str(getattr(value, "name", value))


def split_units(verilog: str, top: str) -> dict[str, str]:
    """The modules of a text by what they belong to: the top, each replicated unit, each memory.

    Amaranth names the modules inside a unit by their path below it, ``unit.part``.
    """
    units: dict[str, str] = {top: ""}
    for match in re.finditer(r"^(?:\(\*.*\*\)\n)*module\s+(\\\S+|\w+).*?^endmodule", verilog, re.DOTALL | re.MULTILINE):
        unit = match[1].lstrip("\\").partition(".")[0]
        units[unit] = units.get(unit, "") + match[0] + "\n\n"
    return {unit: text.rstrip("\n") + "\n" for unit, text in units.items()}
