"""Plays a table of inputs, a row a cycle, and compares those words of the outputs that mean something.

Parameters: ``inputs``, of each port an array with a row for each cycle; ``outputs``, of each port words, which of them
are compared, and the latency.
"""

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.sim.cocotb import clock_and_reset, parameters

from ..bench_play import columns


@cocotb.test()
async def play(dut):
    drivers = [
        (handle, values)
        for port, table in parameters()["inputs"].items()
        for _, handle, values in columns(dut, port, table)
    ]
    outputs = parameters()["outputs"]
    handles = {port: getattr(dut, port) for port in outputs}
    got = {port: np.zeros_like(words) for port, (words, _, _) in outputs.items()}
    for handle, _ in drivers:
        handle.value = 0
    await clock_and_reset(dut)
    cycles = len(drivers[0][1])
    for cycle in range(cycles):
        for handle, values in drivers:
            handle.value = values[cycle]
        await FallingEdge(dut.clk)
        for port, (words, _, latency) in outputs.items():
            if cycle >= latency:
                got[port][cycle - latency] = _words(int(handles[port].value), len(handles[port]), words.shape[1])
        await RisingEdge(dut.clk)
    for port, (words, means, _) in outputs.items():
        assert means.any(), f"Nothing of {port} was compared"
        wrong = np.argwhere((got[port] != words) & means)
        if len(wrong):
            cycle, word = wrong[0]
            raise AssertionError(
                f"{port}[{word}] of the step in cycle {cycle}: expected {words[cycle, word]}, "
                f"got {got[port][cycle, word]} ({len(wrong)} of {means.sum()} differ)"
            )


def _words(bits, width, count):
    """Signed words side by side."""
    width //= count
    values = [bits >> width * index & (1 << width) - 1 for index in range(count)]
    return [value - (value >> width - 1 << width) for value in values]
