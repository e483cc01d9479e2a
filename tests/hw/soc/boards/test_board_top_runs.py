"""The top in simulation: reset, serial port and lights, around a system that shows what it is given."""

from types import SimpleNamespace

import pytest
from amaranth.hdl import Elaboratable, Module, Signal
from amaranth.lib import io
from amaranth.sim import Simulator

from rewardware.hw.soc.boards import board_top
from rewardware.hw.soc.boards.board import find_board

LIGHTS = 6


class Platform:
    """Ports that a testbench drives, of a board with a reset button."""

    default_clk, default_rst, default_clk_frequency = "clk", "rst", 50e6

    def __init__(self):
        self.resources = {("led", number): None for number in range(LIGHTS)}
        self.ports = {
            "clk": io.SimulationPort("i", 1),
            "rst": io.SimulationPort("i", 1, invert=True),
            "rx": io.SimulationPort("i", 1),
            "tx": io.SimulationPort("o", 1),
            **{f"led{number}": io.SimulationPort("o", 1) for number in range(LIGHTS)},
        }

    def request(self, name, number=0, *, dir):
        assert dir == "-"
        if name == "uart":
            return SimpleNamespace(rx=self.ports["rx"], tx=self.ports["tx"])
        return self.ports[f"led{number}" if name == "led" else name]


class Generator(Elaboratable):
    """A clock and a lock that a testbench drives."""

    def __init__(self, *_, **__):
        self.clock, self.locked = Signal(), Signal()

    def elaborate(self, platform):
        return Module()


class System(Elaboratable):
    """Sends back what comes, inverted, and has its reset as its interrupt."""

    def __init__(self, name, **ports):
        assert name == "ulx3s_85f_system"
        self.ports = ports

    def elaborate(self, platform):
        m = Module()
        m.d.comb += [self.ports["o_tx"].eq(~self.ports["i_rx"]), self.ports["o_interrupt"].eq(self.ports["i_rst"])]
        return m


@pytest.fixture
def top(monkeypatch):
    """The top on its platform, and the generator."""
    made = []
    monkeypatch.setattr(board_top, "ClockGenerator", lambda *_, **__: made.append(Generator()) or made[0])
    monkeypatch.setattr(board_top, "Instance", System)
    platform = Platform()
    top = board_top.BoardTop(find_board("ulx3s-85f"), "ulx3s_85f_system").elaborate(platform)
    return platform, top, made[0]


def run(top, steps):
    platform, module, generator = top

    async def testbench(ctx):
        async def cycle(count=1):
            for level in (1, 0) * count:
                ctx.set(generator.clock, level)
                await ctx.delay(1e-8)

        ctx.set(platform.ports["rst"].i, 1)
        await steps(ctx, cycle, platform.ports, generator)

    simulator = Simulator(module)
    simulator.add_testbench(testbench)
    simulator.run()


def test_the_system_is_in_reset_until_the_clock_is_there_and_while_the_button_is_held(top):
    async def steps(ctx, cycle, ports, generator):
        def in_reset():
            return ctx.get(ports["led3"].o)

        await cycle(5)
        assert in_reset() and not ctx.get(ports["led0"].o)
        ctx.set(generator.locked, 1)
        await cycle(1)
        assert in_reset() and ctx.get(ports["led0"].o)
        await cycle(2)
        assert not in_reset()
        # Low while it is held.
        ctx.set(ports["rst"].i, 0)
        await cycle(2)
        assert in_reset()
        ctx.set(ports["rst"].i, 1)
        await cycle(2)
        assert not in_reset()
        ctx.set(generator.locked, 0)
        await cycle(2)
        assert in_reset()

    run(top, steps)


def test_the_wires_reach_the_system_and_the_lights(top):
    async def steps(ctx, cycle, ports, generator):
        for level in (0, 1, 0):
            ctx.set(ports["rx"].i, level)
            await cycle()
            assert ctx.get(ports["tx"].o) == 1 - level
            # Lit while a wire is low, as idle wires are high.
            assert [ctx.get(ports[f"led{number}"].o) for number in (1, 2)] == [1 - level, level]
            assert [ctx.get(ports[f"led{number}"].o) for number in (4, 5)] == [0, 0]

    run(top, steps)
