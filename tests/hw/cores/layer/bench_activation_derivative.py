"""Outputs and errors of samples through the derivative of an activation."""

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.float import host
from rewardware.sw.reference.layer.stages import activate, differentiate
from tests.hw.cores.float.operands import extremes
from tests.hw.cores.transfer_cycles import TransferCycles

from .stimulus import numbers


@cocotb.test()
async def same_bits_as_the_reference(dut):
    config = parameters()["config"]
    number_format = config.arithmetic.format
    outputs, errors, results = StreamSource(dut, "outputs"), StreamSource(dut, "errors"), StreamSink(dut, "results")
    await clock_and_reset(dut)
    random = rng("numbers")
    for stalls in ((0.3, 0.3, 0.3), (0.9, 0, 0), (0, 0.9, 0), (0, 0, 0.9), (0, 0, 0)):
        for part, stall in zip((outputs, errors, results), stalls, strict=True):
            part.stall = stall
        tables = [numbers(random, number_format, 40, config.outputs) for _ in range(2)]
        for table in tables:
            places = random.random(table.shape) < 0.3
            table[places] = host.from_bits(number_format, random.choice(extremes(number_format), places.sum()))
        tables[0] = activate(config, tables[0])
        for source, table in zip((outputs, errors), tables, strict=True):
            for bits in host.to_bits(number_format, table).ravel():
                source.put(int(bits))
        expected = host.to_bits(number_format, differentiate(config, *tables))
        for index, bits in enumerate(expected.ravel()):
            compare(int(bits), await results.receive(), "results", index)


@cocotb.test()
async def keeps_as_many_samples_as_it_says(dut):
    config = parameters()["config"]
    outputs, errors, results = StreamSource(dut, "outputs"), StreamSource(dut, "errors"), StreamSink(dut, "results")
    outputs.stall = errors.stall = results.stall = 0
    await clock_and_reset(dut)
    number_format, room = config.arithmetic.format, 3 * config.outputs
    given = np.arange(room + 5) % 2
    for bit in given:
        outputs.put(int(bit) * number_format.one)
    for _ in range(3 * room):
        await RisingEdge(dut.clk)
    assert outputs.count == room
    assert not len(results)
    seen = TransferCycles(dut, "errors", "results")
    for _ in given:
        errors.put(number_format.one)
    values = host.from_bits(number_format, given * number_format.one)
    expected = host.to_bits(number_format, differentiate(config, values, np.ones_like(values)))
    for index, bits in enumerate(expected):
        compare(int(bits), await results.receive(), "results", index)
    cycles = seen.taken["results"][0] - seen.taken["errors"][0]
    compare(parameters()["latency"], cycles, "cycles to the first result", 0)
