"""Checks of ``make packages``, which runs them over packages of all systems; here over a few."""

from pathlib import Path

import pytest

from tests.hw.soc.export.descriptions import CORE

from .interpreter import ScriptError
from .packages import write_core, write_kernel, write_system
from .scripts import check_scripts

VIVADO = [
    *("vivado/block_design.tcl of a zynq_board", "vivado/block_design.tcl of a ultra_board"),
    *("vivado/package_ip.tcl", "vivado/ooc.tcl"),
]


@pytest.mark.parametrize(
    "write, expected",
    [
        (lambda folder: write_system(folder, core_clock=True), [*VIVADO, "quartus/rows_hw.tcl", "quartus/ooc.tcl"]),
        (write_system, [*VIVADO, "quartus/rows_hw.tcl", "quartus/ooc.tcl"]),
        (
            write_kernel,
            [*VIVADO, "vitis/package_xo.tcl", "vitis/kernel.xml", "quartus/kernel_hw.tcl", "quartus/ooc.tcl"],
        ),
        (lambda folder: write_core(folder, CORE), [*VIVADO[2:], f"quartus/{CORE}_hw.tcl", "quartus/ooc.tcl"]),
        (lambda folder: write_core(folder, "selector"), ["vivado/package_ip.tcl", "quartus/selector_hw.tcl"]),
    ],
)
def test_every_script_of_a_package_is_run(tmp_path, write, expected):
    write(tmp_path)
    here = Path.cwd()
    assert check_scripts(tmp_path) == expected
    assert Path.cwd() == here


def test_a_broken_package_is_refused(tmp_path):
    write_system(tmp_path)
    (tmp_path / "rtl/rows.v").unlink()
    with pytest.raises(ScriptError, match="there is no file .*rtl/rows.v"):
        check_scripts(tmp_path)
