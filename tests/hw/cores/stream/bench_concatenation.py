"""Samples out of two streams, and apart again."""

import cocotb
import numpy as np

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare_all, parameters, rng


@cocotb.test()
async def samples_in_order(dut):
    first, second = parameters()["first"], parameters()["second"]
    sources = [StreamSource(dut, f"i__{index}") for index in range(2)]
    both = StreamSink(dut, "both")
    split = [StreamSink(dut, f"split__{index}") for index in range(2)]
    parts = [*sources, both, *split]
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
        for name, sink, columns in zip(
            ("first", "second"), split, (samples[:, :first], samples[:, first:]), strict=True
        ):
            compare_all(columns.ravel().tolist(), await sink.receive_all(columns.size), name)
