"""Checks exported Verilog with the tools that read it: Verilator, Yosys, and Icarus where it is installed."""

import re
import shutil
import subprocess
from pathlib import Path

from .tools import ToolError, run_tool

__all__ = ["WAIVERS", "check_icarus", "check_yosys", "verilator_arguments", "waiver_file"]

# Verilator's warnings that are switched off, each with the reason. Everything else of -Wall must be silent.
WAIVERS = {
    "ASCRANGE": "a field without bits is written [-1:0]; nothing reads it",
    "CASEINCOMPLETE": "what a case leaves out keeps the value assigned before it",
    "CMPCONST": "what is written for each of several indexes compares the last one with the largest value there is",
    "DECLFILENAME": "a file holds a kind of unit with the modules inside it, not one module",
    "PROCASSINIT": "a register's value at power-on stands where it is declared, its clocked assignment below",
    "SYMRSVDWORD": "names of ports are those that vendors' tools know, also where C++ has the word",
    "UNUSEDSIGNAL": "a sum or shift is named in its full width, of which a part may go on",
    "VARHIDDEN": "a unit may have a port of its own name",
    "WIDTHEXPAND": "operands are extended by the sign rules of Verilog, which are those of the source",
    "WIDTHTRUNC": "a word is cut to the bits that go on, and a comparison with zero is written as a negation",
}


def waiver_file() -> str:
    """The text of the waivers, for Verilator to read before the design."""
    lines = ["`verilator_config"]
    for rule, reason in WAIVERS.items():
        lines += [f"// {reason}", f"lint_off -rule {rule}"]
    return "\n".join(lines) + "\n"


def verilator_arguments(name: str) -> list[str]:
    """What follows ``verilator`` to check the package of ``name`` in its folder."""
    return ["--lint-only", "-Wall", "--top-module", name, f"{name}.vlt", "-f", f"{name}.f"]


def check_yosys(folder: Path, name: str) -> None:
    """Yosys reads the package and finds every module and no contradiction.

    Raises
    ------
    ToolError
        It does not; the text says why.
    """
    files = (folder / f"{name}.f").read_text().split()
    script = f"read_verilog {' '.join(files)}; hierarchy -check -top {name}; proc; check -assert"
    try:
        run_tool("yosys", ["-q", "-p", script], folder, "yosys.log")
    finally:
        (folder / "yosys.log").unlink(missing_ok=True)


def check_icarus(folder: Path, name: str) -> bool:
    """Icarus compiles the package; ``False`` where it is not installed.

    Raises
    ------
    ToolError
        It refuses; the text says why.
    """
    if shutil.which("iverilog") is None:
        return False
    command = ["iverilog", "-g2005-sv", "-Wall", "-t", "null", "-s", name, "-f", f"{name}.f"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    if result.returncode != 0 or re.search(r"\berror\b", result.stderr):
        raise ToolError(f"iverilog refused {name}:\n{result.stderr[-2000:]}")
    return True
