"""Bench of every fixed-latency pipe: play a table of inputs, a row a cycle, and check a table of outputs.

Parameters: ``inputs`` maps a port to an array with a row for each cycle; ``outputs`` maps a port to an
:class:`Expected`. The words of an array layout, and the elements of an array of ports, are further axes.
"""

from dataclasses import dataclass

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.sim.cocotb import clock_and_reset, parameters

RESETS = 8


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
    before : int or None
        Value that the port has after a reset, whatever was on its way, until something comes in; None: not checked.
    """

    values: np.ndarray
    latency: int
    when: np.ndarray | None = None
    before: int | None = None


def columns(dut, port, table):
    """``(index, handle, bits of each row)`` of every element of a port; the words of a layout are one element."""
    table = np.asarray(table)
    axes = table.shape[1:]
    if axes and not hasattr(dut, "__".join([port, *("0" for _ in axes)])):
        handle = getattr(dut, port)
        yield (), handle, [_packed(row, len(handle) // len(row)) for row in table.reshape(len(table), -1)]
        return
    for index in np.ndindex(axes):
        handle = getattr(dut, "__".join([port, *map(str, index)]))
        yield index, handle, [_packed([value], len(handle)) for value in table[(slice(None), *index)]]


def _packed(words, width):
    return sum(int(word) % (1 << width) << width * number for number, word in enumerate(words))


async def forget_at_resets(dut, drivers, checks, last):
    """Fill the pipe, reset it for a cycle, and look at what leaves."""
    for reset in range(RESETS):
        for row in range(reset * last, (reset + 1) * last):
            for handle, values in drivers:
                handle.value = values[row]
            await RisingEdge(dut.clk)
        for handle, _ in drivers:
            handle.value = 0
        dut.rst.value = 1
        await RisingEdge(dut.clk)
        dut.rst.value = 0
        for cycle in range(last):
            await FallingEdge(dut.clk)
            for port, index, handle, expected, _ in checks:
                if expected.before not in (None, got := int(handle.value)):
                    raise AssertionError(f"{port}{list(index)}, {cycle} cycles after reset {reset}: {got:#x}")
            await RisingEdge(dut.clk)


@cocotb.test()
async def play(dut):
    inputs = parameters()["inputs"]
    outputs = parameters()["outputs"]
    drivers = [(handle, values) for port, table in inputs.items() for _, handle, values in columns(dut, port, table)]
    cycles = len(next(iter(inputs.values())))
    checks = [
        (port, index, handle, expected, values)
        for port, expected in outputs.items()
        for index, handle, values in columns(dut, port, expected.values)
    ]
    last = max(expected.latency for expected in outputs.values())
    for handle, _ in drivers:
        handle.value = 0
    await clock_and_reset(dut)
    if any(expected.before is not None for expected in outputs.values()):
        await forget_at_resets(dut, drivers, checks, last)
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
