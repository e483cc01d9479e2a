"""Packages to run scripts of: of a system that is small and real, with rows of three words, and of a core."""

import functools
from pathlib import Path

from rewardware.hw.cores.verilog.emit import emit
from rewardware.hw.soc.bus.axi_top import AxiTop
from rewardware.hw.soc.bus.kernel_top import KernelTop
from rewardware.hw.soc.export.catalogue import find_design
from rewardware.hw.soc.export.describe import describe
from rewardware.hw.soc.export.package import split_units, write_package
from rewardware.sw.measurement.elaboration import elaborate_design
from tests.hw.soc.shell.row_memory import RowMemory, RowMemoryConfig

__all__ = ["describe_kernel", "write_core", "write_kernel", "write_system"]


def _describe(component, name, config, sources):
    # What Tcl and its commands may take for something else.
    text = '-1 row is none: loads "rows" and stores them [all of {them}].'
    return describe(component, name, description=text, configuration=config, files=sources)


@functools.cache
def _design(top, name, lanes, core_clock):
    """Description and Verilog of the row memory within a top."""
    config = RowMemoryConfig(lanes=lanes)
    component = top(RowMemory(config), core_clock=core_clock)
    sources = split_units(emit(component, name), name)
    return _describe(component, name, config, sources), sources


def write_system(folder: Path, lanes: int = 3, *, core_clock: bool = False) -> str:
    """The package of a system whose streams have rows of so many words of 32 bits; returns the name of its top."""
    write_package(*_design(AxiTop, "rows", lanes, core_clock), folder)
    return "rows"


def write_kernel(folder: Path, *, core_clock: bool = False) -> str:
    """The package of a system as a kernel, with masters."""
    write_package(*_design(KernelTop, "kernel", 3, core_clock), folder)
    return "kernel"


def describe_kernel():
    """The description of that kernel; nothing is elaborated."""
    config = RowMemoryConfig()
    return _describe(KernelTop(RowMemory(config)), "kernel", config, ["rtl/kernel.v"])


def write_core(folder: Path, name: str) -> str:
    """The package of a core of the catalogue."""
    design = elaborate_design(name, find_design(name).default_preset or "tiny")
    sources = split_units(design.verilog, name)
    write_package(describe(design.component, name, files=sources, domain=design.domain), sources, folder)
    return name
