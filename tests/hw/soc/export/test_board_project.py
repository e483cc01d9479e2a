"""Projects for vendors' tools: their scripts run, and say what is in the folder."""

import re

import pytest

from rewardware.hw.soc.boards.board import FLOWS, find_board, load_boards
from rewardware.hw.soc.export.board_project import project_files, write_project
from tests.hw.soc.boards.built import built, run_tcl

REPORT = {
    "board": "a board", "system": "pearl", "preset": "small", "flow": "", "configuration_hash": "0x1", "clock_mhz": 50,
    "baud": 1_000_000,
}  # fmt: skip
PROJECTS = [name for name, board in load_boards().items() if not board.open_tools]


def files_of(name):
    board = find_board(name)
    return project_files(board, built(name), REPORT | {"flow": FLOWS[board.family], "baud": board.baud})


@pytest.mark.parametrize("name", [name for name in PROJECTS if find_board(name).family == "xc7"])
def test_the_script_for_vivado_makes_a_bitstream_of_what_is_there(name):
    board, files = find_board(name), files_of(name)
    calls = run_tcl(files[f"{board.module}.tcl"])
    called = {words[0]: words for words in calls}
    part = called["create_project"][-1]
    platform = board.make_platform()
    assert part == f"{platform.device}{platform.package}-{platform.speed}"
    added = [words[-1] for words in calls if words[0] in ("add_files", "read_xdc")]
    assert sorted(added) == sorted(f"{board.module}{end}" for end in (".v", "_system.v", ".xdc"))
    assert set(added) <= set(files)
    assert called["synth_design"][1:3] == ("-top", board.module)
    order = [words[0] for words in calls]
    steps = ["create_project", "synth_design", "opt_design", "place_design", "route_design", "write_bitstream"]
    assert [order.index(step) for step in steps] == sorted(order.index(step) for step in steps)
    assert called["write_bitstream"][-1] == f"{board.module}.bit"
    clocks = [words for words in run_tcl(files[f"{board.module}.xdc"]) if words[0] == "create_clock"]
    (period,) = (float(words[4]) for words in clocks)
    assert period == 1e9 / platform.default_clk_frequency


@pytest.mark.parametrize("name", [name for name in PROJECTS if find_board(name).family == "intel"])
def test_the_project_for_quartus_names_what_is_there(name):
    board, files = find_board(name), files_of(name)
    calls = run_tcl(files[f"{board.module}.tcl"])
    assert calls == [
        ("project_open", "-revision", board.module, board.module),
        ("execute_flow", "-compile"),
        ("project_close",),
    ]
    assert f'PROJECT_REVISION = "{board.module}"' in files[f"{board.module}.qpf"]
    settings = [words[2:] for words in run_tcl(files[f"{board.module}.qsf"]) if words[0] == "set_global_assignment"]
    assert ("TOP_LEVEL_ENTITY", board.module) in settings
    platform = board.make_platform()
    assert ("DEVICE", f"{platform.device}{platform.package}{platform.speed}") in settings
    sources = [file for kind, file in settings if kind == "VERILOG_FILE"]
    assert sorted(sources) == [f"{board.module}.v", f"{board.module}_system.v"] and set(sources) <= set(files)
    constraints = run_tcl(files[f"{board.module}.sdc"])
    assert ("derive_pll_clocks",) in constraints and ("derive_clock_uncertainty",) in constraints
    assert [words[4] for words in constraints if words[0] == "create_clock"] == ["20.0"]


@pytest.mark.parametrize("name", PROJECTS)
def test_the_readme_names_files_that_are_there(name, tmp_path):
    board = find_board(name)
    write_project(board, built(name), REPORT | {"flow": FLOWS[board.family], "baud": board.baud}, tmp_path)
    text = (tmp_path / "README.md").read_text()
    for file in re.findall(r"`([\w.]+\.(?:v|xdc|qsf|sdc|tcl|sh|bat|json))`", text):
        assert (tmp_path / file).is_file(), file
    assert ("uart:PORT@921600" in text) == (name == "kc705")
    assert "has not seen this project" in text
