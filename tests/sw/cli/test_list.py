"""Names that `list` prints are those that other commands take."""

import json

import pytest

from rewardware.hw.soc.boards.board import load_boards
from rewardware.hw.soc.devices import devices
from rewardware.hw.soc.export.catalogue import find_design
from rewardware.hw.soc.presets import read_preset
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.systems import descriptor
from rewardware.sw.systems.descriptor import SystemDescriptor, systems


def listed(kind: str, capsys: pytest.CaptureFixture) -> list[str]:
    """The names that `list KIND` prints."""
    assert dispatch(["list", kind]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head == f"{kind}:" and rows
    return [row.split()[0] for row in rows]


@pytest.mark.parametrize("kind", ["cores", "systems"])
def test_every_listed_design_has_a_configuration_and_a_component(kind, capsys):
    for name in listed(kind, capsys):
        if name in systems() and name not in devices():
            continue
        design = find_design(name)
        preset = design.default_preset and read_preset(design.default_preset, design.preset_system).hardware
        assert design.create(design.configure(preset or None)) is not None, name


def test_a_system_without_a_device_is_listed(monkeypatch, capsys):
    host = SystemDescriptor(name="host", description="trains on the host")
    monkeypatch.setitem(descriptor._known(), "host", host)
    names = listed("systems", capsys)
    assert "host" in names and set(names) >= set(systems()) | set(devices()) and names == sorted(set(names))


def test_every_listed_preset_is_read_by_the_name_that_is_listed(capsys):
    for name in listed("presets", capsys):
        system, _, preset = name.partition("/")
        assert read_preset(name, system).config == read_preset(preset, system).config


def test_listed_boards_are_those_that_build_takes(capsys):
    assert listed("boards", capsys)[::2] == sorted(load_boards())


def test_a_board_says_what_fits_and_what_share_it_takes(capsys):
    assert dispatch(["list", "boards"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    (place,) = (place for place, line in enumerate(lines) if line.startswith("ulx3s-85f"))
    assert lines[place + 1].startswith("50 MHz, nextpnr-ecp5; fits: a3c/ulx3s (")
    assert dispatch(["list", "boards", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["boards"]}
    board = rows["ulx3s-85f"]
    assert (board["part"], board["clock_mhz"], board["flow"]) == ("lfe5u-85f", 50, "nextpnr-ecp5")
    assert board["fits"]["fixar"]["preset"] == "ulx3s"
    assert 0 < board["fits"]["fixar"]["share_percent"]["dsp"] <= 100
    assert "fixar" not in rows["icebreaker"]["fits"]


def test_what_is_measured_is_of_boards(capsys):
    assert dispatch(["list", "cores", "--measure", "file"]) == 2
    assert "--measure is for boards" in capsys.readouterr().err


def test_descriptions_are_whole_sentences_without_markup(capsys):
    assert dispatch(["list", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    about = {row["name"]: row["description"] for kind in ("presets", "cores", "boards") for row in content[kind]}
    for name, description in about.items():
        assert description.endswith(".") and "`" not in description and "::" not in description, name
    # These come from a comment of two lines, a docstring with a role, and one with a formula after it.
    assert about["fixar/scaled"] == "Five times the paper's array: what a Versal Premium VP1802 holds."
    assert about["adam_engine"].endswith("; each lane is an AdamLane.")
    assert about["rms_prop_lane"] == "Updates one weight a cycle."
