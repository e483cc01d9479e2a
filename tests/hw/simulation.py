"""Amaranth's simulator, for what is small: noise on all inputs and a reset, then the benches."""

import numpy as np
from amaranth.hdl import ClockDomain, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.sim import Simulator

NOISE_CYCLES = 30


def run(component, bench, *background):
    """Simulate until ``bench`` ends; each has its own limit.

    Parameters
    ----------
    component : wiring.Component or Module
        A module has no inputs that noise is played on.
    bench, background : async function
        Testbenches; all begin in the cycle after the reset.
    """
    m = Module()
    m.domains.sync = domain = ClockDomain()
    m.submodules.component = component
    ports = component.signature.flatten(component) if isinstance(component, wiring.Component) else ()
    inputs = [Value.cast(port) for _, member, port in ports if member.flow == wiring.In]
    # A signal that is always 1 is a constant.
    inputs = [port for port in inputs if isinstance(port, Signal)]
    random = np.random.default_rng(0)

    async def begin(ctx):
        for _ in range(NOISE_CYCLES):
            for port in inputs:
                ctx.set(port, int.from_bytes(random.bytes(-(-len(port) // 8))) & (1 << len(port)) - 1)
            await ctx.tick()
        for port in inputs:
            ctx.set(port, port.init)
        ctx.set(domain.rst, 1)
        await ctx.tick()
        ctx.set(domain.rst, 0)

    def behind_the_reset(testbench):
        async def late(ctx):
            for _ in range(NOISE_CYCLES + 1):
                await ctx.tick()
            await testbench(ctx)

        return late

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(begin)
    simulator.add_testbench(behind_the_reset(bench))
    for testbench in background:
        simulator.add_testbench(behind_the_reset(testbench), background=True)
    simulator.run()
