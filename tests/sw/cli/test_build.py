import json
from types import SimpleNamespace

import pytest

from rewardware.hw.soc.boards.ulx3s_85f import CLOCK_MHZ
from rewardware.hw.soc.export.placement import PLACERS, CriticalPath, Placement
from rewardware.hw.soc.export.synthesis import Block, Synthesis
from rewardware.hw.soc.target.target import Resources
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.measurement import board_flow
from rewardware.sw.measurement import tool_cache as cached
from rewardware.sw.measurement.board_flow import as_text, build_board


@pytest.fixture
def tools(monkeypatch, tmp_path):
    """Synthesis and placement of the whole board take minutes (`make boards`): here they are what a test says."""
    said = SimpleNamespace(used=Resources(lut=30_000, ff=20_000, dsp=131, bram=90), frequency=55.0)
    (tmp_path / "design.config").write_text("config")
    (tmp_path / "placement.txt").write_text("log")

    def synthesise(verilog, top, target, **options):
        assert top == "ulx3s_85f" and target == "ecp5" and "EHXPLLL" in verilog
        block = Block(name=top, instances=1, resources=said.used)
        return cached.Synthesised(Synthesis(target=target, blocks=(block,)), tmp_path)

    def place(synthesised, constraints, **options):
        assert constraints.name == "ulx3s-85f.lpf" and options["speed"] == 6
        said.placer = options["placer"]
        used = {"TRELLIS_COMB": (31_000, 83_640), "TRELLIS_FF": (20_000, 83_640), "MULT18X18D": (131, 156)}
        path = CriticalPath(start="a", end="b", delay=18.0, levels=9, through=())
        placement = Placement(
            frequency=said.frequency, clocks={}, utilization={**used, "DP16KD": (90, 208)}, critical_path=path
        )
        return cached.Placed(placement, tmp_path)

    monkeypatch.setattr(cached, "synthesise_once", synthesise)
    monkeypatch.setattr(cached, "place_once", place)
    return said


def test_a_build_leaves_files_and_a_report(tools, tmp_path):
    folder = tmp_path / "out"
    report = build_board("ulx3s-85f", "tiny", folder)
    assert report["met"] and report["frequency_mhz"] == 55.0
    assert report["utilization"]["dsp"] == [131, 156]
    assert json.loads((folder / "report.json").read_text()) == report
    assert (folder / "ulx3s_85f.v").exists() and (folder / "ulx3s-85f.lpf").exists()
    assert "131 of    156   84.0 %" in as_text(report)


@pytest.mark.parametrize(
    ("system", "extent"),
    [
        ("a3c", "4 agents, 4-64-64-(2 | 1), 1 forward, 1 backward, 1 gradient engines of 2"),
        ("dynamap", "8 x 6 elements of 8 bits, 65536 words of feature maps"),
        ("fixar", "1 x 2 x 2 processing elements"),
        ("learninggroup", "1 x 2 VPUs"),
        ("mcts", "3000 nodes of 4 children, 8 levels, 16 banks"),
        ("pearl", "32768 priorities, fanout 16"),
    ],
)
def test_every_system_of_a_board_has_a_preset(tools, system, extent):
    report = build_board("ulx3s-85f", system=system)
    assert (report["system"], report["preset"]) == (system, "ulx3s")
    assert f"{system}, preset ulx3s: {extent}, configuration 0x" in as_text(report)


@pytest.mark.parametrize("placer", PLACERS)
def test_the_placer_can_be_chosen(tools, placer):
    build_board("ulx3s-85f", "tiny", placer=placer)
    assert tools.placer == placer


def test_a_clock_that_is_missed_is_said(tools):
    tools.frequency = CLOCK_MHZ - 1
    report = build_board("ulx3s-85f", "tiny")
    assert not report["met"]
    assert "NOT MET" in as_text(report)


def test_a_configuration_that_does_not_fit_says_what_is_short(tools):
    tools.used = Resources(lut=30_000, ff=20_000, dsp=281, bram=90)
    with pytest.raises(ValueError, match="tiny does not fit ulx3s-85f: it needs 281 MULT18X18D of 156"):
        build_board("ulx3s-85f", "tiny")


def test_an_unknown_board_is_named(capsys, tmp_path):
    with pytest.raises(SystemExit):
        dispatch(["build", "fixar", "--board", "ulx4s", "-o", str(tmp_path)])
    assert "'ulx4s'" in capsys.readouterr().err
    with pytest.raises(ValueError, match="Board must be one of ulx3s-85f, not 'ulx4s'"):
        board_flow.build_board("ulx4s")
    systems = "a3c, dynamap, fixar, learninggroup, mcts, pearl, pearl_learner"
    with pytest.raises(ValueError, match=f"System for ulx3s-85f must be one of {systems}, not 'maac'"):
        board_flow.build_board("ulx3s-85f", system="maac")
