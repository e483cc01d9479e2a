"""Samples out of two streams, the second one's part back, and both."""

import cocotb
import numpy as np

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare_all, parameters, rng


@cocotb.test()
async def samples_in_order(dut):
    first, second = parameters()["first"], parameters()["second"]
    sources = [StreamSource(dut, f"i__{index}") for index in range(2)]
    both, tail = StreamSink(dut, "both"), StreamSink(dut, "tail")
    split = [StreamSink(dut, f"split__{index}") for index in range(2)]
    parts = [*sources, both, tail, *split]
    await clock_and_reset(dut)
    random = rng("values")
    for stalls in ([0.3] * len(parts), *np.eye(len(parts)) * 0.9, [0] * len(parts)):
        for part, stall in zip(parts, stalls, strict=True):
            part.stall = stall
        samples = random.integers(1 << 5, size=(20, first + second))
        for source, columns in zip(sources, (samples[:, :first], samples[:, first:]), strict=True):
            for value in columns.ravel().tolist():
                source.put(value)
        compare_all(samples.ravel().tolist(), await both.receive_all(samples.size), "both")
        compare_all(samples[:, first:].ravel().tolist(), await tail.receive_all(20 * second), "tail")
        for name, sink, columns in zip(
            ("first", "second"), split, (samples[:, :first], samples[:, first:]), strict=True
        ):
            compare_all(columns.ravel().tolist(), await sink.receive_all(columns.size), name)
