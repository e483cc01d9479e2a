import json

import pytest

from rewardware.hw.soc.export.catalogue import CATALOGUE
from rewardware.hw.soc.export.package import write_package
from rewardware.sw.cli.designs import elaborate_design
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.cli.verilog import check, check_verilator


def test_a_core_is_written_and_accepted_by_the_tools(tmp_path, capsys):
    assert dispatch(["verilog", "operand_former", "--set", "activation_fraction=18", "-o", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "Verilator -Wall: silent" in said and "Yosys: accepted" in said and "Icarus: " in said
    parameters = json.loads((tmp_path / "operand_former.json").read_text())
    assert parameters["configuration"]["activation_fraction"] == 18


@pytest.mark.parametrize("name", [name for name, design in CATALOGUE.items() if not design.system])
def test_every_core_is_lint_clean(tmp_path, name):
    design = elaborate_design(name, "tiny")
    write_package(design.verilog, name, tmp_path, configuration=design.configuration)
    check_verilator(tmp_path, name)


def test_a_system_is_written_and_accepted_by_verilator(tmp_path):
    assert dispatch(["verilog", "fixar", "--config", "tiny", "--no-check", "-o", str(tmp_path)]) == 0
    listed = (tmp_path / "fixar.f").read_text().split()
    assert "rtl/fixar.v" in listed and "rtl/processing_element_column.v" in listed
    header = (tmp_path / "rtl/fixar.v").read_text().partition(");")[0]
    for port in ("aclk", "aresetn", "s_axi_ctrl_awaddr", "s_axis_tdata", "m_axis_tvalid", "interrupt"):
        assert port in header
    check(tmp_path, "fixar")
    assert elaborate_design("fixar", "tiny").clock == "aclk"


def test_a_system_with_presets_of_its_own(tmp_path):
    """LearningGroup as small as it gets, with every engine."""
    config = tmp_path / "least.yaml"
    config.write_text(
        "system: learninggroup\n"
        "hardware: {cores: 1, clusters: 2, cluster_vpus: 1, blocks: 1, groups: 2, features: 16, steps: 2, batches: 1}\n"
        "memories: {width: 1, update_interval: 16, choices: 2, list_rows: 64, tuples: 16}\n"
    )
    package = tmp_path / "package"
    assert dispatch(["verilog", "learninggroup", "--config", str(config), "--no-check", "-o", str(package)]) == 0
    check_verilator(package, "learninggroup")
    about = json.loads((package / "learninggroup.json").read_text())["configuration"]
    assert (about["device"]["optimizer_format"], about["update_interval"]) == ("binary32", 16)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "Design must be one of fixar, "),
        (["array_core", "--set", "lanes"], "--set must be NAME=VALUE, not 'lanes'"),
        (["array_core", "--set", "rows=4"], "Parameter of array_core must be one of lanes, "),
        (["array_core", "--set", "lanes=wide"], "Lanes must be an integer, not 'wide'"),
        (["array_core", "--frequency", "0"], "--frequency must be above 0 and below 10000 MHz, not 0.0"),
    ],
)
def test_mistakes_are_one_line(tmp_path, capsys, arguments, message):
    assert dispatch(["verilog", *arguments, "-o", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1
    assert not (tmp_path / "out").exists()
