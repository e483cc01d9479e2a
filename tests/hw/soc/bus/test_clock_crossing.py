"""A system whose clock is not that of its buses, at ratios that share no edge for long."""

import pytest

from rewardware.hw.soc.bus.axi_top import AxiTop
from rewardware.sim.cocotb import simulate
from tests.hw.soc.shell.row_memory import RowMemory, RowMemoryConfig

CONFIG = RowMemoryConfig()
# Of the bench of one clock, what does not ask in which cycle something happens.
SHARED = [
    "registers_begin_as_the_map_says",
    "bytes_are_written_one_by_one",
    "programs_move_rows",
    "flags_are_sticky_until_ones_are_written",
    "starts_that_would_be_lost_are_refused",
    "wide_counters_are_read_whole",
]


@pytest.mark.parametrize("periods", [(6, 14), (14, 6), (10, 9)], ids="{0[0]}:{0[1]}".format)
def test_second_clock(periods):
    top = AxiTop(RowMemory(CONFIG), core_clock=True)
    given = {"config": CONFIG, "periods": periods}
    simulate(top, bench="tests.hw.soc.bus.bench_clock_crossing", parameters={**given, "stall": 0.0})


@pytest.mark.parametrize("periods", [(6, 14), (14, 6), (10, 9)], ids="{0[0]}:{0[1]}".format)
def test_same_as_with_one_clock(periods):
    top = AxiTop(RowMemory(CONFIG), core_clock=True)
    given = {"config": CONFIG, "periods": periods, "stall": 0.4}
    simulate(top, bench="tests.hw.soc.shell.bench_axi", parameters=given, tests=SHARED)


def test_the_clocks_are_named():
    top = AxiTop(RowMemory(CONFIG), core_clock=True)
    assert top.clocks == ("aclk", "core_clk") and {bus.clock for bus in top.interfaces} == {"aclk"}
    assert AxiTop(RowMemory(CONFIG)).clocks == ("aclk",)
