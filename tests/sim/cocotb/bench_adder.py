import cocotb

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng


@cocotb.test()
async def adds(dut):
    source = StreamSource(dut, "requests", stall=parameters()["stall"])
    sink = StreamSink(dut, "results", stall=parameters()["stall"])
    await clock_and_reset(dut)
    random = rng("stimulus")
    left = [-256, 255, 77, *random.integers(-256, 256, parameters()["count"])]
    right = random.integers(0, 32, (len(left), 3))
    for item in zip(left, right, strict=True):
        source.put({"left": item[0], "right": item[1]})
    for index in range(len(left)):
        compare(int(left[index]) + int(right[index].sum()), await sink.receive(), "results", index)


@cocotb.test()
async def streams_without_gaps(dut):
    source, sink = StreamSource(dut, "requests", stall=0), StreamSink(dut, "results", stall=0)
    await clock_and_reset(dut)
    start = cocotb.utils.get_sim_time("ns")
    for value in range(20):
        await source.send({"left": value, "right": [0, 0, 1]})
    assert cocotb.utils.get_sim_time("ns") - start == 20 * 10
    assert await sink.receive_all(20) == [value + 1 for value in range(20)]


@cocotb.test()
async def refuses_what_does_not_fit(dut):
    source = StreamSource(dut, "requests")
    for value, words in (
        ({"left": 256, "right": [0, 0, 0]}, "Value must fit in 9 signed bits, not 256"),
        ({"left": 0, "right": [0, 0]}, "Value must have 3 elements, not 2"),
        ({"left": 0}, "Value must be a dictionary with the fields left, right, not {'left': 0}"),
    ):
        try:
            source.put(value)
        except ValueError as error:
            assert str(error) == words
        else:
            raise AssertionError(f"{value} was accepted")
