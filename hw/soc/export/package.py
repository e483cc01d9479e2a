"""A design as a folder that other tools take: Verilog, and every format that is made from its description."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...cores.verilog.text import join_processes
from ..written_file import write_text, writing
from .description import PackageDescription
from .formats import (
    c_header,
    constraints,
    file_list,
    fusesoc,
    ip_xact,
    pynq,
    quartus,
    smoke_bench,
    system_rdl,
    testbench,
    vitis,
    vivado,
)
from .formats.map_json import map_json
from .formats.readme import readme
from .lint import waiver_file

__all__ = ["FORMATS", "Format", "package_files", "split_units", "write_package"]


@dataclass(frozen=True, kw_only=True)
class Format:
    """Files of a package that are made from its description.

    Parameters
    ----------
    write : callable
        From the description to texts by their path in the package; none where the format does not apply.
    holds : str
        What they hold, for the package's README.
    unchecked : str
        What only a vendor's tool could check of them, for the package's README; empty: nothing.
    """

    write: Callable[[PackageDescription], Mapping[str, str]]
    holds: str
    unchecked: str = ""


FORMATS = (
    Format(write=file_list.files, holds="The design's files, for tools that take a list."),
    Format(write=lambda description: {f"{description.name}.vlt": waiver_file()}, holds="Verilator's waivers."),
    Format(write=smoke_bench.files, holds="A first test bench, for every simulator."),
    Format(write=fusesoc.files, holds="The package for FuseSoC."),
    Format(
        write=ip_xact.files,
        holds="Ports, buses and registers as a component of IP-XACT (IEEE 1685-2014).",
        unchecked="it is valid by the published schema; the definitions of buses that it names are Arm's, not in here.",
    ),
    Format(write=system_rdl.files, holds="Registers as SystemRDL; `peakrdl html` makes pages of it."),
    Format(
        write=constraints.files,
        holds="Clock, and time outside, for a design that is built alone.",
        unchecked="Tcl runs them, with commands that record what they are told; no timing analyser has.",
    ),
    Format(write=c_header.files, holds="Registers, instructions, rows and enumerations for C."),
    Format(
        write=vivado.files,
        holds="Scripts for Vivado: a core of its catalogue, a block design with a Zynq, a build of the design alone.",
        unchecked="stubs of its commands, which know their options and the pins of cells, run them; Vivado has not.",
    ),
    Format(
        write=vitis.files,
        holds="A kernel of Vitis that its host drives by its registers: description and packaging.",
        unchecked="stubs of its commands package the kernel; Vitis has not.",
    ),
    Format(
        write=quartus.files,
        holds="Scripts for Quartus: a component of Platform Designer, a build of the design alone.",
        unchecked="stubs of its commands run them; Quartus has not.",
    ),
    Format(
        write=pynq.files,
        holds="How a board with PYNQ drives the design, and a first program.",
        unchecked="the driver runs against a stand-in of PYNQ's calls with the simulated design behind it.",
    ),
    Format(
        write=testbench.files,
        holds="A bench of cocotb and cocotbext-axi: `python tb/run.py`, or `python tb/run.py verilator`.",
    ),
)


def package_files(description: PackageDescription) -> dict[str, str]:
    """Every file of a package but the Verilog, by its path."""
    files: dict[str, str] = {}
    contents: list[tuple[list[str], str, str]] = []
    for entry in FORMATS:
        written = entry.write(description)
        if written:
            files |= written
            contents.append((list(written), entry.holds, entry.unchecked))
    about = f"{description.name}.json"
    contents.append(([about], "All of this for generators: ports, registers, instructions, rows, configuration.", ""))
    files["README.md"] = readme(description, contents)
    return files | {about: map_json(description, [*description.files, *files])}


def write_package(description: PackageDescription, sources: Mapping[str, str], folder: Path) -> list[Path]:
    """Write a design into ``folder`` and return its files.

    Parameters
    ----------
    description : PackageDescription
    sources : Mapping
        The text of each of its files of Verilog.
    folder : Path
        Empty or not there, or with an earlier package of that name, which is replaced whole.

    Raises
    ------
    ValueError
        The folder holds something else.
    WriteError
        A file cannot be written.
    """
    files = {**sources, **package_files(description)}
    _make_room(folder, description.name)
    for file, text in files.items():
        path = folder / file
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
    return [folder / file for file in files]


def _make_room(folder: Path, name: str) -> None:
    """Remove the package of that name from a folder, which may hold nothing else."""
    present = {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}
    about = folder / f"{name}.json"
    replaced = set(json.loads(about.read_text())["package"]) if about.exists() else set()
    if present - replaced:
        some = ", ".join(sorted(present - replaced)[:3])
        raise ValueError(f"Folder {folder} must be empty or hold a package of {name} alone, not {some}")
    for file in present:
        (folder / file).unlink()


def split_units(verilog: str, top: str) -> dict[str, str]:
    """The modules of a text by the file that holds what they belong to: the top, each replicated unit, each memory.

    Amaranth names the modules inside a unit by their path below it, ``unit.part``.
    """
    units: dict[str, str] = {top: ""}
    for match in re.finditer(r"^(?:\(\*.*\*\)\n)*module\s+(\\\S+|\w+).*?^endmodule", verilog, re.DOTALL | re.MULTILINE):
        unit = match[1].lstrip("\\").partition(".")[0]
        units[unit] = units.get(unit, "") + join_processes(match[0]) + "\n\n"
    return {f"rtl/{unit}.v": text.rstrip("\n") + "\n" for unit, text in units.items()}
