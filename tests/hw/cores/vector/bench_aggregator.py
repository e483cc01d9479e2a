"""Random words of all cores, summed and given to their owners."""

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.cores.vector.aggregator import aggregator_command
from rewardware.sim.cocotb import StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.vector.aggregator import aggregate

WORDS = 40
LIMIT = 2000


class Bench:
    """The aggregator between result memories and target memories."""

    def __init__(self, dut):
        run = parameters()
        self.dut, self.config, self.latency = dut, run["config"], run["latency"]
        self.random = rng()
        config = self.config
        self.numbers = self.random.integers(
            0, 1 << config.format.width, (config.cores, WORDS, config.blocks, config.lanes)
        )
        # Exponents of all ones are rare enough for both kinds of commands, with and without infinities.
        self.numbers[:, : WORDS // 2] &= 0xBFFF
        self.written = {}
        self.completed, self.nonfinite = 0, False

    async def start(self):
        self.source = StreamSource(self.dut, "commands", aggregator_command(self.config))
        self.dut.completions__ready.value = 1
        await clock_and_reset(self.dut)
        cocotb.start_soon(self.memories())

    def pack(self, word):
        return sum(int(number) << 16 * index for index, number in enumerate(np.ravel(word)))

    async def memories(self):
        dut, block_bits = self.dut, self.config.block_bits
        while True:
            await ReadOnly()
            addresses = [self._read(core) for core in range(self.config.cores)]
            for core, block in np.ndindex(self.config.cores, self.config.blocks):
                if int(getattr(dut, f"writes__{core}__enable").value) >> block & 1:
                    data = int(getattr(dut, f"writes__{core}__data").value)
                    place = (core, int(getattr(dut, f"writes__{core}__address").value), block)
                    assert place not in self.written, f"{place} written twice"
                    self.written[place] = data >> block * block_bits & (1 << block_bits) - 1
            self.nonfinite |= bool(int(dut.errors.value))
            self.completed += int(dut.completions__valid.value)
            await RisingEdge(dut.clk)
            for core, address in enumerate(addresses):
                word = self.random.integers(0, 1 << 16, (self.config.blocks, self.config.lanes))
                if address is not None:
                    word = self.numbers[core, address]
                getattr(dut, f"reads__{core}__data").value = self.pack(word)

    def _read(self, core):
        """The address that is read in a core's memory, or None."""
        enable, address = (int(getattr(self.dut, f"reads__{core}__{part}").value) for part in ("enable", "address"))
        return address % WORDS if enable else None

    def expected(self, command):
        """The numbers written by core, address and block, and whether all are finite."""
        rows = command["source"] + np.arange(command["features"])
        total = aggregate(self.config.format, list(self.numbers[:, rows, : command["blocks"]]))
        written = {}
        for feature, word in enumerate(total):
            core, local = divmod(feature, command["share"])
            for block, numbers in enumerate(word):
                written[core, command["target"] + local, block] = self.pack(numbers)
        return written, bool((total & 0x7C00 == 0x7C00).any())


@cocotb.test()
async def sums_reach_their_owners(dut):
    bench = Bench(dut)
    await bench.start()
    random, config = bench.random, bench.config
    for index in range(40):
        share = int(random.integers(1, 8))
        features = int(random.integers(0, min(share * config.cores, WORDS // 2) + 1))
        command = {
            "source": int(random.integers(0, WORDS // 2 - features + 1)) + (WORDS // 2 if index % 2 else 0),
            "target": int(random.integers(0, 30)),
            "features": features,
            "share": share,
            "blocks": int(random.integers(1, config.blocks + 1)),
        }
        bench.written, bench.nonfinite = {}, False
        await bench.source.send(command)
        cycles = 0
        while bench.completed == index:
            await RisingEdge(dut.clk)
            cycles += 1
            assert cycles < LIMIT, f"command {index} does not complete"
        written, nonfinite = bench.expected(command)
        compare(written, bench.written, "written", index)
        compare(nonfinite, bench.nonfinite, "nonfinite", index)
        if features:
            groups = -(-command["blocks"] // config.width)
            compare(features * groups + bench.latency, cycles, "cycles", index)
