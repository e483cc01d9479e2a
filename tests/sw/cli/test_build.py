import dataclasses
import json
import threading
from types import SimpleNamespace

import pytest

from rewardware.hw.soc.boards.board import find_board
from rewardware.hw.soc.bus.uart_bridge import UartTop
from rewardware.hw.soc.export.placement import PLACERS, ROUTERS, Algorithms, CriticalPath, Placement
from rewardware.hw.soc.export.synthesis import Block, Synthesis
from rewardware.hw.soc.export.tools import tool_version
from rewardware.hw.soc.target import clocks
from rewardware.hw.soc.target.clocks import DefaultClock
from rewardware.hw.soc.target.target import Resources
from rewardware.sim.verilog import emitted
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.measurement import board_flow
from rewardware.sw.measurement import tool_cache as cached
from rewardware.sw.measurement.board_flow import as_text, build_board


@pytest.fixture
def tools(monkeypatch, tmp_path):
    """Synthesis and placement of the whole board take minutes (`make boards`): here they are what a test says, of a
    system that is its ports alone."""
    said = SimpleNamespace(used=Resources(lut=30_000, ff=20_000, dsp=131, bram=90), frequency=82.0)
    (tmp_path / "design.config").write_text("config")
    (tmp_path / "placement.txt").write_text("log")

    def synthesise(verilog, top, target, **options):
        loop = {"ulx3s_85f": "EHXPLLL", "icebreaker": "SB_GB_IO"}[top]
        assert loop in verilog and f"module {top}_system(" in verilog
        said.options = options["options"]
        block = Block(name=top, instances=1, resources=said.used)
        return cached.Synthesised(Synthesis(target=target, blocks=(block,)), tmp_path)

    elaborate = emitted.emitted

    def without_boards(component, name, **options):
        if isinstance(component, UartTop):
            return f"module {name}(clk); endmodule\n"
        return elaborate(component, name, **options)

    def place(synthesised, constraints, **options):
        said.constraints, said.placing = constraints, options
        used = {"TRELLIS_COMB": (31_000, 83_640), "TRELLIS_FF": (20_000, 83_640), "MULT18X18D": (131, 156)}
        used |= {"ICESTORM_LC": (5_000, 5_280), "ICESTORM_DSP": (0, 8), "ICESTORM_RAM": (20, 30)}
        path = CriticalPath(start="a", end="b", delay=18.0, levels=9, through=())
        placement = Placement(
            frequency=said.frequency, clocks={}, utilization={**used, "DP16KD": (90, 208)}, critical_path=path
        )
        return cached.Placed(placement, tmp_path)

    monkeypatch.setattr(emitted, "emitted", without_boards)
    monkeypatch.setattr(cached, "synthesise_once", synthesise)
    monkeypatch.setattr(cached, "place_once", place)
    return said


def test_a_build_leaves_files_and_a_report(tools, tmp_path):
    folder = tmp_path / "out"
    report = build_board("ulx3s-85f", "tiny", folder)
    assert report["met"] and report["frequency_mhz"] == 82.0
    assert report["utilization"]["dsp"] == [131, 156]
    assert json.loads((folder / "report.json").read_text()) == report
    assert {"ulx3s_85f.v", "ulx3s_85f_system.v", "ulx3s_85f.config"} < {file.name for file in folder.iterdir()}
    assert (folder / "ulx3s_85f.lpf").read_text() == tools.constraints
    assert tools.options == "-nowidelut"
    assert tools.placing["part"] == ["--85k", "--package", "CABGA381", "--speed", "6"]
    assert (tools.placing["tool"], tools.placing["frequency"]) == ("nextpnr-ecp5", 80)
    assert "131 of    156   84.0 %" in as_text(report)
    assert report["made_by"]["options"] == "--placer static --router router1" and report["made_by"]["seed"] == 1
    assert report["made_by"]["placement"] == tool_version("nextpnr-ecp5")
    assert f"by {tool_version('yosys')}; " in as_text(report)
    assert "--placer static --router router1, seed 1" in as_text(report)


@pytest.mark.parametrize(
    ("system", "extent"),
    [
        ("a3c", "4 agents, 4-64-64-(2 | 1), 1 forward, 1 backward, 1 gradient engines of 2"),
        ("dynamap", "8 x 6 elements of 8 bits, 65536 words of feature maps"),
        ("fixar", "1 x 2 x 2 processing elements"),
        ("learninggroup", "1 x 2 VPUs"),
        (
            "maac",
            "4 agents, hidden 16, 4 heads, 1 at once, bfloat16_flush; policy units 1-1-1; critic units 1-1-1-1-1-1-1; "
            "layers share lanes of the optimiser",
        ),
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
    assert tools.placing["algorithms"] == Algorithms(placer=placer)


@pytest.mark.parametrize("option", [[], ["--timing-ripup"]])
def test_slow_wires_are_routed_again_for_whom_wants_that(tools, option, tmp_path, monkeypatch):
    monkeypatch.setattr("rewardware.hw.soc.export.tools.run_tool", lambda *arguments: "")
    build = "build", "pearl", "--board", "ulx3s-85f", "--config", "small", "-o", str(tmp_path / "out")
    assert dispatch([*build, *option]) == 0
    assert tools.placing["algorithms"].timing_ripup is bool(option)
    options = json.loads((tmp_path / "out/report.json").read_text())["made_by"]["options"]
    assert options == "--placer static --router router1" + (" --tmg-ripup" if option else "")


@pytest.mark.parametrize("router", ROUTERS)
def test_the_router_can_be_chosen(tools, router):
    build_board("ulx3s-85f", "tiny", router=router)
    assert tools.placing["algorithms"] == Algorithms(router=router)


def test_the_best_of_several_seeds_is_taken(tools, tmp_path, monkeypatch, capsys):
    clocks_of_seeds = {1: 81.0, 2: 92.0, 3: 79.0}
    place, together, alone = cached.place_once, threading.Barrier(2, timeout=60), threading.Lock()

    def place_with(*arguments, seed, **options):
        if seed < 3:
            together.wait()
        with alone:
            tools.frequency = clocks_of_seeds[seed]
            return place(*arguments, **options)

    monkeypatch.setattr(cached, "place_once", place_with)
    monkeypatch.setattr("rewardware.hw.soc.export.tools.run_tool", lambda *arguments: "")
    folder = tmp_path / "out"
    build = ["build", "fixar", "--board", "ulx3s-85f", "--config", "tiny", "-o", str(folder), "--seeds", "3"]
    assert dispatch([*build, "--jobs", "2"]) == 0
    report = json.loads((folder / "report.json").read_text())
    assert report["frequency_mhz"] == 92.0
    assert report["seeds"] == {
        "best_seed": 2,
        "spread_mhz": [79.0, 92.0],
        "seeds_mhz": {str(seed): clock for seed, clock in clocks_of_seeds.items()},
        "failed_seeds": [],
    }
    assert "3 seeds: 79.0 to 92.0 MHz, the best with seed 2" in as_text(report)
    assert report["made_by"]["seed"] == 2 and "router1, seed 2" in as_text(report)
    assert dispatch([*build, "--jobs", "0"]) == 2
    assert "--jobs must be at least 1, not 0" in capsys.readouterr().err
    monkeypatch.setattr(cached, "synthesise_once", None)
    with pytest.raises(ValueError, match="Seeds must be at least 1, not 0"):
        build_board("ulx3s-85f", "tiny", seeds=0)


def test_a_clock_that_is_missed_is_said(tools):
    tools.frequency = clocks.default_clock("fixar", find_board("ulx3s-85f").part).mhz - 1
    report = build_board("ulx3s-85f", "tiny")
    assert not report["met"]
    assert "NOT MET" in as_text(report)
    tools.frequency += 1
    assert build_board("ulx3s-85f", "tiny")["met"]


def test_a_configuration_that_does_not_fit_says_what_is_short(tools):
    tools.used = Resources(lut=30_000, ff=20_000, dsp=281, bram=90)
    with pytest.raises(ValueError, match="tiny does not fit ulx3s-85f: it needs 281 MULT18X18D of 156"):
        build_board("ulx3s-85f", "tiny")


def test_another_clock_is_made_and_placed_for(tools):
    report = build_board("ulx3s-85f", "tiny", clock_mhz=90)
    assert (report["clock_mhz"], tools.placing["frequency"], report["met"]) == (90, 90, False)


def test_a_system_has_the_clock_that_a_tool_has_placed_on_the_part(tools, monkeypatch):
    rows = (DefaultClock(part="lfe5u-45f", mhz=90, source=""), DefaultClock(part="lfe5u-85f", mhz=80.5, source=""))
    monkeypatch.setattr(clocks, "load_clocks", lambda: {"pearl": rows})
    assert build_board("ulx3s-85f", system="pearl")["clock_mhz"] == 80
    assert build_board("ulx3s-85f", system="pearl", clock_mhz=60)["clock_mhz"] == 60
    assert build_board("ulx3s-85f", system="mcts")["clock_mhz"] == 50
    # The loop cannot make 85 MHz of 48.
    monkeypatch.setattr(clocks, "load_clocks", lambda: {"pearl": (dataclasses.replace(rows[1], mhz=85),)})
    assert board_flow._placed_clock(find_board("ulx3s-85f"), "pearl").mhz == 85
    assert board_flow._placed_clock(find_board("orangecrab-85f"), "pearl") is None


def test_a_system_has_the_placer_the_router_and_the_seed_that_placed_it(tools, monkeypatch):
    row = DefaultClock(part="lfe5u-85f", mhz=40, source="", placer="heap", router="router2", seed=3)
    monkeypatch.setattr(clocks, "load_clocks", lambda: {"pearl": (row,)})
    assert build_board("ulx3s-85f", system="pearl")["made_by"]["seed"] == 3
    assert (tools.placing["algorithms"], tools.placing["seed"]) == (Algorithms(placer="heap", router="router2"), 3)
    assert build_board("ulx3s-85f", system="pearl", placer="static", router="router1", seed=1)["made_by"]["seed"] == 1
    assert (tools.placing["algorithms"], tools.placing["seed"]) == (Algorithms(placer="static", router="router1"), 1)
    assert build_board("ulx3s-85f", system="mcts")["made_by"]["seed"] == 1
    assert tools.placing["algorithms"] == Algorithms()


def test_ice40_is_placed_by_its_own_tool(tools, tmp_path):
    tools.used = Resources(lut=5_000)
    report = build_board("icebreaker", "small", tmp_path / "out", system="pearl")
    assert tools.placing["tool"] == "nextpnr-ice40" and tools.placing["part"] == ["--up5k", "--package", "sg48"]
    assert "set_io uart_0__rx__io 6" in tools.constraints
    assert report["utilization"]["bram"] == [20, 30]
    assert (tmp_path / "out" / "icebreaker.asc").exists()


@pytest.mark.parametrize(("board", "tool"), [("arty-a7-35", "Vivado"), ("de10-nano", "Quartus")])
def test_for_the_vendors_tools_a_project_is_written(tools, board, tool, tmp_path, capsys):
    assert dispatch(["build", "pearl", "--board", board, "--config", "small", "-o", str(tmp_path)]) == 0
    assert f"a project for {tool}, with its README.md, in {tmp_path}" in capsys.readouterr().out
    name = f"{board.replace('-', '_')}_system"
    assert f"module {name}(" in (tmp_path / f"{name}.v").read_text()
    assert json.loads((tmp_path / "report.json").read_text())["flow"] == tool
    seeds, algorithms = (["--seed", "1"], ["--seeds", "2"]), (["--placer", "heap"], ["--router", "router2"])
    for option in (*seeds, *algorithms, ["--timing-ripup"]):
        assert dispatch(["build", "pearl", "--board", board, "--config", "small", "-o", str(tmp_path), *option]) == 2
        assert (
            f"Seeds, placers, routers and --timing-ripup are for nextpnr: {tool} places for {board}"
            in capsys.readouterr().err
        )


def test_an_unknown_board_is_named(capsys, tmp_path):
    with pytest.raises(SystemExit):
        dispatch(["build", "fixar", "--board", "ulx4s", "-o", str(tmp_path)])
    assert "'ulx4s'" in capsys.readouterr().err


def test_a_system_that_fits_no_preset_is_refused_before_any_work(capsys, tmp_path):
    assert dispatch(["build", "fixar", "--board", "icebreaker", "-o", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert "No preset of fixar for boards (ulx3s) fits icebreaker (iCE40 UltraPlus 5K): presets that fit: " in said
    assert "; fixar fits " in said and "ulx3s-85f" in said.partition("; fixar fits ")[2]
    assert not (tmp_path / "out").exists()
