import pytest

from rewardware.hw.soc.target.clocks import ANY_CLOCK, default_clock, load_clocks
from rewardware.hw.soc.target.parts import find_part
from tests.hw.soc.export.descriptions import SYSTEMS


def test_every_system_has_clocks_with_sources():
    clocks = load_clocks()
    assert set(clocks) == set(SYSTEMS)
    for rows in clocks.values():
        assert all(find_part(row.part).name == row.part and row.mhz > 0 and row.source for row in rows)
        assert len({row.part for row in rows}) == len(rows)


def test_a_clock_is_of_a_design_and_a_part():
    assert default_clock("fixar").mhz == default_clock("fixar", "XCU50").mhz == 164
    assert default_clock("fixar", "lfe5u-85f").mhz == 80
    assert default_clock("adam_lane") == ANY_CLOCK


@pytest.mark.parametrize(
    ("design", "part", "message"),
    [
        ("fixar", "xcu280", r"Part must be one for which a clock of fixar is known \(xcu50, lfe5u-85f\), not 'xcu280'"),
        ("adam_lane", "xcu50", r"a clock of adam_lane is known \(none\), not 'xcu50'"),
        ("fixar", "xcu51", "Part must be one of .*, not 'xcu51'"),
    ],
)
def test_an_unknown_part_is_refused(design, part, message):
    with pytest.raises(ValueError, match=message):
        default_clock(design, part)
