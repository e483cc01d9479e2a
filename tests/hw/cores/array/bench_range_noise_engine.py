"""Commands in; insertions, pulses and completions out, in order."""

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.cores.array.commands import ROW_WIDTH, Destination, RangeNoiseKind
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng

FREEZE_CYCLES = 7


class Ranges:
    """Says done a while after each freeze, and while there is none now and then; lists what it was told."""

    def __init__(self, dut):
        self.dut, self.told, self.left, self.random = dut, [], 0, rng("ranges")
        dut.ranges__done.value = dut.ranges__busy.value = 0
        cocotb.start_soon(self.run())

    async def run(self):
        dut = self.dut
        while True:
            await ReadOnly()
            clear, freeze = int(dut.ranges__clear.value), int(dut.ranges__freeze.value)
            if clear or freeze:
                self.told.append((clear, freeze, int(dut.ranges__bits.value)))
            self.left = FREEZE_CYCLES if freeze else max(self.left - 1, 0)
            await RisingEdge(dut.clk)
            dut.ranges__done.value = int(self.left == 1 or (self.left == 0 and self.random.random() < 0.3))


async def watch_busy(dut, codec):
    """From the cycle after a command to the completion, with the command's bits."""
    expected, bits = 0, 0
    while True:
        await ReadOnly()
        compare(expected, int(dut.busy.value), "busy", "any cycle")
        if expected:
            compare(bits, int(dut.ranges__bits.value), "ranges.bits", "any cycle")
        if int(dut.commands__valid.value) and int(dut.commands__ready.value):
            expected, bits = 1, codec.unpack(int(dut.commands__payload.value))["bits"]
        elif int(dut.completions__valid.value) and int(dut.completions__ready.value):
            expected = 0
        await RisingEdge(dut.clk)


def command(random, config):
    """A random one."""
    noise = random.random() < 0.5
    clear = int(random.integers(2))
    return {
        "kind": RangeNoiseKind.NOISE if noise else RangeNoiseKind.RANGE,
        "cores": int(random.integers(1 << config.cores)),
        # A row may also be one that does not exist: the engine passes it on.
        "row": int(random.integers(1 << ROW_WIDTH)),
        "lanes": int(random.integers(config.lanes + 1)),
        "clear": clear,
        "freeze": int(random.integers(2)),
        "bits": int(random.integers(1 << 5)),
    }


@cocotb.test()
async def commands_do_what_they_say(dut):
    config, random = parameters()["config"], rng("commands")
    source, noise = StreamSource(dut, "commands"), StreamSource(dut, "noise")
    insertions, completions = StreamSink(dut, "insertions"), StreamSink(dut, "completions")
    ranges = Ranges(dut)
    await clock_and_reset(dut)
    cocotb.start_soon(watch_busy(dut, source.codec))
    for number in range(60):
        given = command(random, config)
        words = [int(random.integers(1 << 32)) for _ in range(config.lanes)]
        if given["kind"] == RangeNoiseKind.NOISE:
            noise.put(words)
        await source.send(given)
        if given["kind"] == RangeNoiseKind.NOISE:
            row = await insertions.receive()
            expected = {"words": words, "destination": Destination.ERROR, "monitor": 0, "quantize": 0, "merge": 0}
            expected |= {name: given[name] for name in ("cores", "row", "lanes")}
            compare(expected, {name: row[name] for name in expected}, "insertions", number)
        await completions.receive()
        assert ranges.left == 0, f"{number}: complete before the freeze is done"
        told = [(given["clear"], given["freeze"], given["bits"])] if given["clear"] | given["freeze"] else []
        compare([] if given["kind"] == RangeNoiseKind.NOISE else told, ranges.told, "ranges", number)
        ranges.told.clear()


@cocotb.test()
async def a_row_settles_before_it_is_complete(dut):
    config = parameters()["config"]
    source, noise = StreamSource(dut, "commands", stall=0), StreamSource(dut, "noise", stall=0)
    StreamSink(dut, "insertions", stall=0)
    StreamSink(dut, "completions", stall=0)
    Ranges(dut)
    await clock_and_reset(dut)
    noise.put([0] * config.lanes)
    await source.send(dict.fromkeys(("cores", "row", "lanes", "clear", "freeze", "bits"), 0) | {"kind": 0})
    cycles = 1
    while not int(dut.completions__valid.value):
        await RisingEdge(dut.clk)
        cycles += 1
    assert cycles == parameters()["settle"] + 4
