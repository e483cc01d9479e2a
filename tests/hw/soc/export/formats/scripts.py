"""Runs every script of packages, whose folders are its arguments, against stubs of the vendors' tools."""

import os
import sys
import tempfile
from pathlib import Path

from .ip_core import check_core
from .kernel_xml import check_kernel_xml
from .quartus import check_build, check_component
from .vivado import Vivado

__all__ = ["check_scripts"]


def check_scripts(package: Path) -> list[str]:
    """Check every script of a package, called from another folder; returns what was checked.

    Parameters
    ----------
    package : Path
        The folder, as ``rewardware package`` wrote it.
    """
    package = package.resolve()
    (about,) = package.glob("*.f")
    name, before = about.stem, Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            return [part for check in (_vivado, _vitis, _quartus) for part in check(package, name)]
        finally:
            os.chdir(before)


def _vivado(package, name):
    for kind in ("zynq_board", "ultra_board"):
        vivado = Vivado()
        vivado.run(package / "vivado/package_ip.tcl", f"output={kind}_ip")
        check_core(vivado.core, package)
        if (package / "vivado/block_design.tcl").exists():
            vivado.run(package / "vivado/block_design.tcl", f"board={kind}", f"ip={kind}_ip", f"output={kind}")
            yield f"vivado/block_design.tcl of a {kind}"
    yield "vivado/package_ip.tcl"
    if (package / "vivado/ooc.tcl").exists():
        vivado = Vivado()
        vivado.run(package / "vivado/ooc.tcl", "part=xcu250-figd2104-2L-e")
        assert sorted(vivado.files) == sorted((package / "rtl").iterdir())
        yield "vivado/ooc.tcl"


def _vitis(package, name):
    if (package / "vitis").exists():
        vivado = Vivado()
        vivado.run(package / "vitis/package_xo.tcl")
        check_core(vivado.core, package)
        check_kernel_xml(package, name)
        yield from ("vitis/package_xo.tcl", "vitis/kernel.xml")


def _quartus(package, name):
    check_component(package, name)
    yield f"quartus/{name}_hw.tcl"
    if (package / "quartus/ooc.tcl").exists():
        check_build(package, name, "part=5CSEBA6U23I7")
        yield "quartus/ooc.tcl"


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print(f"{argument}: {', '.join(check_scripts(Path(argument)))}")
