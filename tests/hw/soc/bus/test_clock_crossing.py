"""A system whose clock is not that of its buses, at ratios that share no edge for long."""

import pytest
from amaranth.hdl import ClockDomain, Module
from amaranth.lib import wiring
from amaranth.sim import Simulator

from rewardware.hw.soc.bus.axi_top import AxiTop
from rewardware.hw.soc.bus.clock_crossing import ClockCrossing
from rewardware.hw.soc.shell.shell import system_signature
from rewardware.sim.cocotb import simulate
from tests.hw.soc.shell.row_memory import RowMemory, RowMemoryConfig

CONFIG = RowMemoryConfig()
# These tests of the bench of one clock do not ask in which cycle something happens.
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


class Silent(wiring.Component):
    """A system whose ports a testbench drives."""

    def __init__(self):
        super().__init__(system_signature(CONFIG.shell))

    def elaborate(self, platform):
        return Module()


@pytest.mark.parametrize("core_period", [6, 14, 9])
def test_values_are_offered_at_the_third_edge_of_their_taker(core_period):
    m = Module()
    m.domains.sync = host = ClockDomain()
    system = Silent()
    m.submodules.crossing = crossing = ClockCrossing(system)

    async def core_clock(ctx):
        # No edge meets one of the host's clock.
        await ctx.delay(0.3e-9)
        while True:
            for level in (1, 0):
                ctx.set(crossing.core_clk, level)
                await ctx.delay(core_period / 2 * 1e-9)

    async def bench(ctx):
        ends = (
            (crossing.stream_in, host.clk, system.stream_in, crossing.core_clk),
            (system.stream_out, crossing.core_clk, crossing.stream_out, host.clk),
        )
        for given, clock, taken, taking_clock in ends:
            ctx.set(taken.ready, 1)
            for gap in range(40):
                await ctx.delay((200 + gap) * 1e-9)
                ctx.set(given.valid, 1)
                await ctx.posedge(clock)
                await ctx.delay(1e-12)
                ctx.set(given.valid, 0)
                offered = []
                for _ in range(5):
                    await ctx.posedge(taking_clock)
                    await ctx.delay(1e-12)
                    offered.append(ctx.get(taken.valid))
                assert offered == [0, 0, 1, 0, 0]

    simulator = Simulator(m)
    simulator.add_clock(10e-9)
    simulator.add_testbench(core_clock, background=True)
    simulator.add_testbench(bench)
    simulator.run()


def test_the_clocks_are_named():
    top = AxiTop(RowMemory(CONFIG), core_clock=True)
    assert top.clocks == ("aclk", "core_clk") and {bus.clock for bus in top.interfaces} == {"aclk"}
    assert AxiTop(RowMemory(CONFIG)).clocks == ("aclk",)
