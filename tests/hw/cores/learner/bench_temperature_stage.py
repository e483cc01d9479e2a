"""The temperature of its logarithm, and errors at it, against the reference."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import clock_and_reset, compare, parameters
from rewardware.sw.reference.float import host
from rewardware.sw.reference.float.functions.exponential import exponential

from .stream_bench import STALLS, StreamBench


async def make_temperature(bench, logarithm):
    """From the start until it is ready; returns its cycles."""
    dut = bench.dut
    dut.start.value = 1
    await RisingEdge(dut.clk)
    dut.start.value = 0
    assert int(dut.weights_0__enable.value)
    # What a memory does: the word comes after its address, and stays.
    dut.weights_0__data.value = bench.bits(logarithm)[0]
    cycles = 0
    while not int(dut.ready.value):
        await RisingEdge(dut.clk)
        cycles += 1
        assert cycles < 100
    return cycles


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = StreamBench(dut, parameters()["config"].arithmetic, ("log_densities",), ("errors",))
    dut.start.value = 0
    await clock_and_reset(dut)
    number_format = bench.format
    for corners in (0, 0, 0, 0.5, 0.5, 0.5):
        bench.stall(*STALLS[-1])
        logarithm, slope, entropy = (bench.numbers(1, corners=corners) for _ in range(3))
        for name, value in (("policy_slope", slope), ("target_entropy", entropy)):
            getattr(dut, name).value = bench.bits(value)[0]
        cycles = await make_temperature(bench, logarithm)
        compare(parameters()["latency"], cycles, "cycles to the temperature", 0)
        temperature = host.from_bits(number_format, exponential(number_format, host.to_bits(number_format, logarithm)))
        for stalls in STALLS:
            bench.stall(*stalls)
            densities = bench.numbers(30, corners=corners)
            bench.put(log_densities=densities)
            expected = host.multiply(number_format, slope, host.add(number_format, densities, entropy))
            await bench.check(errors=expected)
            product = host.multiply(number_format, slope, temperature)
            for name, value in (("temperature", temperature), ("entropy_slope", product)):
                compare(bench.bits(value)[0], int(getattr(dut, name).value), name, 0)
