import json
import re

import pytest

from rewardware.hw.cores.replicated import emit
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
    listed = (tmp_path / "operand_former.f").read_text().split()
    assert listed == ["rtl/operand_former.v"]
    parameters = json.loads((tmp_path / "operand_former.json").read_text())
    assert parameters["configuration"]["lanes"] == 6
    assert parameters["files"] == listed
    assert "-period 10.000" in (tmp_path / "operand_former.xdc").read_text()


def test_package_of_a_system_has_hash_registers_and_header(tmp_path):
    config = load_preset("tiny")
    write_package("module fixar(aclk);\nendmodule\n", "fixar", tmp_path, configuration=config, clock="aclk")
    parameters = json.loads((tmp_path / "fixar.json").read_text())
    assert parameters["configuration_hash"] == f"{config.configuration_hash:#010x}"
    assert parameters["registers"]
    assert "#define" in (tmp_path / "fixar.h").read_text()


def test_a_constant_process_gets_an_event_that_runs_it():
    constant = "module top(x);\n  output [1:0] x;\n  reg [1:0] x;\n  always @*\n    x[0] = 1'h0;\nendmodule\n"
    text = split_units(constant, "top")["top"]
    assert "reg \\$begin = 0;" in text
    assert "always @* begin\n    if (\\$begin ) begin end\n    x[0] = 1'h0;\n  end\n" in text


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
