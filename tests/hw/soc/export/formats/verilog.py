"""A package's Verilog as slang elaborates it: the ports of the top."""

import functools
from collections.abc import Iterable
from pathlib import Path

__all__ = ["ports_in"]


def ports_in(files: Iterable[Path], top: str) -> dict[str, tuple[str, int]]:
    """Direction, ``"in"`` or ``"out"``, and bits of each port of the top module, by its name."""
    return _ports_in(tuple(files), top)


@functools.cache
def _ports_in(files: tuple[Path, ...], top: str) -> dict[str, tuple[str, int]]:
    from pyslang.driver import Driver

    driver = Driver()
    driver.addStandardArgs()
    names = " ".join(f'"{file}"' for file in files)
    assert driver.parseCommandLine(f"slang --std 1364-2005 --top {top} {names}")
    assert driver.processOptions() and driver.parseAllSources()
    (instance,) = driver.createCompilation().getRoot().topInstances
    directions = {"In": "in", "Out": "out"}
    return {port.name: (directions[port.direction.name], int(port.type.bitWidth)) for port in instance.body.portList}
