"""Words of grouping matrices in, indexes out, with stalls."""

from itertools import chain

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.sparse.grouping import max_indexes


def matrices(config, random, count):
    """Matrices of up to the most groups: corners and ties among random values, or values that differ in two bits."""
    number_format = config.format
    corners = [0, number_format.sign_bit, number_format.infinity, number_format.quiet_nan, 1, number_format.largest]
    corners += [number_format.sign_bit | corner for corner in corners[2:]]
    for number in range(count):
        groups = (1, config.groups)[number] if number < 2 else int(random.integers(1, config.groups + 1))
        shape = groups, config.lanes
        values = random.integers(0, 1 << number_format.width, shape)
        if number % 3 == 2:
            yield values[0] ^ 1 << random.integers(0, number_format.width, shape)
        else:
            yield np.where(random.random(shape) < (0.9, 0.3)[number % 2], random.choice(corners, shape), values)


def neighbours(config, random):
    """Matrices of two groups whose magnitudes differ by one, so that each bit in turn decides alone, in any order."""
    for bit in range(config.format.width - 1):
        upper = (random.integers(0, config.format.sign_bit, config.lanes) >> bit | 1) << bit
        signs = random.choice([0, config.format.sign_bit], config.lanes)
        yield random.permuted([upper | signs, upper - 1 | signs], axis=0)


def send(source, values):
    for group, word in enumerate(values):
        source.put({"values": word.tolist(), "last": int(group == len(values) - 1)})


@cocotb.test()
async def indexes_follow_the_reference(dut):
    config = parameters()["config"]
    source, sink = StreamSource(dut, "words"), StreamSink(dut, "indexes")
    await clock_and_reset(dut)
    given = chain(matrices(config, rng("values"), 60), neighbours(config, rng("neighbours")))
    for number, values in enumerate(given):
        source.stall = sink.stall = (0.3, 0.0, 0.7)[number % 3]
        send(source, values)
        indexes, unordered = max_indexes(config.format, values)
        flags = int(unordered.astype(int) @ (1 << np.arange(config.lanes)))
        compare({"indexes": indexes, "not_a_number": flags}, await sink.receive(), "indexes", number)


@cocotb.test()
async def a_word_a_cycle(dut):
    config = parameters()["config"]
    source, sink = StreamSource(dut, "words", stall=0), StreamSink(dut, "indexes", stall=0)
    await clock_and_reset(dut)
    for _ in range(7):
        send(source, np.zeros((3, config.lanes), np.int64))
    while not int(dut.words__valid.value):
        await RisingEdge(dut.clk)
    for _ in range(21 + parameters()["latency"]):
        await RisingEdge(dut.clk)
    assert len(sink) == 7, f"{len(sink)} blocks in 21 cycles"
