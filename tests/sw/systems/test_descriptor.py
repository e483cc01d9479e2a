"""A system becomes known to every tool by its descriptor, and by nothing else."""

import dataclasses
import importlib.metadata
import importlib.util
import json

import pytest

from rewardware.hw.soc import devices as device_descriptors
from rewardware.hw.soc.devices import devices, load_object
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.systems import descriptor
from rewardware.sw.systems.descriptor import SystemDescriptor, find_system, register_system, systems, systems_with
from tests.hw.soc.shell.row_memory import DEVICE

COMMANDS = "tests.sw.systems.row_memory_commands"
SYSTEM = SystemDescriptor(
    name="row_memory",
    description="rows come back as they went",
    commands={"train": COMMANDS},
    bench=f"{COMMANDS}:RowMemoryBench",
    devices=(DEVICE,),
)


def run(*arguments: str) -> int:
    try:
        return dispatch(arguments)
    except SystemExit as exit:
        return exit.code or 0


@pytest.fixture(scope="module", autouse=True)
def registered():
    known = [(names, dict(names)) for names in (descriptor._known(), device_descriptors._known())]
    register_system(SYSTEM)
    yield
    # Tests of other modules run in this process too, and may have made the device known themselves.
    for names, before in known:
        names.clear()
        names.update(before)


def test_list_names_it(capsys):
    assert run("list", "systems") == run("list", "presets") == 0
    out = capsys.readouterr().out
    assert "row_memory " in out and "loads rows and stores them" in out
    assert "row_memory/narrow " in out and "A row of two words." in out


def test_it_trains(capsys):
    assert run("train", "row_memory", "--rows", "5") == 0
    assert "cycles for 5 rows" in capsys.readouterr().out
    assert run("train", "row_memory", "--help") == 0
    out = capsys.readouterr().out
    assert "Store rows and get them back" in out and "--rows" in out


def test_its_bench_runs(capsys):
    assert run("bench", "row_memory", "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["id"] == "round_trip" and 7 < row["value"] < 100


def test_its_verilog_is_written(tmp_path, capsys):
    assert run("package", "row_memory", "-o", str(tmp_path / "narrow"), "--no-check") == 0
    assert "module row_memory(" in (tmp_path / "narrow/rtl/row_memory.v").read_text()
    settings = ("--config", "narrow", "--set", "lanes=3")
    assert run("package", "row_memory", *settings, "-o", str(tmp_path / "wide"), "--no-check") == 0
    described = json.loads((tmp_path / "wide/row_memory.json").read_text())
    assert described["configuration"]["lanes"] == 3 and described["configuration"]["depth"] == 20


def test_its_resources_are_reported(capsys):
    assert run("report", "row_memory", "--part", "ecp5", "--json") == 0
    assert json.loads(capsys.readouterr().out)["total"]["lut"] > 100


@pytest.mark.parametrize("name", ["a3c", "dynamap", "fixar", "learninggroup", "maac", "mcts", "pearl"])
def test_descriptors_name_what_there_is(name):
    system = find_system(name)
    assert system.name == name and name in devices()
    for place in (*system.agents.values(), system.bench):
        assert isinstance(load_object(place), type)
    for module in system.commands.values():
        assert importlib.util.find_spec(module)


def test_a_system_may_have_no_device():
    """It trains on the host, and has no bench and nothing to simulate."""
    system = SystemDescriptor(name="host", description="trains on the host", commands={"train": "nothing"})
    assert system.has("train") and not system.has("bench") and not system.simulated_work


def test_commands_know_their_systems():
    assert set(systems()) >= {"a3c", "dynamap", "fixar", "learninggroup", "maac", "mcts", "pearl"}
    assert set(systems_with("plan")) == {"mcts"}
    assert set(systems_with("explore")) == {"a3c", "dnn_mcts", "maac", "mcts"}
    trained = {"a3c", "alphazero", "dynamap", "fixar", "learninggroup", "maac", "pearl", "row_memory"}
    assert set(systems_with("train")) == trained
    assert systems_with("train")["alphazero"].name == "dnn_mcts"
    with pytest.raises(ValueError, match="System must be one of a3c, dnn_mcts, dynamap, fixar, .*, not 'toaster'"):
        find_system("toaster")


def test_a_command_may_know_a_system_by_another_name():
    system = SystemDescriptor(name="host", description="", commands={"train": "a", "plan": "b"}, names={"train": "own"})
    assert [system.name_under(command) for command in ("train", "plan")] == ["own", "host"]


def test_a_name_is_taken_once():
    register_system(SYSTEM)
    with pytest.raises(ValueError, match="There is a system 'row_memory' already: rows come back as they went"):
        register_system(dataclasses.replace(SYSTEM, description="another"))


def test_packages_of_others_name_theirs_by_entry_points(monkeypatch):
    toaster = dataclasses.replace(SYSTEM, name="toaster", devices=())
    entry = importlib.metadata.EntryPoint("toaster", f"{__name__}:TOASTER", descriptor.ENTRY_POINTS)
    monkeypatch.setitem(globals(), "TOASTER", toaster)
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [entry] if group == entry.group else [])
    assert descriptor._known.__wrapped__()["toaster"] is toaster
