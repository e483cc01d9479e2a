"""Commands to an engine whose memories are arrays here."""

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.optimizer.adam import ONE, AdamReference, advance_powers, step_size
from tests.hw.cores.optimizer.stimulus import RATES, second_moments, words

WIDTHS = {"weight": 32, "target": 32, "gradient": 32, "first_moment": 32, "second_moment": 64}
READS = {"gradient": "moment", "first_moment": "moment", "second_moment": "moment"}
WRITES = {"weight": "weight", "target": "target", "first_moment": "first", "second_moment": "second"}


class Memories:
    """Both networks' memories, read and written by the engine and, a copy of them, by the reference."""

    def __init__(self, dut, config):
        self.dut, self.random = dut, rng("memories")
        self.ready, self.reads, self.written, self.saturations = 0.7, 0, 0, 0
        shape = 2, config.rows, config.lanes
        self.device = {
            name: second_moments(self.random, shape) if width == 64 else words(self.random, shape)
            for name, width in WIDTHS.items()
        }
        self.expected = {name: array.copy() for name, array in self.device.items()}
        cocotb.start_soon(self.run())

    async def run(self):
        dut = self.dut
        while True:
            dut.gradient_ready.value = ready = int(self.random.random() < self.ready)
            await ReadOnly()
            network = int(dut.network.value)
            answers = {}
            for name, width in WIDTHS.items():
                port = f"{READS.get(name, name)}_read"
                if int(getattr(dut, f"{port}_enable").value):
                    assert ready or name != "gradient", "moment_read: a row was read while the memory was busy"
                    row = self.device[name][network, int(getattr(dut, f"{port}_row").value)]
                    mask = (1 << width) - 1
                    answers[name] = sum((int(word) & mask) << width * lane for lane, word in enumerate(row))
            for name, prefix in WRITES.items():
                if int(getattr(dut, f"{prefix}_write_enable").value):
                    row = int(getattr(dut, f"{prefix}_write_row").value)
                    bits, array = int(getattr(dut, f"{prefix}_write_words").value), self.device[name]
                    data = bits.to_bytes(array.shape[2] * WIDTHS[name] // 8, "little")
                    array[network, row] = np.frombuffer(data, "<u8" if WIDTHS[name] == 64 else "<i4")
                    self.written += 1
            self.reads += "gradient" in answers
            self.saturations += int(dut.saturations.value)
            await RisingEdge(dut.clk)
            for name in WIDTHS:
                # Data hold for one cycle only.
                getattr(dut, name).value = answers.get(name, 0)


async def start(dut):
    config = parameters()["config"]
    for name in ("set_enable", "gradient_ready"):
        getattr(dut, name).value = 0
    source, sink = StreamSource(dut, "commands"), StreamSink(dut, "completions")
    set_rates(dut, RATES[0], (5, 5))
    await clock_and_reset(dut)
    return Memories(dut, config), source, sink


def set_rates(dut, rates, learning_rates):
    for name, value in vars(rates).items():
        getattr(dut, name).value = value
    dut.learning_rate_actor.value, dut.learning_rate_critic.value = learning_rates


@cocotb.test()
async def sweeps_follow_the_reference(dut):
    config, random = parameters()["config"], rng("commands")
    memories, source, sink = await start(dut)
    adam = AdamReference(config.weight_fraction)
    powers, alphas, expected_saturations = [[ONE, ONE], [ONE, ONE]], [0, 0], 0
    compare([ONE] * 4, [int(getattr(dut, f"powers__{index}").value) for index in range(4)], "powers at power-up", 0)
    for number in range(16):
        rates = RATES[number % len(RATES)]
        learning_rates = [int(random.integers(0, 1 << int(random.integers(1, 33)))) for _ in range(2)]
        set_rates(dut, rates, learning_rates)
        if number == 9:
            for select, value in enumerate([123_456_789, ONE, ONE, 0]):
                dut.set_select.value, dut.set_value.value, dut.set_enable.value = select, value, 1
                await RisingEdge(dut.clk)
                powers[select // 2][select % 2] = value
            dut.set_enable.value = 0
        network = int(random.integers(2))
        base = int(random.integers(config.rows))
        count = int(random.integers(1, config.rows - base + 1)) if number else config.rows - base
        advance = int(number < 2 or random.random() < 0.7)
        network = number if number < 2 else network
        if number == 10:
            # p1 is one and stays it: nothing to divide by.
            network, advance = 1, 1
        memories.ready = (0.3, 1.0)[number % 2]
        await source.send({"network": network, "base": base, "count": count, "advance": advance})
        if advance:
            powers[network] = advance_powers(powers[network], rates)
            alphas[network] = step_size(powers[network], learning_rates[network])
        names = ("weight", "target", "gradient", "first_moment", "second_moment")
        flat = [memories.expected[name][network, base : base + count].reshape(-1) for name in names]
        expected_saturations += adam.update(*flat, alpha=alphas[network], rates=rates)
        await sink.receive()
        await ReadOnly()
        for name, array in memories.expected.items():
            for row in range(config.rows):
                for bank in range(2):
                    compare(array[bank, row], memories.device[name][bank, row], f"{name} {bank}, row {row}", number)
        got = [int(getattr(dut, f"powers__{index}").value) for index in range(4)]
        compare([*powers[0], *powers[1]], got, "powers", number)
        compare(expected_saturations, memories.saturations, "saturations", number)
        await RisingEdge(dut.clk)


@cocotb.test()
async def rows_follow_each_other_at_the_interval(dut):
    config, run = parameters()["config"], parameters()
    memories, source, sink = await start(dut)
    source.stall = sink.stall = 0
    memories.ready = 1.0
    for advance in (0, 1):
        await RisingEdge(dut.clk)
        await source.send({"network": 1, "base": 0, "count": config.rows, "advance": advance})
        await RisingEdge(dut.clk)
        cycles = 0
        while int(dut.busy.value) and cycles < 1000:
            await RisingEdge(dut.clk)
            cycles += 1
        assert cycles == run["cycles"][advance], f"busy for {cycles} cycles, not {run['cycles'][advance]}"
    assert memories.reads == 2 * config.rows and memories.written == 8 * config.rows


@cocotb.test()
async def no_rows_complete_at_once(dut):
    memories, source, sink = await start(dut)
    before = int(dut.powers__0.value)
    await source.send({"network": 0, "base": 3, "count": 0, "advance": 1})
    await sink.receive()
    assert memories.reads == 0 and int(dut.powers__0.value) == before
