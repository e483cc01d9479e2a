"""Random logits against the reference, corner values among them."""

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.cores.random.xorshift import UNIFORM_BITS
from rewardware.hw.cores.vector.softmax_layouts import softmax_command
from rewardware.sim.cocotb import StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.random.uniform import UniformReference
from rewardware.sw.reference.vector.softmax import choose, softmax

CORNERS = [0x0000, 0x8000, 0x0001, 0x83FF, 0x3C00, 0xBC00, 0x7BFF, 0xFBFF, 0x4C00, 0xCC00]
NAN = 0x7E00
SPECIAL = [0x7C00, 0xFC00, NAN]
LIMIT = 1000
HALF = 1 << UNIFORM_BITS - 1


def seed_of_a_half(random, count):
    """A seed that draws one half within so many numbers."""
    while True:
        seed = int(random.integers(1, 1 << 63))
        if (UniformReference(seed).numbers(count) == HALF).any():
            return seed


def pack(numbers):
    return sum(int(number) << 16 * index for index, number in enumerate(np.ravel(numbers)))


@cocotb.test()
async def probabilities_and_choices(dut):
    run = parameters()
    config, latencies = run["config"], run["latencies"]
    random = rng()
    source = StreamSource(dut, "commands", softmax_command(config))
    dut.completions__ready.value = 1
    for name in ("write_logits__enable", "load", "read_choices__enable"):
        getattr(dut, name).value = 0
    await clock_and_reset(dut)
    uniform = UniformReference(0)
    flags = {"nonfinite": False}

    async def watch():
        while True:
            await ReadOnly()
            flags["nonfinite"] |= bool(int(dut.errors.value))
            await RisingEdge(dut.clk)

    cocotb.start_soon(watch())
    for turn in range(24):
        if turn == 12:
            seed = seed_of_a_half(random, config.blocks * config.lanes)
            dut.seed.value, dut.load.value = seed, 1
            await RisingEdge(dut.clk)
            dut.load.value = 0
            uniform = UniformReference(seed)
        choices = int(random.integers(2, config.choices + 1))
        blocks = int(random.integers(1, config.blocks + 1))
        logits = random.normal(0, 2, (choices, config.blocks, config.lanes)).astype(np.float16).view(np.uint16)
        logits = logits.astype(np.int64)
        if turn == 12:
            # Two alternatives of one half each: a sum that equals the number drawn has passed.
            choices, blocks = 2, config.blocks
            logits = np.full((choices, *logits.shape[1:]), config.format.one)
        if turn % 3 == 1:
            logits = random.choice(CORNERS, logits.shape)
        if turn % 6 == 5:
            logits[random.random(logits.shape) < 0.1] = random.choice(SPECIAL)
        for address, word in enumerate(logits):
            dut.write_logits__address.value = address
            # The blocks of a word may come apart.
            for enables in (1, -2) if turn % 2 else (-1,):
                dut.write_logits__enable.value = enables & (1 << config.blocks) - 1
                dut.write_logits__data.value = pack(word)
                await RisingEdge(dut.clk)
        dut.write_logits__enable.value = 0
        flags["nonfinite"] = False
        await source.send({"choices": choices, "blocks": blocks})
        cycles = 0
        while not int(dut.completions__valid.value):
            await RisingEdge(dut.clk)
            cycles += 1
            assert cycles < LIMIT, f"turn {turn}: the command does not complete"
        compare(latencies[choices, blocks], cycles, "cycles", turn)
        await RisingEdge(dut.clk)

        used = logits[:, :blocks]
        expected = softmax(config.format, used)
        drawn = uniform.numbers(blocks * config.lanes).reshape(blocks, config.lanes)
        choice = choose(config.format, expected, drawn)
        mask = (1 << blocks * config.block_bits) - 1
        for alternative in range(choices):
            for address, word in (
                (alternative, expected[alternative]),
                (config.choices + alternative, np.where(choice == alternative, config.format.one, 0)),
            ):
                dut.read_choices__enable.value, dut.read_choices__address.value = 1, address
                await RisingEdge(dut.clk)
                await ReadOnly()
                compare(pack(word), int(dut.read_choices__data.value) & mask, f"word {address}", turn)
                await RisingEdge(dut.clk)
        compare(bool((expected & 0x7C00 == 0x7C00).any()), flags["nonfinite"], "nonfinite", turn)
        compare(uniform.state, int(dut.state.value), "state", turn)


@cocotb.test()
async def forgets_at_a_reset_what_is_on_its_way(dut):
    config, latencies = parameters()["config"], parameters()["latencies"]
    source = StreamSource(dut, "commands", softmax_command(config))
    dut.completions__ready.value = 1
    for name in ("write_logits__enable", "load", "read_choices__enable"):
        getattr(dut, name).value = 0
    await clock_and_reset(dut)
    for cycles in range(0, latencies[2, 1], 3):
        for address in range(2):
            dut.write_logits__address.value, dut.write_logits__enable.value = address, (1 << config.blocks) - 1
            dut.write_logits__data.value = pack(np.full((config.blocks, config.lanes), NAN))
            await RisingEdge(dut.clk)
        dut.write_logits__enable.value = 0
        await source.send({"choices": 2, "blocks": 1})
        for _ in range(cycles):
            await RisingEdge(dut.clk)
        dut.rst.value = 1
        await RisingEdge(dut.clk)
        dut.rst.value = 0
        # No number is longer on its way than the whole command.
        for cycle in range(latencies[2, 1]):
            await ReadOnly()
            assert not int(dut.errors.value), f"reset {cycles} cycles after a command, cycle {cycle}: nonfinite"
            await RisingEdge(dut.clk)
