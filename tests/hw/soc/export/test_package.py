import json
import re

import pytest

from rewardware.hw.cores.random.config import GaussianConfig
from rewardware.hw.cores.random.gaussian import GaussianNoise
from rewardware.hw.cores.verilog.emit import emit
from rewardware.hw.soc.export.catalogue import find_design
from rewardware.hw.soc.export.description import PackageDescription, Port
from rewardware.hw.soc.export.lint import WAIVERS, waiver_file
from rewardware.hw.soc.export.package import package_files, split_units, write_package
from rewardware.hw.soc.export.synthesis import modules_of
from rewardware.hw.soc.export.tools import ToolError, run_tool

from .descriptions import CORE, SYSTEMS, description_of

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


def write(folder, verilog=VERILOG, name="top"):
    """A package of a text of Verilog, with a port that is no clock."""
    sources = split_units(verilog, name)
    ports = (Port(name="i", direction="in", width=1),)
    description = PackageDescription(
        name=name, design=name, description="A design.", version="1.2.3", ports=ports, files=tuple(sources)
    )
    return write_package(description, sources, folder)


def test_units_are_split_by_kind_with_what_is_inside():
    units = split_units(VERILOG, "top")
    assert {file: modules_of(text) for file, text in units.items()} == {
        "rtl/top.v": ["top", "top.inner"],
        "rtl/unit.v": ["unit", "unit.part"],
    }
    assert all(text.endswith("endmodule\n") for text in units.values())


def test_nothing_is_lost_by_the_split():
    design = find_design("array_core")
    verilog = emit(design.create(design.configure(settings={"lanes": 6})), "array_core")
    units = split_units(verilog, "array_core")
    assert sorted(modules_of("".join(units.values()))) == sorted(modules_of(verilog))
    assert len(modules_of(verilog)) == len(set(modules_of(verilog)))


def test_registers_of_one_edge_are_one_process_of_the_same_logic(tmp_path):
    text = emit(GaussianNoise(GaussianConfig(lanes=3)))
    units = "".join(split_units(text, "top").values())
    assert "always @(posedge clk)\n" in text and "always @(posedge clk)\n" not in units

    def equal(other):
        (tmp_path / "text.v").write_text(text)
        (tmp_path / "other.v").write_text(other)
        prepared = [
            f"read_verilog {file}.v\nhierarchy -top top\nproc\nflatten\nmemory_map\nopt_clean\nrename top {file}\n"
            f"design -stash {file}\n"
            for file in ("text", "other")
        ]
        compared = (
            "design -copy-from text text\ndesign -copy-from other other\nequiv_make text other pair\n"
            "hierarchy -top pair\nequiv_simple\nequiv_status -assert\n"
        )
        (tmp_path / "script.ys").write_text("".join(prepared) + compared)
        run_tool("yosys", ["-q", "script.ys"], tmp_path, "log")

    equal(units)
    statement = re.search(r"^    \S+ <= ([^;]+);\n", units, re.MULTILINE)
    with pytest.raises(ToolError, match="unproven"):
        equal(units[: statement.start(1)] + "~" + units[statement.start(1) :])


@pytest.mark.parametrize("name", [*SYSTEMS, CORE])
def test_every_file_is_named_by_the_package(tmp_path, name):
    description = description_of(name)
    files = write_package(description, dict.fromkeys(description.files, ""), tmp_path)
    written = sorted(str(file.relative_to(tmp_path)) for file in files)
    assert written == sorted({*description.files, *package_files(description)})
    assert sorted(json.loads((tmp_path / f"{name}.json").read_text())["package"]) == written
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == sorted(files)


def test_a_package_is_replaced_whole(tmp_path):
    write(tmp_path)
    assert (tmp_path / "rtl/unit.v").exists()
    write(tmp_path, "module top(i);\nendmodule\n")
    assert [path.name for path in tmp_path.rglob("*.v")] == ["top.v"]


@pytest.mark.parametrize("other", ["other", "file"])
def test_a_folder_that_holds_something_else_is_refused(tmp_path, other):
    if other == "file":
        (tmp_path / "notes.txt").write_text("mine")
    else:
        write(tmp_path, VERILOG.replace("top", "other"), "other")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    some = ", ".join(sorted(str(path.relative_to(tmp_path)) for path in before)[:3])
    with pytest.raises(ValueError, match=f"must be empty or hold a package of top alone, not {some}"):
        write(tmp_path)
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*.*")}


def test_same_input_same_bytes():
    description_of.cache_clear()
    one = package_files(description_of("fixar", "tiny"))
    description_of.cache_clear()
    assert one == package_files(description_of("fixar", "tiny"))


def test_every_waiver_has_a_reason():
    text = waiver_file()
    assert re.findall(r"lint_off -rule (\w+)", text) == list(WAIVERS)
    assert all(f"// {reason}" in text for reason in WAIVERS.values())
