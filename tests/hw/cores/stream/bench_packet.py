"""Packets and requests of all lengths against the reference."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.stream.packet import PacketReaderReference


@cocotb.test()
async def packets_against_reference(dut):
    given = parameters()
    config, packets, requests = given["config"], given["packets"], given["requests"]
    random = rng("rows")
    rows = [int.from_bytes(random.bytes(16), "little") % (1 << config.width) for _ in range(int(sum(packets)))]
    passed, underflow, overflow = PacketReaderReference(config).read(packets, requests)
    source = StreamSource(dut, "i", stall=given["stall"])
    asker = StreamSource(dut, "requests", stall=given["stall"])
    sink = StreamSink(dut, "o", stall=given["stall"])
    await clock_and_reset(dut)
    position = 0
    for length in packets:
        for index in range(length):
            source.put({"data": rows[position], "last": int(index == length - 1)})
            position += 1
    for request in requests:
        asker.put(int(request))
    flags = [0, 0]
    verdicts = []
    for _ in range(100_000):
        await RisingEdge(dut.clk)
        flags[0] |= int(dut.underflow.value)
        flags[1] |= int(dut.overflow.value)
        if dut.done.value == 1:
            verdicts.append(tuple(flags))
            flags = [0, 0]
        if len(verdicts) == len(requests):
            break
    expected = [(int(under), int(over)) for under, over in zip(underflow, overflow, strict=True)]
    for index, (want, got) in enumerate(zip(expected, verdicts, strict=True)):
        assert want == got, f"request {index} of {requests[index]} rows: underflow, overflow {got}, expected {want}"
    for index, place in enumerate(passed):
        compare(rows[place], await sink.receive(), "o", index)


@cocotb.test()
async def buffer_is_empty_of_rows_nobody_asked_for(dut):
    source = StreamSource(dut, "i", stall=0)
    StreamSink(dut, "o", stall=0)
    dut.requests__valid.value = 0
    await clock_and_reset(dut)
    source.put({"data": 1, "last": 1})
    for _ in range(20):
        await RisingEdge(dut.clk)
        assert dut.o__valid.value == 0
        assert dut.i__ready.value == 0
