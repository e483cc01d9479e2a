"""Verilator and the C++ compiler, called for one design."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ...hw.soc.limited_command import CommandTimeout, run_limited
from .cache import build_once, content_key
from .toolchain import find_toolchain

__all__ = ["COMMAND_LIMIT_SECONDS", "BuildError", "Compiler"]

# The largest design compiles in minutes; a command that runs longer than this hangs.
COMMAND_LIMIT_SECONDS = 3600

_HEADER = "runtime.h"
# With the flags of the generated files, or the compiler would not take it.
_PRECOMPILE = """\
%.h.gch: %.h
	$(CXX) $(OPT_FAST) $(CXXFLAGS) $(CPPFLAGS) -x c++-header -o $@ $<
"""


class BuildError(RuntimeError):
    """Verilator or the C++ compiler refused, or ran out of time; the text has the end of what it said."""


class Compiler:
    """The tools with the settings of one build.

    Parameters
    ----------
    arguments : sequence of str
        For Verilator.
    make_variables : sequence of str
        For make, as ``NAME=value``: ``OPT_FAST`` and its kind.
    library_folders : sequence of Path
        Where the linker looks for libraries.
    """

    def __init__(self, arguments: Sequence[str], make_variables: Sequence[str], library_folders: Sequence[Path] = ()):
        self.arguments, self.variables = list(arguments), list(make_variables)
        self._tools = find_toolchain()
        self._environment = dict(self._tools.environment)
        if library_folders:
            self._environment["LIBRARY_PATH"] = os.pathsep.join(map(str, library_folders))

    @property
    def key(self) -> dict[str, object]:
        """Key of a product besides its sources; the processor is in it only if code is made for this very one."""
        native = any("-march=native" in variable for variable in self.variables)
        return {
            "arguments": self.arguments,
            "make_variables": self.variables,
            "versions": self._tools.versions,
            "processor": self._tools.processor if native else "",
        }

    def verilate(self, design: Path, top: str, prefix: str, objects: Path, *more: str) -> None:
        """C++ of a design into the folder ``objects``."""
        command = [self._tools.verilator, "--cc", "--prefix", prefix, "--top-module", top, "--Mdir", str(objects)]
        command += ["-Wno-fatal", "-Wno-lint", "-Wno-style", "--no-timing", *self.arguments, *more]
        self._run([*command, str(design)], design.parent)

    def compile(self, objects: Path, prefix: str, goals: Sequence[str], *variables: str, linked: bool = True) -> None:
        """Make the goals in the folder that Verilator has filled.

        Verilator's own objects, which something linked needs, and its header are compiled once for all designs.
        """
        classes = (objects / f"{prefix}_classes.mk").read_text()
        header = self._reuse_header(objects, prefix, classes)
        if linked:
            self._reuse_objects(objects, prefix, classes)
        # Verilator's makefile precompiles headers of its own where it compiles more than one file.
        alone = "VM_PARALLEL_BUILDS = 0" in classes
        self._make(objects, goals, [f"{prefix}.mk"], *variables, header=header if alone else None)

    def _reuse_objects(self, objects: Path, prefix: str, classes: str) -> None:
        """Put Verilator's own object files where make looks for them: most of the compile time of a small component."""
        for listed in re.findall(r"^VM_GLOBAL_(?:FAST|SLOW) \+= \\\n((?:\s+\w+ \\\n)*)", classes, re.MULTILINE):
            for name in (f"{word}.o" for word in re.findall(r"\w+", listed)):

                def compile_into(folder: Path, name: str = name) -> None:
                    self._make(objects, [name], [f"{prefix}.mk"])
                    shutil.copy(objects / name, folder / name)

                folder = build_once("runtimes", content_key(name=name, **self._runtime_key(classes)), compile_into)
                # A plain copy is newer than the makefile, so make takes it as it is.
                shutil.copyfile(folder / name, objects / name)

    def _reuse_header(self, objects: Path, prefix: str, classes: str) -> Path:
        """Verilator's headers in one that is precompiled: to read them is most of the rest."""
        names = ("verilated.h", *["verilated_vpi.h"] * ("--vpi" in self.arguments))
        text = "".join(f'#include "{name}"\n' for name in names)

        def compile_into(folder: Path) -> None:
            (objects / _HEADER).write_text(text)
            (objects / "precompile.mk").write_text(_PRECOMPILE)
            self._make(objects, [f"{_HEADER}.gch"], [f"{prefix}.mk", "precompile.mk"])
            for name in (_HEADER, f"{_HEADER}.gch"):
                shutil.copy(objects / name, folder / name)

        return build_once("runtimes", content_key(text=text, **self._runtime_key(classes)), compile_into) / _HEADER

    def _runtime_key(self, classes: str) -> dict[str, object]:
        """Key of Verilator's own code: flags of the compiler, and settings in its makefile."""
        places = [index for index, argument in enumerate(self.arguments) if argument == "-CFLAGS"]
        settings = re.findall(r"^VM_(?!PARALLEL)\w+ = .*$", classes, re.MULTILINE)
        return self.key | {"arguments": [self.arguments[index + 1] for index in places], "settings": settings}

    def _make(
        self, objects: Path, goals: Sequence[str], makefiles: Sequence[str], *variables: str, header: Path | None = None
    ) -> None:
        files = [item for name in makefiles for item in ("-f", name)]
        command = ["make", "-C", str(objects), *files, f"-j{os.cpu_count() or 1}"]
        more = {"USER_CPPFLAGS": f"-include {header}"} if header else {}
        self._run([*command, *self._tools.make_variables, *self.variables, *variables, *goals], objects, more)

    def _run(self, command: list[str], folder: Path, more: dict[str, str] | None = None) -> None:
        try:
            result = run_limited(
                command,
                COMMAND_LIMIT_SECONDS,
                cwd=folder,
                env=self._environment | (more or {}),
                stderr=subprocess.STDOUT,
            )
        except CommandTimeout as error:
            raise BuildError(str(error)) from None
        if result.returncode != 0:
            # Output of the compiler, without the long lines that call it.
            said = [
                line
                for line in result.stdout.splitlines()
                if not re.match(r"g\+\+ |make(\[\d+\])?: (Enter|Leav)ing ", line)
            ]
            end = "\n".join(said[-40:])
            raise BuildError(f"{Path(command[0]).name} failed with exit status {result.returncode}:\n{end}")
