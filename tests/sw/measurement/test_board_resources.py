"""The table of what presets take on boards' families is of today's presets, and is made once."""

import pytest

from rewardware.hw.soc.boards.board import load_boards
from rewardware.hw.soc.presets import read_preset
from rewardware.hw.soc.target.target import Resources
from rewardware.sw.measurement import board_resources
from rewardware.sw.measurement.board_resources import FAMILIES, board_presets, load_resources, measure_resources

ENTRY = "pearl/small: {{configuration_hash: a, verilog_hash: b, families: {{{}}}}}"


@pytest.mark.parametrize(("system", "preset"), list(board_presets()))
def test_what_was_measured_is_what_there_is(system, preset):
    """Where this fails, `rewardware list boards --measure constraints/board_resources.yaml` measures anew."""
    entry = load_resources()[system, preset]
    assert entry.configuration_hash == f"{read_preset(preset, system).hardware.configuration_hash:#010x}"
    assert "ecp5" in entry.families


def test_every_board_has_a_family_that_is_measured():
    assert {board.family for board in load_boards().values()} == set(FAMILIES)


@pytest.fixture
def measured(monkeypatch):
    """Designs as synthesised, in order: the first takes far more than an iCE40 has, all others little."""
    done = []

    def measure(verilog, family):
        done.append((verilog.partition(" ")[0], family))
        return Resources(lut=20_000 if len(done) == 1 else 100, bram=0.5)

    presets = [("pearl", "small"), ("pearl_learner", "small")]
    monkeypatch.setattr(board_resources, "_verilog", lambda config: f"{config.system} as it is today")
    monkeypatch.setattr(board_resources, "_measure", measure)
    monkeypatch.setattr(board_resources, "board_presets", lambda: iter(presets))
    return done


def test_the_file_is_made_once_and_goes_on_where_it_ended(measured, tmp_path):
    file = tmp_path / "resources.yaml"
    measure_resources(file)
    large, small = (
        [(system, family) for family in families]
        for system, families in (("pearl", ("ecp5", "xc7", "intel")), ("pearl_learner", FAMILIES))
    )
    assert measured == large + small
    known = load_resources(file)
    assert known["pearl", "small"].families["ecp5"] == Resources(lut=20_000, bram=0.5)
    assert set(known["pearl_learner", "small"].families) == set(FAMILIES)
    text = file.read_text()
    assert "rewardware list boards --measure" in text
    measured.clear()
    measure_resources(file)
    assert measured == [] and file.read_text() == text
    # One that is no preset any more.
    file.write_text(text.replace("pearl/small:", "pearl/gone:"))
    measure_resources(file)
    assert load_resources(file).keys() == known.keys()
    measured.clear()
    # One of another configuration, with the same Verilog.
    file.write_text(text.replace(known["pearl_learner", "small"].configuration_hash, "0x00000000"))
    measure_resources(file)
    assert measured == [] and file.read_text() == text


def test_other_verilog_is_measured_anew(measured, monkeypatch, tmp_path):
    file = tmp_path / "resources.yaml"
    measure_resources(file)
    before = load_resources(file)
    measured.clear()
    texts = {"pearl": "pearl as it is today", "pearl_learner": "pearl_learner with a register more"}
    monkeypatch.setattr(board_resources, "_verilog", lambda config: texts[config.system])
    measure_resources(file)
    assert {system for system, _ in measured} == {"pearl_learner"}
    after = load_resources(file)
    assert after["pearl", "small"] == before["pearl", "small"]
    # Nothing is left of the other one's rows.
    assert after["pearl_learner", "small"].families["ecp5"] == Resources(lut=20_000, bram=0.5)


def test_what_was_measured_before_an_end_is_kept(measured, monkeypatch, tmp_path):
    file, measure = tmp_path / "resources.yaml", board_resources._measure

    def measure_or_end(verilog, family):
        if family == "intel":
            raise KeyboardInterrupt
        return measure(verilog, family)

    monkeypatch.setattr(board_resources, "_measure", measure_or_end)
    with pytest.raises(KeyboardInterrupt):
        measure_resources(file)
    assert load_resources(file)["pearl", "small"].families.keys() == {"ecp5", "xc7"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "A table of resources must be a mapping by system and preset, not None"),
        ("[pearl/small]", r"A table of resources must be a mapping by system and preset, not \['pearl/small'\]"),
        ("pearl/small: 3", "pearl/small must be a mapping, not 3"),
        ("pearl/small: {families: {}}", "pearl/small needs configuration_hash, verilog_hash"),
        (
            "pearl/small: {families: , configuration_hash: a, verilog_hash: b}",
            "Families of pearl/small must be a mapping",
        ),
        (ENTRY.format("ecp6: {lut: 3}"), "Unknown family of pearl/small: ecp6; there are ecp5, xc7, intel, ice40"),
        (ENTRY.format("ecp5: 3"), "pearl/small, ecp5 must be a mapping, not 3"),
        (ENTRY.format("ecp5: {lutt: 3}"), "Unknown field of pearl/small, ecp5: lutt; there are lut"),
        (ENTRY.format("ecp5: {lut: many}"), "lut of pearl/small, ecp5 must be a number, not 'many'"),
    ],
)
def test_another_file_is_refused_and_left_as_it_is(measured, text, words, tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises((TypeError, ValueError), match=f"^mine.yaml: {words}"):
        measure_resources(file)
    assert not measured and file.read_text() == text
