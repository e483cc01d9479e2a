import importlib.metadata
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from rewardware.hw.cores.verilog.text import LINE_LENGTH
from rewardware.hw.soc.export import lint
from rewardware.hw.soc.export.catalogue import catalogue, find_design
from rewardware.hw.soc.export.describe import describe
from rewardware.hw.soc.export.lint import check_icarus, check_slang, check_yosys, compile_icarus, waiver_file
from rewardware.hw.soc.export.package import split_units, write_package
from rewardware.hw.soc.export.synthesis import modules_of, ports_of
from rewardware.sim.verilator.cache import build_once, content_key
from rewardware.sim.verilator.toolchain import find_toolchain
from rewardware.sw.cli import package as package_command
from rewardware.sw.cli.designs import elaborate_design
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.cli.package import check, check_verilator


def test_a_core_is_written_and_accepted_by_the_tools(tmp_path, capsys):
    assert dispatch(["package", "operand_former", "--set", "activation_fraction=18", "-o", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert (
        "Verilator -Wall: silent" in said
        and "Yosys: accepted" in said
        and "slang: accepted" in said
        and "Icarus: " in said
    )
    parameters = json.loads((tmp_path / "operand_former.json").read_text())
    assert parameters["configuration"]["activation_fraction"] == 18


def take_package(folder, name):
    """Every tool takes a package: once for each text of it and each version of the tools, kept in the cache."""
    texts = {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}
    checks = [Path(module.__file__).read_text() for module in (lint, package_command)]
    icarus = shutil.which("iverilog") and subprocess.run(["iverilog", "-V"], capture_output=True, timeout=60).stdout
    versions = [find_toolchain().versions, importlib.metadata.version("pyslang"), icarus]

    def check_all(made):
        check_verilator(folder, name)
        assert check_slang(folder, name)
        check_icarus(folder, name)
        (made / "taken").write_text(name)

    build_once("packages", content_key(texts=texts, checks=checks, versions=str(versions)), check_all)


@pytest.mark.parametrize("name", [name for name, design in catalogue().items() if not design.system])
def test_every_core_is_taken_by_every_tool(tmp_path, name):
    design = elaborate_design(name, find_design(name).default_preset or "tiny")
    sources = split_units(design.verilog, name)
    description = describe(design.component, name, files=sources, domain=design.domain)
    assert sorted(port.name for port in description.ports) == sorted(ports_of(design.verilog, name))
    write_package(description, sources, tmp_path)
    take_package(tmp_path, name)
    files = [path.read_text() for path in (tmp_path / "rtl").iterdir()]
    assert all(re.fullmatch(rf"{name}([._]\S+)?", module) for text in files for module in modules_of(text))
    assert not any("[-1:0]" in text for text in files)
    assert max(len(line) for text in files for line in text.splitlines() if "'h" not in line) <= LINE_LENGTH


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """A system, and a core with units of the same kinds in other sizes."""
    folder = tmp_path_factory.mktemp("packages")
    arguments = ["fixar", "--config", "tiny", "--name", "one", "--no-check", "-o", str(folder / "one")]
    assert dispatch(["package", *arguments]) == 0
    arguments = ["array_core", "--set", "lanes=6", "--name", "other", "--no-check", "-o", str(folder / "other")]
    assert dispatch(["package", *arguments]) == 0
    return folder


def test_a_system_is_written_and_accepted(packages):
    listed = (packages / "one/one.f").read_text().split()
    assert "rtl/one.v" in listed and "rtl/one_processing_element_column.v" in listed
    header = (packages / "one/rtl/one.v").read_text().partition(");")[0]
    for port in ("aclk", "aresetn", "s_axi_ctrl_awaddr", "s_axis_tdata", "m_axis_tvalid", "interrupt"):
        assert port in header
    said: list[str] = []
    found = check(packages / "one", "one", said.append)
    assert len(said) == len(found) == 7 and {*found.values()} <= {"accepted", "not installed, not checked"}
    assert all(found[tool] == "accepted" for tool in found if tool != "Icarus")
    about = json.loads((packages / "one/one.json").read_text())
    assert (about["design"], about["top"], about["clocks"][0]["port"]) == ("fixar", "one", "aclk")
    assert {path.name for path in (packages / "one").glob("*.*dc")} == {"one_ooc.xdc", "one_ooc.sdc"}


def test_a_kernel_on_a_clock_of_its_own(tmp_path):
    arguments = ["pearl", "--kernel", "--core-clock", "--name", "kernel", "--no-check", "-o", str(tmp_path)]
    assert dispatch(["package", *arguments]) == 0
    found = check(tmp_path, "kernel", lambda text: None)
    assert all(found[tool] == "accepted" for tool in found if tool != "Icarus")
    about = json.loads((tmp_path / "kernel.json").read_text())
    assert [clock["port"] for clock in about["clocks"]] == ["ap_clk", "ap_clk_2"]
    assert "source_address_low" in (tmp_path / "vitis/kernel.xml").read_text()
    assert "KERNEL_SOURCE_ADDRESS_LOW" in (tmp_path / "kernel.h").read_text()
    assert (tmp_path / "tb/movers.py").exists() and not (tmp_path / "tb/streams.py").exists()


def test_two_designs_stand_in_one_project(packages):
    modules = [modules_of(path.read_text()) for path in sorted(packages.rglob("*.v"))]
    names = [name for part in modules for name in part]
    assert len(names) == len(set(names)) and {"one_processing_element", "other_processing_element"} <= set(names)
    files = [path.name for path in packages.rglob("*.v")]
    assert len(files) == len(set(files))
    (packages / "both").mkdir()
    (packages / "both/rtl").mkdir()
    for path in (*packages.glob("one/rtl/*.v"), *packages.glob("other/rtl/*.v")):
        shutil.copy(path, packages / "both/rtl")
    (packages / "both/rtl/both.v").write_text(
        "module both(input aclk, input aresetn, input clk, input rst, output busy);\n"
        "  one one (.aclk(aclk), .aresetn(aresetn), .interrupt(busy));\n"
        "  other other (.clk(clk), .rst(rst));\nendmodule\n"
    )
    lists = "-F ../one/one.f\n-F ../other/other.f\n"
    (packages / "both/both.f").write_text(f"{lists}rtl/both.v\n")
    (packages / "both/both.vlt").write_text(waiver_file() + "lint_off -rule PINMISSING\n")
    check_verilator(packages / "both", "both")
    check_yosys(packages / "both", "both")
    compile_icarus(sorted((packages / "both/rtl").iterdir()), "both")


def test_a_core_without_a_clock_names_none(tmp_path, capsys):
    assert dispatch(["package", "selector", "--no-check", "-o", str(tmp_path)]) == 0
    assert json.loads((tmp_path / "selector.json").read_text())["clocks"] == []
    assert not list(tmp_path.glob("*_ooc*"))


def test_a_name_must_be_one_of_verilog(tmp_path, capsys):
    assert dispatch(["package", "selector", "--name", "2x", "-o", str(tmp_path / "out")]) == 2
    assert "Name must be letters, digits and underscores, a digit not first, not '2x'" in capsys.readouterr().err


def test_a_system_with_presets_of_its_own(tmp_path):
    """LearningGroup as small as it gets, with every engine."""
    config = tmp_path / "least.yaml"
    config.write_text(
        "system: learninggroup\n"
        "hardware: {cores: 1, clusters: 2, cluster_vpus: 1, blocks: 1, groups: 2, features: 16, steps: 2, batches: 1}\n"
        "memories: {width: 1, update_interval: 16, choices: 2, list_rows: 64, tuples: 16}\n"
    )
    package = tmp_path / "package"
    assert dispatch(["package", "learninggroup", "--config", str(config), "--no-check", "-o", str(package)]) == 0
    check_verilator(package, "learninggroup")
    about = json.loads((package / "learninggroup.json").read_text())["configuration"]
    assert (about["device"]["optimizer_format"], about["update_interval"]) == ("binary32", 16)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "Design must be one of a3c, dynamap, fixar, "),
        (["array_core", "--set", "lanes"], "--set must be NAME=VALUE, not 'lanes'"),
        (["array_core", "--set", "rows=4"], "Parameter of array_core must be one of lanes, "),
        (["array_core", "--set", "lanes=wide"], "Lanes must be an integer, not 'wide'"),
        (["array_core", "--kernel"], "A kernel must be a system, not the core array_core"),
        (["array_core", "--core-clock"], "What has a clock for its core must be a system, not the core array_core"),
        (["learninggroup", "--kernel"], "The register map of a kernel must end below 0x10000, not at 0x80000"),
        (["array_core", "--clock", "0"], "--clock must be above 0 and below 10000 MHz, not 0"),
        (
            ["fixar", "--part", "lfe5u-25f"],
            "Part must be one for which a clock of fixar is known (xcu50, lfe5u-85f), not",
        ),
    ],
)
def test_mistakes_are_one_line(tmp_path, capsys, arguments, message):
    assert dispatch(["package", *arguments, "-o", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_tools_that_are_not_installed_are_named(packages, monkeypatch, capsys):
    """A package is written and accepted where pip installed this one alone, without its extras."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("rewardware.sw.cli.package.check_verilator", lambda folder, name: None)
    found = check(packages / "one", "one", print)
    assert found.pop("Verilator") == "accepted"
    assert set(found.values()) == {"not installed, not checked"}
    assert "Yosys: not installed, not checked\n" in capsys.readouterr().out
