"""Verilog to a program or a shared library, through Verilator, each distinct input once."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ...hw.soc.limited_command import CommandTimeout, run_limited
from .cache import build_once, content_key
from .toolchain import find_toolchain

# The generated class: a C++ harness includes "Vtop.h" and uses `Vtop`, whatever the name of the top module.
PREFIX = "Vtop"

_SPEED_FLAGS = ("-O3", "--x-assign", "fast", "--x-initial", "fast", "--noassert")
# More than one file costs the precompiling of headers twice, some 5 s, which only large designs give back.
_SPLIT_FLAGS = ("--output-split", "200000", "--output-split-cfuncs", "2000")
# The compiler's level for generated files: 1 compiles in two thirds of the time of 3, and simulates some 10 % slower.
OPTIMISATION_VARIABLE = "REWARDWARE_OPTIMISATION"

_HEADER = "runtime.h"
# With the flags of the generated files, or the compiler would not take it.
_PRECOMPILE = """\
%.h.gch: %.h
	$(CXX) $(OPT_FAST) $(CXXFLAGS) $(CPPFLAGS) -x c++-header -o $@ $<
"""

# The largest system compiles in minutes; a command that runs longer than this hangs.
COMMAND_LIMIT_SECONDS = 3600

# Headers in place of the compression libraries that FST waveforms otherwise need.
_COMPRESSION = Path(__file__).parent / "compression"


class BuildError(RuntimeError):
    """Verilator or the C++ compiler refused, or ran out of time; the text has the end of what it said."""


def build_library(
    verilog_text: str,
    top_name: str,
    cpp_sources: Sequence[Path],
    trace: bool = False,
    threads: int = 1,
    hierarchical: bool = False,
) -> Path:
    """Build a shared library that simulates a whole system as fast as possible.

    The environment variable ``REWARDWARE_OPTIMISATION`` is the C++ compiler's level for the design, 3 if it is not set.

    Parameters
    ----------
    verilog_text : str
        The design, complete in one text.
    top_name : str
        Name of its top module. The generated class is ``Vtop`` in ``Vtop.h`` all the same.
    cpp_sources : sequence of Path
        The harness, exporting C functions. Headers beside the sources are found and count as input.
    trace : bool
        Build with FST waveforms (``VM_TRACE_FST`` is 1, ``verilated_fst_c.h`` is there); slower.
    threads : int
        Simulation threads. More than one helps only while as many cores are free.
    hierarchical : bool
        Compile modules with the marker ``/*verilator hier_block*/`` by themselves, once each. It pays where a flat
        build is too large for the processor's caches, with blocks of about 64 lanes; small blocks are slower so.

    Returns
    -------
    Path
        The library, in the cache.

    Raises
    ------
    BuildError
        Verilator or the compiler failed.
    ValueError
        The level is none that the compiler has.
    """
    arguments = ["--exe", *_SPEED_FLAGS, *_SPLIT_FLAGS, "-CFLAGS", "-fPIC"]
    if threads > 1:
        arguments += ["--threads", str(threads)]
    if hierarchical:
        arguments.append("--hierarchical")
    return build(
        verilog_text,
        top_name,
        kind="libraries",
        product="simulation.so",
        cpp_sources=cpp_sources,
        arguments=arguments,
        link_flags=["-shared"],
        make_variables=[f"OPT_FAST=-O{_optimisation()} -march=native", "OPT_SLOW=-O0", "OPT_GLOBAL=-O2"],
        trace=trace,
    )


def _optimisation() -> str:
    level = os.environ.get(OPTIMISATION_VARIABLE, "3")
    if level not in ("0", "1", "2", "3"):
        raise ValueError(f"{OPTIMISATION_VARIABLE} must be 0, 1, 2 or 3, not {level!r}")
    return level


def build(
    verilog_text: str,
    top_name: str,
    *,
    kind: str,
    product: str,
    cpp_sources: Sequence[Path] = (),
    arguments: Sequence[str] = (),
    link_flags: Sequence[str] = (),
    make_variables: Sequence[str] = (),
    library_folders: Sequence[Path] = (),
    trace: bool = False,
) -> Path:
    """Build ``product`` from a design and C++ sources, or find it in the cache.

    Parameters
    ----------
    verilog_text, top_name : str
        The design and its top module.
    kind : str
        Folder in the cache.
    product : str
        File name of the result.
    cpp_sources : sequence of Path
        Further files to compile and link.
    arguments : sequence of str
        For Verilator.
    link_flags : sequence of str
        For the linker.
    make_variables : sequence of str
        For make, as ``NAME=value``.
    library_folders : sequence of Path
        Where the linker looks for libraries. The key of the cache does not hold them: whoever runs the product
        names them to the loader (``LD_LIBRARY_PATH``), so that one product serves every installation.
    trace : bool
        Build with FST waveforms.
    """
    tools = find_toolchain()
    sources = [Path(source).absolute() for source in cpp_sources]
    folders = sorted({source.parent for source in sources})
    arguments = [*arguments]
    if trace:
        arguments.append("--trace-fst")
        folders.append(_COMPRESSION)
    includes = [item for folder in folders for item in ("-CFLAGS", f"-I{folder}")]
    environment = dict(tools.environment)
    if library_folders:
        environment["LIBRARY_PATH"] = os.pathsep.join(map(str, library_folders))
    headers = sorted({header for folder in folders for header in folder.glob("*.h")})
    # Given to make, not to Verilator, whose makefile would add the compression libraries.
    libraries = " ".join([*link_flags, "-pthread"])
    variables = [*tools.make_variables, f"LDLIBS={libraries}", *make_variables]
    key = content_key(
        verilog=verilog_text,
        top=top_name,
        product=product,
        arguments=arguments,
        make_variables=variables,
        sources={file.name: file.read_text() for file in (*sources, *headers)},
        versions=tools.versions,
    )

    def compile_into(folder: Path) -> None:
        design = folder / "design.v"
        design.write_text(verilog_text)
        objects = folder / "objects"
        command = [tools.verilator, "--cc", "--prefix", PREFIX, "--top-module", top_name, "--Mdir", str(objects)]
        command += ["-Wno-fatal", "-Wno-lint", "-Wno-style", "--no-timing", "-o", product, *arguments, *includes]
        _run([*command, str(design), *map(str, sources)], folder, environment)
        header = _reuse_runtime(objects, [*arguments, *variables, tools.versions], variables, environment)
        # Verilator's makefile precompiles headers of its own where it compiles more than one file.
        alone = "VM_PARALLEL_BUILDS = 0" in (objects / f"{PREFIX}_classes.mk").read_text()
        extended = environment | {"USER_CPPFLAGS": f"-include {header}"} if alone else environment
        _make(objects, [], variables, extended, f"{PREFIX}{'_hier' if '--hierarchical' in arguments else ''}.mk")
        shutil.move(objects / product, folder / product)
        shutil.rmtree(objects)

    return build_once(kind, key, compile_into, f"compiling the simulator of {top_name}, once") / product


def _reuse_runtime(objects: Path, flags: Sequence[str], variables: list[str], environment: dict[str, str]) -> Path:
    """Put Verilator's own object files where make looks for them: they depend on the flags, not on the design.

    They are most of the compile time of a small component, and reading its headers most of the rest.

    Returns
    -------
    Path
        A header of Verilator's headers that is precompiled for these flags.
    """
    classes = (objects / f"{PREFIX}_classes.mk").read_text()
    names = [
        f"{name}.o"
        for listed in re.findall(r"^VM_GLOBAL_(?:FAST|SLOW) \+= \\\n((?:\s+\w+ \\\n)*)", classes, re.MULTILINE)
        for name in re.findall(r"\w+", listed)
    ]
    headers = [f'#include "{name}"\n' for name in ("verilated.h", *["verilated_vpi.h"] * ("--vpi" in flags))]

    def compile_into(folder: Path) -> None:
        (objects / _HEADER).write_text("".join(headers))
        (objects / "precompile.mk").write_text(_PRECOMPILE)
        _make(objects, [*names, f"{_HEADER}.gch"], variables, environment, f"{PREFIX}.mk", "precompile.mk")
        for name in (*names, _HEADER, f"{_HEADER}.gch"):
            shutil.copy(objects / name, folder / name)

    runtime = build_once("runtimes", content_key(names=names, headers=headers, flags=list(flags)), compile_into)
    for name in names:
        # A plain copy is newer than the makefile, so make takes it as it is.
        shutil.copyfile(runtime / name, objects / name)
    return runtime / _HEADER


def _make(objects: Path, goals: list[str], variables: list[str], environment: dict[str, str], *makefiles: str) -> None:
    files = [item for name in makefiles or (f"{PREFIX}.mk",) for item in ("-f", name)]
    command = ["make", "-C", str(objects), *files, f"-j{os.cpu_count() or 1}", *variables, *goals]
    _run(command, objects, environment)


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    try:
        result = run_limited(command, COMMAND_LIMIT_SECONDS, cwd=folder, env=environment, stderr=subprocess.STDOUT)
    except CommandTimeout as error:
        raise BuildError(str(error)) from None
    if result.returncode != 0:
        # What the compiler says, without the long lines that call it.
        said = [
            line
            for line in result.stdout.splitlines()
            if not re.match(r"g\+\+ |make(\[\d+\])?: (Enter|Leav)ing ", line)
        ]
        end = "\n".join(said[-40:])
        raise BuildError(f"{Path(command[0]).name} failed with exit status {result.returncode}:\n{end}")
