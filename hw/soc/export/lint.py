"""Checks exported Verilog with the tools that read it: Verilator, Yosys, and slang and Icarus where installed."""

import importlib.util
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ..limited_command import run_limited
from .tools import ToolError, is_installed, run_tool

__all__ = [
    "WAIVERS",
    "check_icarus",
    "check_slang",
    "check_yosys",
    "compile_icarus",
    "verilator_arguments",
    "waiver_file",
]

# Verilator's warnings that are switched off, each with the reason. Everything else of -Wall must be silent.
WAIVERS = {
    "CASEINCOMPLETE": "what a case leaves out keeps the value assigned before it",
    "CMPCONST": "what is written for each of several indexes compares the last one with the largest value there is",
    "DECLFILENAME": "a file holds a kind of unit with the modules inside it, not one module",
    "INITIALDLY": "a register that lets every process begin is set after all of them in the first time step",
    "PROCASSINIT": "a register's value at power-on stands where it is declared, its clocked assignment below",
    "SYNCASYNCNET": "a synchronous reset of one clock also sets, at once, what synchronises it to another clock",
    "SYMRSVDWORD": "names of ports are those that vendors' tools know, also where C++ has the word",
    "UNUSEDSIGNAL": "a sum or shift is named in its full width, of which a part may go on",
    "VARHIDDEN": "a unit may have a port of its own name",
    "WIDTHEXPAND": "operands are extended by the sign rules of Verilog, which are those of the source",
    "WIDTHTRUNC": "a word is cut to the bits that go on, and a comparison with zero is written as a negation",
}

# Limit of Icarus, which takes seconds, and some minutes for the largest systems.
LIMIT_SECONDS = 1800

# Warnings of slang with -Wextra that mean the same as Verilator's rules above.
_SLANG_WAIVERS = {
    "arith-op-mismatch": "WIDTHEXPAND",
    "case-default": "CASEINCOMPLETE",
    "sign-conversion": "WIDTHEXPAND",
    "width-trunc": "WIDTHTRUNC",
}


def waiver_file() -> str:
    """The text of the waivers, for Verilator to read before the design."""
    lines = ["`verilator_config"]
    for rule, reason in WAIVERS.items():
        lines += [f"// {reason}", f"lint_off -rule {rule}"]
    return "\n".join(lines) + "\n"


def verilator_arguments(name: str, folder: Path) -> list[str]:
    """Arguments of ``verilator`` that check the package of ``name`` in a folder, from wherever it is called."""
    return ["--lint-only", "-Wall", "--top-module", name, str(folder / f"{name}.vlt"), "-F", str(folder / f"{name}.f")]


def check_yosys(folder: Path, name: str) -> bool:
    """Yosys reads the package and finds every module and no contradiction; ``False`` where Yosys is not installed.

    Raises
    ------
    ToolError
        It does not; the text says why.
    """
    if not is_installed("yosys"):
        return False
    script = f"read_verilog rtl/*.v; hierarchy -check -top {name}; proc; check -assert"
    try:
        run_tool("yosys", ["-q", "-p", script], folder, "yosys.log")
    finally:
        (folder / "yosys.log").unlink(missing_ok=True)
    return True


def check_slang(folder: Path, name: str) -> bool:
    """slang takes the package as Verilog of 2005 and finds nothing but what is waived; ``False`` without it.

    Raises
    ------
    ToolError
        It warns or refuses; the text says of what.
    """
    if importlib.util.find_spec("pyslang") is None:
        return False
    from pyslang.driver import Driver

    driver = Driver()
    driver.addStandardArgs()
    arguments = f'slang --std 1364-2005 -Wextra --top {name} -F "{folder / f"{name}.f"}"'
    if not (driver.parseCommandLine(arguments) and driver.processOptions() and driver.parseAllSources()):
        raise ToolError(f"slang cannot read {name}")
    text = driver.diagEngine.reportAll(driver.sourceManager, driver.createCompilation().getAllDiagnostics())
    found = [line for line in text.splitlines() if re.search(r": (?:warning|error): ", line)]
    left = [line for line in found if not re.search(rf"\[-W({'|'.join(_SLANG_WAIVERS)})\]$", line)]
    if left:
        raise ToolError(f"slang warns of {name}:\n" + "\n".join(left[:20]))
    return True


def check_icarus(folder: Path, name: str) -> bool:
    """Icarus compiles the package, and its first test bench passes; ``False`` where Icarus is not installed.

    Raises
    ------
    ToolError
        Icarus refuses the package, or the bench fails; the text says why.
    """
    bench = f"{name}_smoke"
    with tempfile.TemporaryDirectory() as build:
        program = Path(build) / bench
        sources = [*sorted((folder / "rtl").iterdir()), folder / "sim" / f"{bench}.sv"]
        if not compile_icarus(sources, bench, program):
            return False
        result = run_limited(["vvp", "-n", str(program)], LIMIT_SECONDS, what=f"simulate {name}")
    if result.returncode != 0 or f"{name}: passed" not in result.stdout.splitlines():
        raise ToolError(f"{name} fails in Icarus:\n{(result.stdout + result.stderr)[-2000:]}")
    return True


def compile_icarus(files: Sequence[Path], top: str, program: Path | None = None) -> bool:
    """Icarus compiles files with the top module ``top``, into a program if one is wanted; ``False`` without Icarus.

    As SystemVerilog of 2012, as cocotb has it: there what a declaration initialises is no event at the beginning.

    Raises
    ------
    ToolError
        Icarus refuses them; the text says why.
    """
    if shutil.which("iverilog") is None:
        return False
    result_of = ["-t", "null"] if program is None else ["-o", str(program)]
    command = ["iverilog", "-g2012", "-Wall", *result_of, "-s", top, *map(str, files)]
    result = run_limited(command, LIMIT_SECONDS)
    if result.returncode != 0 or re.search(r"\berror\b|never trigger", result.stderr):
        raise ToolError(f"iverilog refused {top}:\n{result.stderr[-2000:]}")
    return True
