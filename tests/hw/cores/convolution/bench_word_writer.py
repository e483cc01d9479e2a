"""Commands and rows of totals of a writer of words, with waits everywhere, and the words that it writes.

Parameters: ``config``; ``parameters``, biases and multipliers by rows; ``runs``, each with a command, its rows of
totals and the writes that it makes.
"""

import random

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.sim.cocotb import StreamSource, clock_and_reset, compare, parameters
from tests.hw.cores.sparse.memories import ReadPort

from .bench_store_unit import packed


class Writes:
    """Words and completions of a writer, whose feature map takes words now and then only."""

    def __init__(self, dut, config, random):
        self.made, self.completions, self.chance = [], 0, 1.0
        cocotb.start_soon(self._run(dut, config, random))

    async def _run(self, dut, config, random):
        width, lanes = config.features.width, config.lanes
        while True:
            granted = random.random() < self.chance
            dut.features_granted.value = granted
            await ReadOnly()
            enable = int(dut.features__enable.value)
            if granted and enable:
                bits = int(dut.features__data.value)
                words = [bits >> width * lane & (1 << width) - 1 for lane in range(lanes)]
                signed = [
                    (word - (word >> width - 1 << width)) * (enable >> lane & 1) for lane, word in enumerate(words)
                ]
                at = [int(dut.features__row.value), int(dut.features__lane.value)]
                self.made.append([*at, enable, signed, int(dut.saturated.value)])
            elif not granted:
                assert not int(dut.saturated.value), "a word that is not taken counts as saturated"
            self.completions += int(dut.completions__valid.value)
            await RisingEdge(dut.clk)


@cocotb.test()
async def words(dut):
    run = parameters()
    config = run["config"]
    commands, totals = StreamSource(dut, "commands"), StreamSource(dut, "totals")
    biases, multipliers = run["parameters"]
    rows = [
        packed(bias, config.sum_width) | packed(multiplier, 16) << config.sum_width * config.lanes
        for bias, multiplier in zip(biases, multipliers, strict=True)
    ]
    dut.features_granted.value = 1
    await clock_and_reset(dut)
    ReadPort(dut, "parameters", rows, stays=False)
    writes = Writes(dut, config, random.Random(1))
    for commands.stall, totals.stall, writes.chance in ((0, 0, 1), (0.5, 0.4, 1), (0, 0, 0.4), (0.3, 0.3, 0.7)):
        for one in run["runs"]:
            commands.put(one["command"])
            for row in one["totals"]:
                totals.put(row)
        for number, one in enumerate(run["runs"]):
            complete = writes.completions + 1
            for _ in range(5000):
                if writes.completions >= complete:
                    break
                await RisingEdge(dut.clk)
            else:
                raise AssertionError(f"No completion of command {number} within 5000 cycles")
            compare(one["beats"], writes.made[: len(one["beats"])], "writes", number)
            del writes.made[: len(one["beats"])]
        for _ in range(5):
            await RisingEdge(dut.clk)
        assert not writes.made and not int(dut.busy.value)
