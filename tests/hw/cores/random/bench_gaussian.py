"""Rows of noise with a stalling reader, new states and new scales in between."""

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.cores.random.xorshift import state_from_seed
from rewardware.sim.cocotb import clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.random.gaussian import GaussianNoiseReference


async def start(dut, scale):
    dut.load.value = 0
    dut.seed.value = 0
    dut.scale.value = scale
    await clock_and_reset(dut)


async def load(dut, state):
    dut.seed.value = state
    dut.load.value = 1
    await RisingEdge(dut.clk)
    dut.load.value = 0


async def take(dut, random, lanes):
    """The next row, after random stalls; the row that waits is stable."""
    waiting = None
    for _ in range(4 * parameters()["latency"] + 100):
        dut.noise__ready.value = ready = int(random.random() < 0.5)
        await ReadOnly()
        valid, bits = int(dut.noise__valid.value), int(dut.noise__payload.value)
        assert waiting is None or (valid and bits == waiting), "noise: the row changed while it waited"
        waiting = bits if valid else None
        await RisingEdge(dut.clk)
        if valid and ready:
            dut.noise__ready.value = 0
            return [bits >> 32 * lane & 0xFFFF_FFFF for lane in range(lanes)]
    raise TimeoutError("noise: no row")


@cocotb.test()
async def rows_follow_state_and_scale(dut):
    config, random = parameters()["config"], rng()
    reference = GaussianNoiseReference(config)
    scale = 1 << 20
    await start(dut, scale)
    dut.noise__ready.value = 0
    for number in range(24):
        action = int(random.integers(4)) if number else 3
        # Somewhere in the making of a row, or after it.
        for _ in range(int(random.integers(2 * parameters()["latency"]))):
            await RisingEdge(dut.clk)
        if action == 0:
            state = [0, state_from_seed(number)][int(random.integers(2))]
            await load(dut, state)
            reference.load(state)
        elif action == 1:
            scale = int(random.integers(0, 1 << int(random.integers(1, 33))))
            dut.scale.value = scale
            await RisingEdge(dut.clk)
        words = reference.rows(int(random.integers(1, 4)), scale) & 0xFFFF_FFFF
        for row in words:
            compare(row.tolist(), await take(dut, random, config.lanes), "noise", number)
        await ReadOnly()
        compare(reference.state, int(dut.state.value), "state", number)
        await RisingEdge(dut.clk)


@cocotb.test()
async def every_magnitude_of_scale(dut):
    config, random = parameters()["config"], rng("scales")
    reference = GaussianNoiseReference(config)
    await start(dut, 0)
    await load(dut, state_from_seed(3))
    reference.load(state_from_seed(3))
    for width in range(33):
        dut.scale.value = (1 << width) - 1
        await RisingEdge(dut.clk)
        for row in reference.rows(4, (1 << width) - 1) & 0xFFFF_FFFF:
            compare(row.tolist(), await take(dut, random, config.lanes), "noise", width)


@cocotb.test()
async def only_zero_has_a_substitute(dut):
    """Each state with a single bit is loaded as it is."""
    await start(dut, 0)
    for bit in range(len(dut.seed)):
        await load(dut, 1 << bit)
        await ReadOnly()
        compare(1 << bit, dut.state.value, "state", bit)
        await RisingEdge(dut.clk)


@cocotb.test()
async def latency_is_as_stated(dut):
    await start(dut, 5)
    dut.noise__ready.value = 1
    last, gaps = None, []
    for cycle in range(4 * parameters()["latency"]):
        await RisingEdge(dut.clk)
        if int(dut.noise__valid.value):
            gaps += [] if last is None else [cycle - last]
            last = cycle
    assert set(gaps) == {parameters()["latency"]} and len(gaps) >= 2
