"""Verilog to a program or a shared library, through Verilator, each distinct input once."""

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from .blocks import DesignSize, split_design
from .cache import build_once, content_key
from .compiler import BuildError, Compiler
from .partition import Partition
from .tables import share_tables

__all__ = [
    "OPTIMISATION_VARIABLE",
    "PREFIX",
    "THREADS_VARIABLE",
    "BuildError",
    "DesignSize",
    "build",
    "build_library",
    "design_size",
]

# The generated class: a C++ harness includes "Vtop.h" and uses `Vtop`, whatever the name of the top module.
PREFIX = "Vtop"

# Without unique symbols: of two designs that a process loads, one would have the constants of the other.
_CODE_FLAGS = ("-CFLAGS", "-fPIC", "-CFLAGS", "-fno-gnu-unique")
_SPEED_FLAGS = ("-O3", "--x-assign", "fast", "--x-initial", "fast", "--noassert", *_CODE_FLAGS)
# More than one file costs the precompiling of headers twice, some 5 s, which only large designs give back.
_SPLIT_FLAGS = ("--output-split", "200000", "--output-split-cfuncs", "2000")
# The compiler's level for generated files: 1 compiles in two thirds of the time of 3, and simulates some 10 % slower.
OPTIMISATION_VARIABLE = "REWARDWARE_OPTIMISATION"
THREADS_VARIABLE = "REWARDWARE_THREADS"
LEVELS = ("0", "1", "2", "3")
# Instructions that a call of a block counts as where Verilator deals work out to threads.
_CALL_INSTRUCTIONS = 3000

# Headers in place of the compression libraries that FST waveforms otherwise need.
_COMPRESSION = Path(__file__).parent / "compression"
# Beside a library.
_SIZE = "size.json"


def build_library(
    verilog_text: str,
    top_name: str,
    cpp_sources: Sequence[Path],
    trace: bool = False,
    threads: int | None = None,
    whole: bool = False,
) -> Path:
    """Build a shared library that simulates a system.

    A large design is compiled in blocks (:mod:`.blocks`), a small one as a whole; both compute the same in every cycle.

    The environment variable ``REWARDWARE_OPTIMISATION`` is the C++ compiler's level for the design: 3 if it is not set,
    with the instructions of this very processor; below that with those that all have.

    Parameters
    ----------
    verilog_text : str
        The design, complete in one text.
    top_name : str
        Name of its top module. The generated class is ``Vtop`` in ``Vtop.h`` all the same.
    cpp_sources : sequence of Path
        The harness, exporting C functions. Headers beside the sources are found and count as input.
    trace : bool
        Build with FST waveforms (``VM_TRACE_FST`` is 1, ``verilated_fst_c.h`` is there), and as a whole; slower.
    threads : int or None
        Simulation threads. More than one helps only while as many cores are free: they wait for each other without
        resting. None: ``REWARDWARE_THREADS``, else 1.
    whole : bool
        Compile as a whole, however large.

    Returns
    -------
    Path
        The library, in the cache.

    Raises
    ------
    BuildError
        Verilator or the compiler failed.
    ValueError
        The level is none that the compiler has, or a number of threads below 1.
    """
    level = os.environ.get(OPTIMISATION_VARIABLE, LEVELS[-1])
    if level not in LEVELS:
        raise ValueError(f"{OPTIMISATION_VARIABLE} must be 0, 1, 2 or 3, not {level!r}")
    threads = _threads() if threads is None else threads
    if threads < 1:
        raise ValueError(f"Threads must be at least 1, not {threads}")
    dealt = ("--threads", str(threads), "--threads-dpi", "all", "--instr-count-dpi", str(_CALL_INSTRUCTIONS))
    native = " -march=native" if level == LEVELS[-1] else ""
    return build(
        verilog_text,
        top_name,
        kind="libraries",
        product="simulation.so",
        cpp_sources=cpp_sources,
        arguments=_SPEED_FLAGS,
        top_arguments=["--exe", *_SPLIT_FLAGS, *(dealt if threads > 1 else ())],
        link_flags=["-shared"],
        make_variables=[f"OPT_FAST=-O{level}{native}", "OPT_SLOW=-O0", "OPT_GLOBAL=-O2"],
        trace=trace,
        partition=Partition.none() if trace or whole else Partition.of_environment(),
    )


def _threads() -> int:
    chosen = os.environ.get(THREADS_VARIABLE, "1")
    if not chosen.isdecimal() or int(chosen) < 1:
        raise ValueError(f"{THREADS_VARIABLE} must be a number from 1 on, not {chosen!r}")
    return int(chosen)


def design_size(library: Path) -> DesignSize:
    """How large the design of a library is."""
    return DesignSize(**json.loads(library.with_name(_SIZE).read_text()))


def build(
    verilog_text: str,
    top_name: str,
    *,
    kind: str,
    product: str,
    cpp_sources: Sequence[Path] = (),
    arguments: Sequence[str] = (),
    top_arguments: Sequence[str] = (),
    link_flags: Sequence[str] = (),
    make_variables: Sequence[str] = (),
    library_folders: Sequence[Path] = (),
    trace: bool = False,
    partition: Partition | None = None,
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
    top_arguments : sequence of str
        For Verilator, but not for the blocks of a design.
    link_flags : sequence of str
        For the linker.
    make_variables : sequence of str
        For make, as ``NAME=value``.
    library_folders : sequence of Path
        Where the linker looks for libraries. The key of the cache does not hold them: whoever runs the product
        names them to the loader (``LD_LIBRARY_PATH``), so that one product serves every installation.
    trace : bool
        Build with FST waveforms.
    partition : Partition or None
        Compile a large design in blocks.
    """
    verilog_text = share_tables(verilog_text)
    sources = [Path(source).absolute() for source in cpp_sources]
    folders = sorted({source.parent for source in sources})
    given = [*arguments, *top_arguments]
    if trace:
        given.append("--trace-fst")
        folders.append(_COMPRESSION)
    compiler = Compiler(given, make_variables, library_folders)
    headers = sorted({header for folder in folders for header in folder.glob("*.h")})
    key = content_key(
        verilog=verilog_text,
        top=top_name,
        product=product,
        link_flags=list(link_flags),
        partition=None if partition is None else partition.key,
        sources={file.name: file.read_text() for file in (*sources, *headers)},
        **compiler.key,
    )

    def compile_into(folder: Path) -> None:
        design, text = folder / "design.v", verilog_text
        blocks: list[Path] = []
        if partition is not None:
            text, blocks, size = split_design(text, top_name, partition, Compiler(arguments, make_variables))
            (folder / _SIZE).write_text(json.dumps(asdict(size)))
        design.write_text(text)
        objects = folder / "objects"
        includes = [item for place in folders for item in ("-CFLAGS", f"-I{place}")]
        compiler.verilate(design, top_name, PREFIX, objects, "-o", product, *includes, *map(str, sources))
        # Given to make, not to Verilator, whose makefile would add the compression libraries.
        linked = " ".join([*link_flags, *map(str, blocks), "-pthread"])
        compiler.compile(objects, PREFIX, [], f"LDLIBS={linked}")
        shutil.move(objects / product, folder / product)
        shutil.rmtree(objects)

    return build_once(kind, key, compile_into, f"compiling the simulator of {top_name}, once") / product
