"""Commands to an engine whose memories are arrays here."""

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.optimizer.adam import ONE, AdamReference, advance_powers, corrected_step
from tests.hw.cores.optimizer.stimulus import RATES, second_moments, words

# Memories whose words are 32 bits; the second moments are two of them, low and high words.
NAMES = ("weights", "targets", "gradients", "first_moments", "second_moments__0", "second_moments__1")


class Memories:
    """All networks' memories, read and written by the engine and, a copy of them, by the reference."""

    def __init__(self, dut, config):
        self.dut, self.config, self.random = dut, config, rng("memories")
        self.ready, self.reads, self.written, self.saturations = 0.7, 0, 0, 0
        shape = config.networks, config.rows, config.lanes
        self.expected = {name: words(self.random, shape) for name in NAMES[:4]}
        self.expected["second_moments"] = second_moments(self.random, shape)
        second = self.expected["second_moments"].view(np.uint32).reshape(*shape, 2)
        self.device = {name: array.astype(np.uint32) for name, array in self.expected.items() if name in NAMES}
        self.device |= {f"second_moments__{half}": second[..., half].copy() for half in range(2)}
        cocotb.start_soon(self.run())

    def ports(self, name, side):
        """Prefixes of the ports of a memory, one a network or one for all of them, and the rows behind each."""
        array = self.device[name]
        if name in ("weights", "targets"):
            return [(f"{name}_{side}__{network}", array[network]) for network in range(self.config.networks)]
        base, _, half = name.partition("__")
        return [(f"{base}_{side}" + (f"__{half}" if half else ""), array.reshape(-1, self.config.lanes))]

    def value(self, port):
        return int(getattr(self.dut, port).value)

    async def run(self):
        dut, lanes = self.dut, self.config.lanes
        while True:
            dut.gradients_granted.value = ready = int(self.random.random() < self.ready)
            await ReadOnly()
            answers = {}
            for name in NAMES:
                for port, rows in self.ports(name, "read"):
                    answers[port] = 0
                    if self.value(f"{port}__enable"):
                        assert ready or name != "gradients", "gradients: a row was read while the memory was busy"
                        self.reads += name == "gradients"
                        answers[port] = int.from_bytes(rows[self.value(f"{port}__address")].tobytes(), "little")
            for name in NAMES:
                for port, rows in [] if name == "gradients" else self.ports(name, "write"):
                    if self.value(f"{port}__enable"):
                        data = self.value(f"{port}__data").to_bytes(4 * lanes, "little")
                        rows[self.value(f"{port}__address")] = np.frombuffer(data, "<u4")
                        self.written += 1
            self.saturations += int(dut.saturations.value)
            await RisingEdge(dut.clk)
            for port, bits in answers.items():
                # Data hold for one cycle only.
                getattr(dut, f"{port}__data").value = bits

    def check(self, number):
        """Every word of every memory."""
        second = self.expected["second_moments"].view(np.uint32).reshape(*self.expected["weights"].shape, 2)
        expected = {name: self.expected[name].astype(np.uint32) for name in NAMES[:4]}
        expected |= {f"second_moments__{half}": second[..., half] for half in range(2)}
        for name in NAMES:
            for network, row in np.ndindex(expected[name].shape[:2]):
                got = self.device[name][network, row]
                compare(expected[name][network, row], got, f"{name} {network}, row {row}", number)


async def start(dut):
    config = parameters()["config"]
    dut.set_power__enable.value = dut.gradients_granted.value = 0
    source, sink = StreamSource(dut, "commands"), StreamSink(dut, "completions")
    set_rates(dut, RATES[0], [5] * config.networks)
    await clock_and_reset(dut)
    return Memories(dut, config), source, sink


def set_rates(dut, rates, learning_rates):
    for name, value in vars(rates).items():
        getattr(dut, f"rates__{name}").value = value
    for network, rate in enumerate(learning_rates):
        getattr(dut, f"rates__learning_rates__{network}").value = rate


def powers_of(dut, networks):
    return [[int(getattr(dut, f"powers__{network}__{moment}").value) for moment in range(2)] for network in networks]


@cocotb.test()
async def sweeps_follow_the_reference(dut):
    config, random = parameters()["config"], rng("commands")
    memories, source, sink = await start(dut)
    adam, networks = AdamReference(config.weight_fraction), range(config.networks)
    powers, step_sizes, expected_saturations = [[ONE, ONE] for _ in networks], [0 for _ in networks], 0
    compare(powers, powers_of(dut, networks), "powers at power-up", 0)
    for number in range(16):
        rates = RATES[number % len(RATES)]
        learning_rates = [int(random.integers(0, 1 << int(random.integers(1, 33)))) for _ in networks]
        set_rates(dut, rates, learning_rates)
        if number == 9:
            for select, value in enumerate([123_456_789, ONE, ONE, 0][: 2 * config.networks]):
                dut.set_power__network.value, dut.set_power__moment.value = select // 2, select % 2
                dut.set_power__value.value, dut.set_power__enable.value = value, 1
                await RisingEdge(dut.clk)
                powers[select // 2][select % 2] = value
            dut.set_power__enable.value = 0
        network = int(random.integers(config.networks))
        base = int(random.integers(config.rows))
        count = int(random.integers(1, config.rows - base + 1)) if number else config.rows - base
        advance = int(number < config.networks or random.random() < 0.7)
        network = number if number < config.networks else network
        if number == 10:
            # p1 is one and stays it: nothing to divide by.
            network, advance = config.networks - 1, 1
        memories.ready = (0.3, 1.0)[number % 2]
        await source.send({"network": network, "base": base, "count": count, "advance": advance})
        if advance:
            powers[network] = advance_powers(powers[network], rates)
            step_sizes[network] = corrected_step(powers[network], learning_rates[network])
        names = ("weights", "targets", "gradients", "first_moments", "second_moments")
        flat = [memories.expected[name][network, base : base + count].reshape(-1) for name in names]
        expected_saturations += adam.update(*flat, step_size=step_sizes[network], rates=rates)
        await sink.receive()
        await ReadOnly()
        memories.check(number)
        compare(powers, powers_of(dut, networks), "powers", number)
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
        await source.send({"network": config.networks - 1, "base": 0, "count": config.rows, "advance": advance})
        await RisingEdge(dut.clk)
        cycles = 0
        while int(dut.busy.value) and cycles < 1000:
            await RisingEdge(dut.clk)
            cycles += 1
        assert cycles == run["cycles"][advance], f"busy for {cycles} cycles, not {run['cycles'][advance]}"
    assert memories.reads == 2 * config.rows and memories.written == 10 * config.rows


@cocotb.test()
async def no_rows_complete_at_once(dut):
    memories, source, sink = await start(dut)
    before = powers_of(dut, range(1))
    await source.send({"network": 0, "base": 3, "count": 0, "advance": 1})
    await sink.receive()
    assert memories.reads == 0 and powers_of(dut, range(1)) == before
