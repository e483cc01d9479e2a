"""Samples out of several streams, and apart again.

Parameters: ``sizes``, values of a sample on each stream.
"""

import cocotb
import numpy as np

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare_all, parameters, rng


@cocotb.test()
async def samples_in_order(dut):
    sizes = parameters()["sizes"]
    sources = [StreamSource(dut, f"i__{index}") for index in range(len(sizes))]
    whole = StreamSink(dut, "all")
    split = [StreamSink(dut, f"split__{index}") for index in range(len(sizes))]
    parts = [*sources, whole, *split]
    await clock_and_reset(dut)
    random = rng("values")
    for stalls in ([0.3] * len(parts), *np.eye(len(parts)) * 0.9, [0] * len(parts)):
        for part, stall in zip(parts, stalls, strict=True):
            part.stall = stall
        samples = random.integers(1 << 5, size=(20, sum(sizes)))
        columns = np.split(samples, np.cumsum(sizes)[:-1], axis=1)
        for source, values in zip(sources, columns, strict=True):
            for value in values.ravel().tolist():
                source.put(value)
        compare_all(samples.ravel().tolist(), await whole.receive_all(samples.size), "all")
        for index, (sink, values) in enumerate(zip(split, columns, strict=True)):
            compare_all(values.ravel().tolist(), await sink.receive_all(values.size), f"part {index}")
