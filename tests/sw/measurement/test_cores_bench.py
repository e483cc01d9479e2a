"""Resources of cores of the catalogue by themselves."""

from rewardware.hw.soc.export.catalogue import catalogue
from rewardware.sw.cli.report import make_report
from rewardware.sw.measurement.cores_bench import PARTS, CoresBench
from rewardware.sw.measurement.elaboration import elaborate_design


def test_there_is_a_figure_for_each_core_of_the_catalogue():
    ids = list(CoresBench().ids())
    assert "shell" in ids and "fixar" not in ids and {*ids} < {*catalogue()}


def test_figures_are_those_of_a_report():
    name = "float_comparator"
    (row,) = CoresBench().rows([name])
    verilog = elaborate_design(name).verilog
    assert row["resources"] == {part: make_report(name, verilog, part)["total"] for part in PARTS}
    assert (row["value"], row["unit"]) == (row["resources"]["xcu50"]["lut"], "LUT6")
    assert f"lfe5u-85f: {row['resources']['lfe5u-85f']['lut']:g} LUT4, " in row["how"]
