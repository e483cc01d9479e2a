"""Random passes over random memories against the reference."""

import itertools
from collections import Counter

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.cores.vector.elementwise_config import (
    STATE_MEMORIES,
    Combination,
    Destination,
    Function,
    Operand,
)
from rewardware.hw.cores.vector.elementwise_layouts import elementwise_command
from rewardware.sim.cocotb import StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.vector.elementwise import OWN_BLOCK, ElementwiseReference

WORDS = 40
LIMIT = 3000
# The ports of the memories of Operand, without the last, and of Destination.
STATES = [f"{{}}_states__{number}" for number in range(STATE_MEMORIES)]
READS = [
    *(port.format("read") for port in STATES),
    "read_results__0",
    "read_aggregate",
    "read_choice",
    "read_results__1",
]
WRITES = [*(port.format("write") for port in STATES), "write_error", "write_activation", "write_logit"]


class Bench:
    """The unit with memories around it, and the reference with the same memories."""

    def __init__(self, dut):
        run = parameters()
        self.dut, self.config, self.latency = dut, run["config"], run["latency"]
        self.random = rng()
        self.reference = ElementwiseReference(self.config, WORDS)
        self.completed, self.errors = 0, set()
        # Reads by number of Operand: those that were made, and those that commands need.
        self.reads, self.needed = Counter(), Counter()
        self.memories = None

    async def start(self):
        self.source = StreamSource(self.dut, "commands", elementwise_command(self.config))
        self.dut.completions__ready.value = 1
        self.fill()
        await clock_and_reset(self.dut)
        cocotb.start_soon(self.memory_ports())

    def fill(self):
        number_format = self.config.lane.format
        reference = self.reference
        for memory in (*reference.sources, *reference.destinations[STATE_MEMORIES:]):
            memory[:] = self.numbers(memory.shape)
        reference.scalars[:] = self.numbers(WORDS)
        assert number_format.width == 16
        self.sources = [[self.pack(word) for word in memory] for memory in reference.sources]
        self.others = [[self.pack(word) for word in memory] for memory in reference.destinations[STATE_MEMORIES:]]

    def numbers(self, shape):
        """Moderate numbers, so that hardly anything overflows."""
        random = self.random
        return (
            random.integers(0, 1 << 10, shape)
            | random.integers(8, 17, shape) << 10
            | random.integers(0, 2, shape) << 15
        )

    def pack(self, word):
        return sum(int(number) << 16 * index for index, number in enumerate(word.flat))

    async def memory_ports(self):
        """One word a cycle from each memory, in the next cycle; writes with an enable for each block."""
        dut, block_bits = self.dut, self.config.block_bits
        mask = (1 << block_bits) - 1
        while True:
            await ReadOnly()
            words = []
            for index in range(Operand.SCALAR):
                enable, address = (int(getattr(dut, f"{READS[index]}__{part}").value) for part in ("enable", "address"))
                words.append(self.sources[index][address % WORDS] if enable else None)
                self.reads[index] += enable
            scalar = None
            if int(dut.read_scalar__enable.value):
                scalar = int(self.reference.scalars[int(dut.read_scalar__address.value) % WORDS])
                self.reads[Operand.SCALAR] += 1
            for index, port in enumerate(WRITES):
                blocks = int(getattr(dut, f"{port}__enable").value)
                if blocks:
                    address = int(getattr(dut, f"{port}__address").value)
                    word = int(getattr(dut, f"{port}__data").value)
                    memory = self.sources[index] if index < STATE_MEMORIES else self.others[index - STATE_MEMORIES]
                    for block in range(self.config.blocks):
                        if blocks >> block & 1:
                            field = mask << block * block_bits
                            memory[address] = memory[address] & ~field | word & field
            self.completed += int(dut.completions__valid.value)
            errors = int(dut.errors.value)
            self.errors |= {name for bit, name in enumerate(("nonfinite", "memory_conflict")) if errors >> bit & 1}
            await RisingEdge(dut.clk)
            for index, word in enumerate(words):
                noise = int.from_bytes(self.random.bytes(self.config.blocks * block_bits // 8))
                getattr(dut, f"{READS[index]}__data").value = noise if word is None else word
            dut.read_scalar__data.value = int(self.random.integers(1 << 16)) if scalar is None else scalar

    def random_command(self, wait):
        random, config = self.random, self.config
        features = int(random.integers(0, 9))
        memories = [int(memory) for memory in random.permutation(list(Operand))[:3]]
        operands = []
        for memory in memories:
            stride = int(random.integers(0, 4))
            operands.append(
                {
                    "memory": memory,
                    "base": int(random.integers(0, WORDS - stride * features)),
                    "stride": stride,
                    "block": int(random.choice([OWN_BLOCK, OWN_BLOCK, random.integers(config.blocks)])),
                }
            )
        destinations = []
        # One destination is written at most once in a pass, and a pass does not read what it writes.
        free = [memory for memory in Destination if memory not in memories or memory >= STATE_MEMORIES]
        free.append(Destination.NONE)
        for memory in random.permutation(free)[:2]:
            stride = int(random.integers(1, 4))
            destinations.append(
                {
                    "memory": int(memory),
                    "base": int(random.integers(0, WORDS - stride * features)),
                    "stride": stride,
                    "after_function": int(random.integers(2)),
                }
            )
        seconds = [one for one in Combination if one != Combination.SUBTRACT]
        return {
            "a": operands[0],
            "b": operands[1],
            "c": operands[2],
            "exchange": int(random.integers(0, len(config.exchanges) + 1)),
            "first": int(random.integers(0, 4)),
            "second": int(random.choice(seconds)),
            "function": int(random.choice(list(Function))),
            "destinations": destinations,
            "features": features,
            "blocks": int(random.choice([one for one in (1, 2, 4) if one <= config.blocks])),
            "wait": wait,
        }

    def run(self, command):
        """The command on the reference; an operand that is used is read once for each part of each feature."""
        self.reference.run(command)
        used = [True, command["first"] != Combination.PASS, command["second"] != Combination.PASS]
        cycles = command["features"] * -(-command["blocks"] // self.config.width)
        for operand in itertools.compress((command[name] for name in "abc"), used):
            self.needed[operand["memory"]] += cycles

    async def complete(self, count):
        for _ in range(LIMIT):
            if self.completed >= count:
                break
            await RisingEdge(self.dut.clk)
        else:
            raise TimeoutError(f"{self.completed} of {count} commands complete after {LIMIT} cycles")
        # Results that a completion announces are in the memories in the cycle after it.
        await RisingEdge(self.dut.clk)

    def check(self, index):
        for number, memory in enumerate(self.reference.sources):
            compare([self.pack(word) for word in memory], self.sources[number], f"source memory {number}", index)
        for number, memory in enumerate(self.reference.destinations[STATE_MEMORIES:]):
            compare([self.pack(word) for word in memory], self.others[number], f"destination {number + 3}", index)


@cocotb.test()
async def passes_wait_for_each_other(dut):
    bench = Bench(dut)
    await bench.start()
    for index in range(60):
        command = bench.random_command(wait=1)
        bench.run(command)
        await bench.source.send(command)
        if index % 5 == 4:
            await bench.complete(index + 1)
            bench.check(index)
            compare(+bench.needed, +bench.reads, "reads", index)
    assert "memory_conflict" not in bench.errors
    assert ("nonfinite" in bench.errors) == bench.reference.nonfinite


@cocotb.test()
async def passes_overlap(dut):
    """Commands that do not depend on each other come without a gap; the cycles are counted."""
    bench = Bench(dut)
    await bench.start()
    bench.source.stall = 0
    config = bench.config
    command = bench.random_command(wait=0) | {"features": 7, "blocks": config.blocks, "second": Combination.ADD}
    for name, memory in zip("abc", (Operand.STATE_0, Operand.STATE_1, Operand.SCALAR), strict=True):
        command[name] |= {"memory": memory, "base": 3, "stride": 1}
    commands = []
    for turn in range(4):
        destinations = [
            {"memory": Destination.STATE_2, "base": 8 * turn, "stride": 1, "after_function": 0},
            {"memory": Destination.ERROR, "base": 8 * turn, "stride": 1, "after_function": 1},
        ]
        commands.append(command | {"destinations": destinations})
    for one in commands:
        bench.reference.run(one)
        bench.source.put(one)
    while not int(dut.busy.value):
        await RisingEdge(dut.clk)
    cycles = 0
    while int(dut.busy.value):
        await RisingEdge(dut.clk)
        cycles += 1
    await bench.complete(4)
    bench.check("overlapping")
    compare(4 * 7 * (config.blocks // config.width) + bench.latency, cycles, "cycles", 0)


@cocotb.test()
async def conflicts_are_flagged(dut):
    """Two operands of one memory from different places, where both are used, and two destinations that are one."""
    bench = Bench(dut)
    await bench.start()
    plain = bench.random_command(wait=1) | {"features": 2}
    for name, memory in zip("abc", (Operand.STATE_0, Operand.STATE_1, Operand.STATE_2), strict=True):
        plain[name] = {"memory": memory, "base": 4, "stride": 1, "block": OWN_BLOCK}
    nowhere = {"memory": Destination.NONE, "base": 0, "stride": 1, "after_function": 0}
    plain["destinations"] = [nowhere] * 2
    cases = []
    for combinations in itertools.product((Combination.PASS, Combination.ADD), repeat=2):
        used = {"a": True} | {name: one != Combination.PASS for name, one in zip("bc", combinations, strict=True)}
        command = plain | dict(zip(("first", "second"), combinations, strict=True))
        for one, other in itertools.combinations("abc", 2):
            for base in (4, 5):
                again = command[one] | {"base": base}
                cases.append((command | {other: again}, base == 5 and used[one] and used[other]))
    written = [nowhere | {"memory": Destination.STATE_1}, nowhere | {"memory": Destination.ERROR}]
    cases += [(plain | {"destinations": pair}, pair[0] == pair[1]) for pair in itertools.product(written, repeat=2)]
    for index, (command, conflicts) in enumerate(cases):
        bench.errors.clear()
        await bench.source.send(command)
        await bench.complete(index + 1)
        compare(conflicts, "memory_conflict" in bench.errors, "conflicts", index)
