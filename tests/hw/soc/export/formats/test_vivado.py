"""The scripts for Vivado, run against stubs of its commands."""

import pytest

from tests.hw.soc.export.descriptions import CORE

from .interpreter import ScriptError
from .ip_core import check_core
from .packages import write_core, write_system
from .vivado import Vivado


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of a system; scripts are run from another folder."""
    write_system(tmp_path / "rows")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path / "rows"


def test_a_system_is_packaged_as_a_core(package, tmp_path):
    vivado = Vivado()
    vivado.run(package / "vivado/package_ip.tcl")
    assert sorted(vivado.files) == sorted((package / "rtl").iterdir())
    check_core(vivado.core, package)
    ((name, (core, folder)),) = vivado.cores.items()
    assert (core, folder) == (vivado.core, tmp_path / "elsewhere/rows_ip")
    assert name.startswith("rewardware:systems:rows:")
    assert set(core.all("bus_interface")) == {"aclk", "aresetn", "interrupt", "s_axi_ctrl", "s_axis", "m_axis"}
    # A core in a catalogue is whole: it is checked, then saved, and nothing is changed after that.
    ends = [call.name for call in vivado.calls[-3:]]
    assert ends == ["ipx::check_integrity", "ipx::save_core", "close_project"]
    (packaged,) = vivado.called("ipx::package_project")
    assert {"import_files", "force"} <= set(packaged.options)


# The second one has no clock.
@pytest.mark.parametrize("name", [CORE, "selector"])
def test_a_core_without_buses_is_packaged(tmp_path, name):
    write_core(tmp_path / "package", name)
    vivado = Vivado()
    vivado.run(tmp_path / "package/vivado/package_ip.tcl", f"output={tmp_path / 'a folder'}")
    check_core(vivado.core, tmp_path / "package")
    ((_, folder),) = vivado.cores.values()
    assert folder == tmp_path / "a folder"
    assert not (tmp_path / "package/vivado/block_design.tcl").exists()


def test_a_system_is_built_alone(package, tmp_path):
    vivado = Vivado()
    vivado.run(package / "vivado/ooc.tcl", "part=xcu250-figd2104-2L-e", "output=reports")
    assert sorted(vivado.files) == sorted((package / "rtl").iterdir())
    steps = [call.name for call in vivado.calls if call.name != "read_verilog"]
    assert steps == [
        *("read_xdc", "synth_design", "opt_design", "place_design", "phys_opt_design", "route_design"),
        *("report_utilization", "report_timing_summary", "write_checkpoint"),
    ]
    (read,), (synthesised,) = vivado.called("read_xdc"), vivado.called("synth_design")
    assert (read.words, read.options) == ((str(package / "rows_ooc.xdc"),), {"mode": "out_of_context"})
    assert synthesised.options == {"top": "rows", "part": "xcu250-figd2104-2L-e", "mode": "out_of_context"}
    written = {path.name for path in (tmp_path / "elsewhere/reports").iterdir()}
    assert written == {"rows_utilization.rpt", "rows_timing.rpt"}


def test_what_is_missing_is_said(package):
    usage = r"Usage: vivado -mode batch -source vivado/ooc.tcl -tclargs part=\.\.\. \[output=\.\.\.\]"
    with pytest.raises(ScriptError, match=rf"^Argument part is missing: the FPGA, such as xc7z020clg400-1\n{usage}$"):
        Vivado().run(package / "vivado/ooc.tcl")
    for given in ("xc7z020clg400-1", "prat=xc7z020clg400-1", "part="):
        message = rf'^Argument must be one of part=\.\.\., output=\.\.\., not "{given}"\n{usage}$'
        with pytest.raises(ScriptError, match=message):
            Vivado().run(package / "vivado/ooc.tcl", given)


@pytest.mark.parametrize(
    "script, call", [("proc f {} {}; g", 'invalid command name "g"'), ("add_files -here x", "add_files has no option")]
)
def test_stubs_refuse_what_the_tool_does_not_know(tmp_path, script, call):
    (tmp_path / "script.tcl").write_text(script)
    with pytest.raises(ScriptError, match=call):
        Vivado().run(tmp_path / "script.tcl")
