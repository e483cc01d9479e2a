"""Fills the memories of a matrix core, runs commands and compares what it leaves in result and gradient memory."""

import cocotb
import numpy as np
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from rewardware.hw.cores.vector.matrix_layouts import group_layout
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters
from rewardware.sim.cocotb.codec import codec_of


async def fill(dut, config, loads):
    """Writes through all ports at once, a word a cycle each."""
    codec = codec_of(group_layout(config))
    queues = {port: list(pairs) for port, pairs in loads.items()}
    while queues:
        for port, pairs in list(queues.items()):
            enable = getattr(dut, f"{port}__enable")
            enable.value = (1 << len(enable)) - 1 if pairs else 0
            if not pairs:
                del queues[port]
                continue
            address, data = pairs.pop(0)
            getattr(dut, f"{port}__address").value = address
            getattr(dut, f"{port}__data").value = codec.pack(data) if isinstance(data, dict) else data
        await RisingEdge(dut.clk)


class Watch:
    """Counts cycles in which the engine works, and remembers its flags."""

    def __init__(self, dut):
        self.busy = self.nonfinite = self.out_of_range = 0
        cocotb.start_soon(self.run(dut))

    async def run(self, dut):
        while True:
            await RisingEdge(dut.clk)
            self.busy += int(dut.busy.value)
            self.nonfinite |= int(dut.nonfinite.value)
            self.out_of_range |= int(dut.errors.value)


async def check_results(dut, config, results):
    shape, width = (config.blocks, config.lanes), config.format.width
    for address, expected in results.items():
        half, row = divmod(address, config.result_half)
        port = f"read_results__{half}"
        getattr(dut, f"{port}__enable").value, getattr(dut, f"{port}__address").value = 1, row
        await RisingEdge(dut.clk)
        await ReadOnly()
        word = int(getattr(dut, f"{port}__data").value)
        numbers = [word >> width * place & (1 << width) - 1 for place in range(np.prod(shape))]
        compare(expected.tolist(), np.reshape(numbers, shape)[: len(expected)].tolist(), "results", address)
        await RisingEdge(dut.clk)


async def check_gradients(dut, gradients):
    for (bank, address), expected in gradients.items():
        getattr(dut, f"read_gradients__{bank}__enable").value = 1
        getattr(dut, f"read_gradients__{bank}__address").value = address
        await RisingEdge(dut.clk)
        await ReadOnly()
        compare(
            expected, int(getattr(dut, f"read_gradients__{bank}__data").value), f"gradients of bank {bank}", address
        )
        await RisingEdge(dut.clk)


async def interrupt(dut, source, command, cycles):
    """A reset so many cycles after a command; what is on its way then may count for none of the next commands."""
    await source.send(command)
    await ClockCycles(dut.clk, cycles)
    dut.rst.value = 1
    await RisingEdge(dut.clk)
    dut.rst.value = 0
    await ClockCycles(dut.clk, 100)
    assert not int(dut.busy.value), f"Busy after a reset {cycles} cycles after a command"


@cocotb.test()
async def leaves_what_the_reference_says(dut):
    given = parameters()
    config = given["config"]
    for port in given["loads"]:
        getattr(dut, f"{port}__enable").value = 0
    source = StreamSource(dut, "commands", stall=given.get("stall", 0))
    sink = StreamSink(dut, "completions", stall=given.get("stall", 0))
    await clock_and_reset(dut)
    await fill(dut, config, given["loads"])
    for cycles in given.get("resets", ()):
        await interrupt(dut, source, given["runs"][0][0][0], cycles)
    watch = Watch(dut)
    out_of_range = given.get("out_of_range", [False] * len(given["runs"]))
    for number, (commands, cycles) in enumerate(given["runs"]):
        watch.busy = watch.out_of_range = 0
        for command in commands:
            source.put(command)
        await sink.receive_all(len(commands))
        await ClockCycles(dut.clk, 3)
        assert not int(dut.busy.value), f"run {number}: busy after the last completion"
        assert watch.out_of_range == out_of_range[number], f"run {number}: address out of range"
        if cycles is not None:
            compare(cycles, watch.busy, "busy cycles of run", number)
    await check_results(dut, config, given["results"])
    await check_gradients(dut, given["gradients"])
    assert watch.nonfinite == given["nonfinite"], "nonfinite"
