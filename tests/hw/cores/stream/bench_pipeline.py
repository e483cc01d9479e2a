"""Streams through pipelines that cannot stall: nothing is lost, in order, at the rate that is stated."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, compare_all, parameters, rng

COUNT = 60


@cocotb.test()
async def same_values_in_order(dut):
    units = parameters()["units"]
    ends = {name: (StreamSource(dut, f"{name}__i"), StreamSink(dut, f"{name}__o")) for name in units}
    await clock_and_reset(dut)
    random = rng("values")
    for stalls in ((0, 0), (0.5, 0), (0, 0.8), (0.4, 0.4)):
        given = {name: random.integers(1 << 9, size=100).tolist() for name in units}
        for name, (source, sink) in ends.items():
            source.stall, sink.stall = stalls
            for value in given[name]:
                source.put(value)
        for name, (_, sink) in ends.items():
            compare_all([3 * value for value in given[name]], await sink.receive_all(100), name)
    await RisingEdge(dut.clk)
    for name in units:
        assert getattr(dut, f"{name}__idle").value == 1


@cocotb.test()
async def cycles_are_those_stated(dut):
    units = parameters()["units"]
    for name in units:
        getattr(dut, f"{name}__i__valid").value = 1
        getattr(dut, f"{name}__o__ready").value = 1
    await clock_and_reset(dut)
    taken, left = {name: [] for name in units}, {name: [] for name in units}
    for cycle in range(COUNT):
        await RisingEdge(dut.clk)
        for name in units:
            taken[name] += [cycle] * int(getattr(dut, f"{name}__i__ready").value)
            left[name] += [cycle] * int(getattr(dut, f"{name}__o__valid").value)
    for name, config in units.items():
        around = config.latency + 1 + config.buffer_latency
        places = min(config.places, around)
        expected = [cycle for cycle in range(COUNT) if cycle % around < places]
        compare(expected, taken[name], name, 0)
        compare(
            [cycle + config.latency + config.buffer_latency for cycle in expected][: len(left[name])],
            left[name],
            name,
            1,
        )


@cocotb.test()
async def as_many_wait_as_there_are_places(dut):
    units = parameters()["units"]
    for name in units:
        getattr(dut, f"{name}__i__valid").value = 1
        getattr(dut, f"{name}__o__ready").value = 0
    await clock_and_reset(dut)
    taken = dict.fromkeys(units, 0)
    for cycle in range(COUNT):
        await RisingEdge(dut.clk)
        for name in units:
            taken[name] += int(getattr(dut, f"{name}__i__ready").value)
            assert getattr(dut, f"{name}__idle").value == (cycle == 0)
    compare({name: config.places for name, config in units.items()}, taken, "places", 0)
