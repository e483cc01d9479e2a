"""A board takes the largest preset that its part holds."""

import pytest

from rewardware.hw.soc.boards.board import find_board
from rewardware.hw.soc.target.target import Resources
from rewardware.sw.measurement import board_fit
from rewardware.sw.measurement.board_fit import fit_of, fits, lacking, unmeasured
from rewardware.sw.measurement.board_resources import BoardPreset


def measured(system, preset, **families):
    return BoardPreset(system=system, preset=preset, configuration_hash="0x0", verilog_hash="", families=families)


@pytest.fixture(autouse=True)
def table(monkeypatch):
    """The replay manager in two sizes, and FIXAR, which no iCE40 was tried for."""
    entries = [
        measured(
            "pearl", "ulx3s", ecp5=Resources(lut=30_000, bram=100), xc7=Resources(lut=20_000, bram=50.5)
        ),
        measured("pearl", "small", ecp5=Resources(lut=9_000, bram=20), ice40=Resources(lut=5_000, bram=30)),
        measured("fixar", "ulx3s", ecp5=Resources(lut=24_000, dsp=82)),
    ]  # fmt: skip
    monkeypatch.setattr(board_fit, "_resources", lambda: {(entry.system, entry.preset): entry for entry in entries})


@pytest.mark.parametrize(
    ("board", "presets"),
    [
        ("ulx3s-85f", {"pearl": "ulx3s", "fixar": "ulx3s"}),
        ("ecpix5-45", {"pearl": "ulx3s"}),
        ("colorlight-5a75b", {"pearl": "small"}),
        ("icebreaker", {"pearl": "small"}),
        ("arty-a7-35", {}),
        ("genesys2", {"pearl": "ulx3s"}),
        ("de10-nano", {}),
    ],
)
def test_the_largest_preset_that_fits(board, presets):
    assert {system: fit.preset for system, fit in fits(find_board(board)).items()} == presets


def test_the_share_is_that_of_the_scarcest_resource():
    assert fit_of(find_board("ulx3s-85f"), "fixar").largest == ("dsp", 100 * 82 / 156)


def test_what_was_not_measured_is_told_apart(monkeypatch):
    presets = [("pearl", "ulx3s"), ("pearl", "small"), ("fixar", "ulx3s"), ("a3c", "ulx3s")]
    monkeypatch.setattr(board_fit, "board_presets", lambda: iter(presets))
    assert unmeasured(find_board("ulx3s-85f")) == ["a3c/ulx3s"]
    assert unmeasured(find_board("genesys2")) == ["pearl/small", "fixar/ulx3s", "a3c/ulx3s"]
    # The others are far too large for an iCE40.
    assert unmeasured(find_board("icebreaker")) == ["a3c/ulx3s"]
    words = "^Whether fixar/ulx3s fits genesys2 was not measured: choose .*; presets that fit: pearl/ulx3s$"
    with pytest.raises(ValueError, match=words):
        fit_of(find_board("genesys2"), "fixar")


def test_what_fits_is_said_where_a_system_does_not():
    words = (
        r"^No preset of fixar for boards \(ulx3s\) fits icebreaker \(iCE40 UltraPlus 5K\): presets that fit: "
        r"pearl/small; fixar fits ulx3s-85f, orangecrab-85f, ecpix5-85$"
    )
    with pytest.raises(ValueError, match=words):
        fit_of(find_board("icebreaker"), "fixar")
    with pytest.raises(ValueError, match="presets that fit: pearl/small; fixar fits ulx3s-85f, "):
        fit_of(find_board("orangecrab-25f"), "fixar")
    with pytest.raises(ValueError, match="System must be one of a3c, .*, not 'toaster'"):
        fit_of(find_board("icebreaker"), "toaster")


def test_what_is_lacking_is_counted():
    used = Resources(lut=100, dsp=9, bram=31)
    assert lacking(find_board("icebreaker"), used) == ["9 SB_MAC16 of 8", "31 SB_RAM40 of 30"]
