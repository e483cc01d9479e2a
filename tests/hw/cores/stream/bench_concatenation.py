"""Samples out of two streams, and the second one's part back."""

import cocotb

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare_all, parameters, rng


@cocotb.test()
async def samples_in_order(dut):
    first, second = parameters()["first"], parameters()["second"]
    sources = [StreamSource(dut, f"i__{index}") for index in range(2)]
    both, tail = StreamSink(dut, "both"), StreamSink(dut, "tail")
    parts = [*sources, both, tail]
    await clock_and_reset(dut)
    random = rng("values")
    for stalls in ((0.3, 0.3, 0.3, 0.3), (0.9, 0, 0, 0), (0, 0.9, 0, 0), (0, 0, 0.9, 0), (0, 0, 0, 0.9), (0, 0, 0, 0)):
        for part, stall in zip(parts, stalls, strict=True):
            part.stall = stall
        samples = random.integers(1 << 5, size=(20, first + second))
        for source, columns in zip(sources, (samples[:, :first], samples[:, first:]), strict=True):
            for value in columns.ravel().tolist():
                source.put(value)
        compare_all(samples.ravel().tolist(), await both.receive_all(samples.size), "both")
        compare_all(samples[:, first:].ravel().tolist(), await tail.receive_all(20 * second), "tail")
