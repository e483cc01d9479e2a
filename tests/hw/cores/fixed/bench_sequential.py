"""Requests through a sequential unit, both sides stalling."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, compare_all, parameters


@cocotb.test()
async def results_equal_the_exact_ones(dut):
    source, sink = StreamSource(dut, "requests"), StreamSink(dut, "results")
    await clock_and_reset(dut)
    requests, expected = parameters()["requests"], parameters()["expected"]
    for request in requests:
        source.put(request)
    compare_all(expected, [await sink.receive() for _ in requests], "results")


@cocotb.test()
async def a_request_counts_while_it_is_taken(dut):
    """No request waits while another one is worked on: the payload is noise."""
    source, sink = StreamSource(dut, "requests"), StreamSink(dut, "results")
    await clock_and_reset(dut)
    for index, (request, expected) in enumerate(zip(parameters()["requests"], parameters()["expected"], strict=True)):
        source.put(request)
        compare(expected, await sink.receive(), "results", index)


@cocotb.test()
async def latency_is_as_stated(dut):
    dut.requests__valid.value = 0
    dut.results__ready.value = 1
    await clock_and_reset(dut)
    await RisingEdge(dut.clk)
    dut.requests__valid.value = 1
    await RisingEdge(dut.clk)
    dut.requests__valid.value = 0
    cycles = 0
    while not int(dut.results__valid.value) and cycles < 200:
        await RisingEdge(dut.clk)
        cycles += 1
    assert cycles == parameters()["latency"]
