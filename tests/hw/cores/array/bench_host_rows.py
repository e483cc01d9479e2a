"""Accesses of a host in; insertions, reads and answers out, with stalls and memories that are not free."""

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.cores.array.commands import Destination
from rewardware.hw.cores.array.host_rows import row_options
from rewardware.hw.cores.memory.host_map import answer_layout
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of
from tests.hw.cores.array.mapped_rows import ACTIVATIONS, CODES, ERRORS, host_config

EVERY_CORE = 7
NAMES = {"activation_rows": ACTIVATIONS, "error_rows": ERRORS}


class CoreRows:
    """Each row of each core, while the memory is granted, and the answers."""

    def __init__(self, dut, config):
        self.dut, self.config, self.random = dut, config, rng("memories")
        self.answers, self.reads = [], []
        cocotb.start_soon(self.run())

    def word(self, memory, core, row):
        """The row's bits, unlike those of any other."""
        return (memory << 16 | core << 12 | row) * 0x1_0001_0001 & (1 << 32 * self.config.lanes) - 1

    def ports(self):
        for name, memory in NAMES.items():
            for core in range(self.config.cores):
                yield memory, core, f"{name}__{core}"

    async def run(self):
        dut, codec = self.dut, codec_of(answer_layout(host_config(self.config)))
        arriving = {}
        while True:
            for _, _, port in self.ports():
                getattr(dut, f"{port}__granted").value = int(self.random.random() < 0.6)
            await ReadOnly()
            answer = codec.unpack(int(dut.answers.value))
            if answer["valid"]:
                self.answers.append(answer["data"])
            found = {}
            for memory, core, port in self.ports():
                if int(getattr(dut, f"{port}__enable").value) and int(getattr(dut, f"{port}__granted").value):
                    row, index = (int(getattr(dut, f"{port}__{what}").value) for what in ("row", "index"))
                    assert index == row % self.config.lanes, f"{port}: index {index} of row {row}"
                    self.reads.append((memory, core, row))
                    found[port] = self.word(memory, core, row)
            await RisingEdge(dut.clk)
            # The words come two cycles after the read, for one cycle.
            for _, _, port in self.ports():
                getattr(dut, f"{port}__data").value = arriving.get(port, 0)
            arriving = found


def access(random, config, write):
    """A random one within its memory."""
    memory = int(random.choice([ACTIVATIONS, ERRORS, CODES] if write else [ACTIVATIONS, ERRORS]))
    parts = 2 if memory == CODES else 1
    row = int(random.integers(parts * (config.error_rows if memory == ERRORS else config.activation_rows)))
    core = int(random.choice([*range(config.cores), EVERY_CORE])) if write else int(random.integers(config.cores))
    return {
        "memory": memory,
        "core": core,
        "row": row,
        "index": row // parts % config.lanes,
        "write": int(write),
        "data": int.from_bytes(random.bytes(4 * config.lanes), "little"),
    }


def insertion(config, given, options):
    """The insertion that a write becomes."""
    parts = 2 if given["memory"] == CODES else 1
    row, part = divmod(given["row"], parts)
    return options | {
        "words": [given["data"] >> 32 * lane & 0xFFFF_FFFF for lane in range(config.lanes)],
        "cores": (1 << config.cores) - 1 if given["core"] == EVERY_CORE else 1 << given["core"],
        "destination": Destination.ERROR if given["memory"] == ERRORS else Destination.ACTIVATION,
        "row": row,
        "index": row % config.lanes,
        "parity": part,
    }


@cocotb.test()
async def writes_become_insertions_and_reads_reach_their_memory(dut):
    config, random = parameters()["config"], rng("accesses")
    accesses, noise = StreamSource(dut, "accesses"), StreamSource(dut, "noise")
    insertions, options = StreamSink(dut, "insertions"), codec_of(row_options(config))
    memories = CoreRows(dut, config)
    await clock_and_reset(dut)
    for number in range(150):
        given = access(random, config, random.random() < 0.6)
        chosen = {"slot": int(random.integers(16)), "lanes": int(random.integers(config.lanes + 1))}
        chosen |= {name: int(random.integers(2)) for name in ("monitor", "quantize", "merge")}
        dut.options.value = options.pack(chosen)
        await accesses.send(given)
        if given["write"]:
            compare(insertion(config, given, chosen), await insertions.receive(), "insertions", number)
            continue
        while not memories.answers:
            await RisingEdge(dut.clk)
        place = given["memory"], given["core"], given["row"]
        compare([memories.word(*place)], memories.answers, "answers", number)
        compare([place], memories.reads, "reads", number)
        memories.answers.clear()
        memories.reads.clear()
        if number % 10 == 0:
            row = insertion(config, access(random, config, True), chosen)
            noise.put(row)
            compare(row, await insertions.receive(), "noise", number)
