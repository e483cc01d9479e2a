import json
import re

import pytest

from rewardware.hw.cores.verilog.emit import emit
from rewardware.hw.soc.export.catalogue import find_design
from rewardware.hw.soc.export.constraints import sdc, xdc
from rewardware.hw.soc.export.lint import WAIVERS, waiver_file
from rewardware.hw.soc.export.package import split_units, write_package
from rewardware.hw.soc.export.synthesis import modules_of
from rewardware.hw.soc.presets import load_preset

VERILOG = """/* Generated */
module unit(clk);
  input clk;
  \\unit.part  part ();
endmodule
(* generator = "Amaranth" *)
module \\unit.part ();
endmodule

module top(clk);
  input clk;
  unit unit_0 (.clk(clk));
endmodule
module \\top.inner ();
endmodule
"""


def test_units_are_split_by_kind_with_what_is_inside():
    units = split_units(VERILOG, "top")
    assert {unit: modules_of(text) for unit, text in units.items()} == {
        "top": ["top", "top.inner"],
        "unit": ["unit", "unit.part"],
    }
    assert all(text.endswith("endmodule\n") for text in units.values())


def test_nothing_is_lost_by_the_split():
    design = find_design("array_core")
    verilog = emit(design.create(design.configure(settings={"lanes": 6})), "array_core")
    units = split_units(verilog, "array_core")
    assert sorted(modules_of("".join(units.values()))) == sorted(modules_of(verilog))
    assert len(modules_of(verilog)) == len(set(modules_of(verilog)))


def test_package_of_a_core(tmp_path):
    design = find_design("operand_former")
    configuration = design.configure(settings={"lanes": 6})
    verilog = emit(design.create(configuration), "operand_former")
    files = write_package(verilog, "operand_former", tmp_path, configuration=configuration, frequency=100)
    assert all(file.exists() for file in files)
    listed = [line for line in (tmp_path / "operand_former.f").read_text().splitlines() if not line.startswith("//")]
    assert listed == ["rtl/operand_former.v"]
    parameters = json.loads((tmp_path / "operand_former.json").read_text())
    assert parameters["configuration"]["lanes"] == 6
    assert parameters["files"] == listed
    assert "-period 10.000" in (tmp_path / "operand_former_ooc.xdc").read_text()


def test_package_of_a_system_has_hash_registers_and_header(tmp_path):
    config = load_preset("tiny")
    write_package("module fixar(aclk);\nendmodule\n", "fixar", tmp_path, configuration=config, clock="aclk")
    parameters = json.loads((tmp_path / "fixar.json").read_text())
    assert parameters["configuration_hash"] == f"{config.configuration_hash:#010x}"
    assert parameters["registers"]
    assert "#define" in (tmp_path / "fixar.h").read_text()


def test_without_a_clock_there_are_no_constraints(tmp_path):
    files = write_package("module top(i);\nendmodule\n", "top", tmp_path, clock=None)
    assert not [file for file in files if "_ooc" in file.name]
    assert json.loads((tmp_path / "top.json").read_text())["clock"] is None


def test_an_export_is_replaced_whole(tmp_path):
    write_package(VERILOG, "top", tmp_path)
    assert (tmp_path / "rtl/unit.v").exists()
    write_package("module top(i);\nendmodule\n", "top", tmp_path, clock=None)
    assert sorted(path.name for path in tmp_path.rglob("*.*")) == ["top.f", "top.json", "top.v", "top.vlt"]


@pytest.mark.parametrize("other", ["other", "file"])
def test_a_folder_that_holds_something_else_is_refused(tmp_path, other):
    if other == "file":
        (tmp_path / "notes.txt").write_text("mine")
        some = "notes.txt"
    else:
        write_package(VERILOG.replace("top", "other"), "other", tmp_path)
        some = "other.f, other.json, other.vlt"
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    with pytest.raises(ValueError, match=f"must be empty or hold an export of top alone, not {some}"):
        write_package(VERILOG, "top", tmp_path)
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*.*")}


def test_same_input_same_bytes(tmp_path):
    for folder in ("one", "two"):
        write_package(VERILOG, "top", tmp_path / folder, configuration=load_preset("tiny"))
    one, two = ({p.name: p.read_bytes() for p in (tmp_path / f).rglob("*.*")} for f in ("one", "two"))
    assert one == two


@pytest.mark.parametrize("write", [xdc, sdc])
def test_constraints_name_clock_and_period(write):
    assert "create_clock -name aclk -period 6.098 [get_ports aclk]" in write("aclk", 164)


def test_every_waiver_has_a_reason():
    text = waiver_file()
    assert re.findall(r"lint_off -rule (\w+)", text) == list(WAIVERS)
    assert all(f"// {reason}" in text for reason in WAIVERS.values())
