import pytest

from rewardware.hw.soc.target.parts import find_part, load_parts
from rewardware.hw.soc.target.target import TARGETS, Resources


def test_cells_are_counted_by_what_they_take():
    cells = {"LUT6": 3, "LUT2": 1, "RAM32M": 2, "SRL16E": 1, "FDRE": 5, "DSP48E2": 2, "RAMB18E2": 1, "CARRY8": 9}
    assert TARGETS["xcup"].count(cells | {"URAM288": 3}) == Resources(lut=13, ff=5, dsp=2, bram=0.5, uram=3)
    cells = {"LUT4": 3, "CCU2C": 2, "TRELLIS_FF": 4, "MULT18X18D": 1, "DP16KD": 2, "PFUMX": 7}
    assert TARGETS["ecp5"].count(cells) == Resources(lut=7, ff=4, dsp=1, bram=2)


def test_resources_add_and_multiply():
    assert Resources(lut=2, ff=1) * 3 + Resources(dsp=1) == Resources(lut=6, ff=3, dsp=1)


def test_every_part_has_figures_and_a_source():
    for part in load_parts().values():
        if part.holds is not None:
            assert part.source
            assert {name for name, value in part.holds.items() if value > 0} == set(part.target.units)


def test_share_of_a_part():
    part = find_part("LFE5U-85F")
    assert part.share(Resources(lut=8364, dsp=39)) == {"lut": 10, "ff": 0, "dsp": 25, "bram": 0}
    assert find_part("ecp5").share(Resources(lut=1)) == {}


def test_unknown_part_names_those_there_are():
    with pytest.raises(ValueError, match=r"Part must be one of xcu50, .*, not 'xcu5'"):
        find_part("xcu5")
