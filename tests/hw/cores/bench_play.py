"""Bench of every fixed-latency pipe: play a table of inputs, a row a cycle, and check a table of outputs.

Parameters: ``inputs`` maps a port to an array with a row for each cycle (array ports have further axes); ``outputs``
maps a port to an :class:`Expected`.
"""

from dataclasses import dataclass

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.sim.cocotb import clock_and_reset, parameters


@dataclass(frozen=True)
class Expected:
    """Values of an output port.

    Parameters
    ----------
    values : array
        A row for each input row.
    latency : int
        Cycles from the input row to its output.
    when : array of bool or None
        Rows to check; None: all.
    """

    values: np.ndarray
    latency: int
    when: np.ndarray | None = None


def handles(dut, port, shape):
    """``(index, handle)`` of every element of a port that is an array of ``shape``."""
    for index in np.ndindex(shape):
        yield index, getattr(dut, "__".join([port, *map(str, index)]))


@cocotb.test()
async def play(dut):
    inputs = parameters()["inputs"]
    outputs = parameters()["outputs"]
    drivers = [
        (handle, [int(value) % (1 << len(handle)) for value in table[(slice(None), *index)]])
        for port, table in inputs.items()
        for index, handle in handles(dut, port, table.shape[1:])
    ]
    cycles = len(next(iter(inputs.values())))
    checks = [
        (port, index, handle, expected, [int(v) % (1 << len(handle)) for v in expected.values[(slice(None), *index)]])
        for port, expected in outputs.items()
        for index, handle in handles(dut, port, expected.values.shape[1:])
    ]
    last = max(expected.latency for expected in outputs.values())
    for handle, _ in drivers:
        handle.value = 0
    await clock_and_reset(dut)
    checked = 0
    for cycle in range(cycles + last):
        if cycle < cycles:
            for handle, values in drivers:
                if cycle == 0 or values[cycle] != values[cycle - 1]:
                    handle.value = values[cycle]
        await FallingEdge(dut.clk)
        for port, index, handle, expected, values in checks:
            row = cycle - expected.latency
            if not 0 <= row < len(values) or (expected.when is not None and not expected.when[row]):
                continue
            got = int(handle.value)
            checked += 1
            if got != values[row]:
                given = {name: np.asarray(table[row]).tolist() for name, table in inputs.items()}
                raise AssertionError(
                    f"{port}{list(index)} of row {row}: expected {values[row]:#x}, got {got:#x}; inputs {given}"
                )
        await RisingEdge(dut.clk)
    assert checked, "Nothing was checked"
