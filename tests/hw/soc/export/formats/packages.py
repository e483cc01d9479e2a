"""Packages to run scripts of: of a system that is small and real, with rows of three words, and of a core."""

import functools
from pathlib import Path

from rewardware.hw.cores.verilog.emit import emit
from rewardware.hw.soc.bus.axi_top import AxiTop
from rewardware.hw.soc.export.catalogue import find_design
from rewardware.hw.soc.export.describe import describe
from rewardware.hw.soc.export.package import split_units, write_package
from tests.hw.soc.shell.row_memory import RowMemory, RowMemoryConfig

from .kernel import KernelConfig, KernelTop

__all__ = ["describe_kernel", "write_core", "write_kernel", "write_system"]


@functools.cache
def _system(lanes):
    config = RowMemoryConfig(lanes=lanes)
    component = AxiTop(RowMemory(config))
    sources = split_units(emit(component, "rows"), "rows")
    return describe(
        component,
        "rows",
        description='Loads "rows" and stores them [all of them].',
        configuration=config,
        files=sources,
    ), sources


def write_system(folder: Path, lanes: int = 3) -> str:
    """The package of a system whose streams have rows of so many words of 32 bits; returns the name of its top."""
    description, sources = _system(lanes)
    write_package(description, sources, folder)
    return description.name


def write_core(folder: Path, name: str) -> str:
    """The package of a core of the catalogue."""
    design = find_design(name)
    component = design.create(design.configure())
    sources = split_units(emit(component, name), name)
    write_package(describe(component, name, files=sources), sources, folder)
    return name


def describe_kernel(sources=()):
    """The description of a kernel with masters."""
    return describe(KernelTop(), "kernel", description="A kernel.", configuration=KernelConfig(), files=sources)


def write_kernel(folder: Path) -> str:
    """The package of a kernel with masters."""
    sources = split_units(emit(KernelTop(), "kernel"), "kernel")
    write_package(describe_kernel(sources), sources, folder)
    return "kernel"
