"""The scripts for Quartus and Platform Designer, run against stubs of their commands."""

from pathlib import Path

import pytest

from tests.hw.soc.export.descriptions import CORE

from .interpreter import Interpreter, ScriptError
from .packages import write_core, write_system
from .quartus import QUARTUS, check_build, check_component


def test_a_system_is_a_component(tmp_path):
    interfaces = check_component(tmp_path, write_system(tmp_path))
    kinds = {label: (interface["kind"], interface["end"]) for label, interface in interfaces.items()}
    assert kinds == {
        "aclk": ("clock", "end"),
        "aresetn": ("reset", "end"),
        "s_axi_ctrl": ("axi4lite", "end"),
        "s_axis": ("axi4stream", "end"),
        "m_axis": ("axi4stream", "start"),
        "interrupt": ("interrupt", "end"),
    }


@pytest.mark.parametrize("name, kinds", [(CORE, {"clock", "reset", "conduit"}), ("selector", {"conduit"})])
def test_a_core_is_a_component(tmp_path, name, kinds):
    interfaces = check_component(tmp_path, write_core(tmp_path, name))
    assert {interface["kind"] for interface in interfaces.values()} == kinds
    assert (tmp_path / "quartus/ooc.tcl").exists() == ("clock" in kinds)


def test_a_system_is_built_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = write_system(tmp_path / "package")
    # By a path that no longer leads to the script when it has changed the folder.
    check_build(Path("package"), name, "part=5CSEBA6U23I7", "output=made")
    # Quartus writes a project into the current folder.
    assert Path.cwd() == tmp_path / "made"


def test_what_is_missing_is_said(tmp_path):
    write_system(tmp_path)
    usage = r"Usage: quartus_sh -t quartus/ooc.tcl part=\.\.\. \[output=\.\.\.\]"
    with pytest.raises(ScriptError, match=rf"^Argument part is missing: the FPGA, such as 5CSEBA6U23I7\n{usage}$"):
        Interpreter(QUARTUS).run(tmp_path / "quartus/ooc.tcl", variable="quartus(args)")
