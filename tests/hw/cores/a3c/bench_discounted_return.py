"""Rewards of rollouts against the reference, and the cycles of a return.

Parameters: ``units``, of each by its name the configuration; ``cycles``, of a return.
"""

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.float import host
from tests.hw.cores.float.operands import extremes
from tests.hw.cores.layer.stimulus import numbers
from tests.hw.cores.transfer_cycles import TransferCycles


class Bench:
    """A unit, which begins with one discount."""

    def __init__(self, dut, name, stall=0.0):
        self.dut, self.format = dut, parameters()["units"][name].format
        self.random, self.cycles = rng(name), parameters()["cycles"][name]
        self.rewards = StreamSource(dut, f"{name}__rewards", stall=stall)
        self.returns = StreamSink(dut, f"{name}__returns", stall=stall)
        (self.discount,) = host.from_bits(self.format, host.to_bits(self.format, np.array([0.97])))
        getattr(dut, f"{name}__discount").value = int(self.bits(self.discount))

    def bits(self, values):
        """Bit patterns of values."""
        return host.to_bits(self.format, np.atleast_1d(values)).reshape(np.shape(values))

    def put(self, rollouts, share=0.0):
        """Queue rollouts of 1 to 6 steps, a share of whose numbers are corner values; the returns that have to come."""
        returns = []
        for steps in self.random.integers(1, 7, rollouts).tolist():
            # After the first step of a rollout only the return before counts.
            given = numbers(self.random, self.format, 2, steps)
            corners = host.from_bits(self.format, self.random.choice(extremes(self.format), given.shape))
            followings, rewards = np.where(self.random.random(given.shape) < share, corners, given)
            before = followings[:1]
            for step in range(steps):
                reward = {"begins": int(step == 0), "following": int(self.bits(followings[step]))}
                self.rewards.put(reward | {"reward": int(self.bits(rewards[step]))})
                discounted = host.multiply(self.format, self.discount, before)
                before = host.add(self.format, rewards[step : step + 1], discounted)
                returns += self.bits(before).tolist()
        return returns

    async def check(self, returns):
        """Compare the outputs with the expected ones."""
        for index, value in enumerate(returns):
            compare(value, await self.returns.receive(), self.returns.name, index)


@cocotb.test()
async def same_bits_as_the_reference(dut):
    benches = [Bench(dut, name) for name in parameters()["units"]]
    await clock_and_reset(dut)
    for bench in benches:
        for share in (0.0, 0.1):
            for bench.rewards.stall, bench.returns.stall in ((0.3, 0.3), (0.95, 0.0), (0.0, 0.95), (0.0, 0.0)):
                await bench.check(bench.put(20, share))


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    benches = {name: Bench(dut, name) for name in parameters()["units"]}
    await clock_and_reset(dut)
    for name, bench in benches.items():
        seen = TransferCycles(dut, f"{name}__rewards", f"{name}__returns")
        returns = bench.put(10)
        await bench.check(returns)
        taken = seen.taken[f"{name}__returns"]
        compare(bench.cycles - 1, taken[0] - seen.offered[f"{name}__rewards"][0], f"latency of {name}", 0)
        compare([bench.cycles] * (len(returns) - 1), np.diff(taken), f"cycles between returns of {name}", 0)


@cocotb.test()
async def holds_back_when_nobody_takes(dut):
    benches = [Bench(dut, name) for name in parameters()["units"]]
    for bench in benches:
        bench.returns.stall = 1
    await clock_and_reset(dut)
    for bench in benches:
        returns = bench.put(3)
        for _ in range(3 * bench.cycles):
            await RisingEdge(dut.clk)
        compare(1, bench.rewards.count, "rewards taken", 0)
        bench.returns.stall = 0
        await bench.check(returns)
