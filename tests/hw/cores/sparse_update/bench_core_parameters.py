"""Layers' words and biases in; memory, scalars and what is read of weights against the reference."""

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.cores.float.config import BINARY16
from rewardware.sim.cocotb import StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.float.arithmetic import is_nonfinite
from rewardware.sw.reference.float.conversion import convert
from rewardware.sw.reference.sparse_update.weight_update import dense_words, update
from tests.hw.cores.sparse.bench_address_generator import expected_words
from tests.hw.cores.sparse.grouped import grouped_layers
from tests.hw.cores.sparse.memories import ReadPort
from tests.hw.cores.sparse_update.optimizer_memory import pack_rates, random_gradients, random_state, rate_bits
from tests.hw.cores.sparse_update.parameter_host import ParameterHost

LIMIT_CYCLES = 5000


class Bench:
    """Banks of gradients, the memory of the reference, and what comes out."""

    def __init__(self, dut):
        run = parameters()
        self.dut, self.config = dut, run["config"]
        self.update, self.sparse = self.config.update, self.config.update.sparse
        self.number_format = self.update.rms_prop.format
        self.random = rng("numbers")
        shape = self.sparse.parameter_words, self.sparse.lanes
        self.expected = random_state(self.number_format, self.random, shape)
        self.gradients = random_gradients(BINARY16, self.random, (self.sparse.banks, self.sparse.weight_words))
        self.rates = rate_bits(self.number_format)
        dut.rates.value = pack_rates(self.number_format, self.rates)
        self.host = ParameterHost(dut, self.number_format.width)
        dut.parameters__enable.value = 0
        for bank in range(self.sparse.banks):
            ReadPort(dut, f"gradients__{bank}", self.gradients[bank], stays=False)
        self.scalars, self.scalar_cycles = [], []
        self.done = self.outside = self.conflicts = self.flags = self.expected_flags = 0

    async def start(self, words_stall=0.3):
        self.words = StreamSource(self.dut, "words", stall=words_stall)
        self.commands = StreamSource(self.dut, "commands")
        await clock_and_reset(self.dut)
        cocotb.start_soon(self.watch())
        await self.host.write(self.expected)

    async def watch(self):
        """Scalars, completions and errors."""
        dut, cycle = self.dut, 0
        while True:
            await ReadOnly()
            if int(dut.scalars__enable.value):
                self.scalars.append((int(dut.scalars__address.value), int(dut.scalars__data.value)))
                self.scalar_cycles.append(cycle)
            self.done += int(dut.done.value)
            errors = int(dut.errors.value)
            self.outside += errors & 1
            self.conflicts += errors >> 1 & 1
            self.flags += errors >> 2
            await RisingEdge(dut.clk)
            cycle += 1

    def expect(self, arrays):
        """The reference's update of words, as arrays."""
        self.expected = update(self.number_format, BINARY16, *self.expected, self.gradients, arrays, **self.rates)
        for address, mask in zip(arrays["parameter_address"], arrays["mask"], strict=True):
            lanes = np.flatnonzero(int(mask) >> np.arange(self.sparse.lanes) & 1)
            self.expected_flags += any(
                is_nonfinite(self.number_format, part[address, lanes]).any() for part in self.expected
            )

    def rounded(self, numbers):
        """In the network's format."""
        numbers = np.asarray(numbers)
        return numbers if self.number_format == BINARY16 else convert(self.number_format, BINARY16, numbers)

    def biases(self, columns, free):
        """A command whose biases are among the words that are ``free``, and the scalars that it leaves."""
        lanes = self.sparse.lanes
        needed = -(-columns // lanes)
        starts = [start for start in range(len(free) - needed + 1) if free[start : start + needed].all()]
        places = {
            "parameter_base": int(self.random.choice(starts)),
            "weight_base": int(self.random.integers(self.sparse.weight_words - needed + 1)),
        }
        self.expect(dense_words(columns, lanes=lanes, banks=self.sparse.banks, **places))
        base = int(self.random.choice([0, self.config.scalars - columns]))
        numbers = self.rounded(self.expected[0][places["parameter_base"] :][:needed]).reshape(-1)[:columns]
        scalars = [(base + place, int(number)) for place, number in enumerate(numbers)]
        return {"columns": columns, "scalar_base": base} | places, scalars

    async def finish(self):
        """Until one more command is done; the scalars that came meanwhile, one a cycle."""
        for _ in range(LIMIT_CYCLES):
            await RisingEdge(self.dut.clk)
            if self.done:
                break
            assert int(self.dut.busy.value)
        self.done -= 1
        assert not self.done
        got, cycles = list(self.scalars), list(self.scalar_cycles)
        self.scalars.clear()
        self.scalar_cycles.clear()
        assert cycles == list(range(cycles[0], cycles[0] + len(cycles))) if cycles else not got
        return got


def words_of(bits, sparse):
    """Weights as others read them."""
    return [bits >> sparse.weight_width * lane & (1 << sparse.weight_width) - 1 for lane in range(sparse.lanes)]


NOTHING = {"columns": 0, "parameter_base": 0, "weight_base": 0, "scalar_base": 0}


@cocotb.test()
async def parameters_and_scalars_follow_the_reference(dut):
    bench = Bench(dut)
    await bench.start()
    sparse, lanes = bench.sparse, bench.sparse.lanes
    most = min(2 * lanes + 1, bench.config.scalars)
    for number, layer in enumerate(grouped_layers(sparse, rng("layers"), parameters()["layers"])):
        bench.words.stall = (0.0, 0.4)[number % 2]
        listed = expected_words(sparse, layer, number % 3 == 0)
        if listed:
            bench.expect({name: np.array([word[name] for word in listed]) for name in listed[0]})
        free = np.ones(bench.sparse.parameter_words, bool)
        free[[word["parameter_address"] for word in listed]] = False
        columns = (1, lanes, lanes + 1, most, int(bench.random.integers(1, most + 1)))[number % 5]
        command, scalars = bench.biases(columns, free)
        # Biases come while the last words are under way.
        for word in listed:
            await bench.words.send(word)
        await bench.commands.send(command)
        compare(scalars, await bench.finish(), "scalars", number)
        await RisingEdge(dut.clk)
        assert not int(dut.busy.value)
        await bench.host.check(bench.expected, f"layer {number}")
        compare(bench.expected_flags, bench.flags, "words that are not finite", number)
    assert bench.flags
    assert not bench.outside and not bench.conflicts


@cocotb.test()
async def weights_are_rounded(dut):
    bench = Bench(dut)
    number_format, shape = bench.number_format, (bench.sparse.parameter_words, bench.sparse.lanes)
    # Weights have every magnitude, infinities and NaN among them; the first word may have any pattern.
    weights = random_gradients(number_format, bench.random, shape)
    weights[0] = bench.random.integers(1 << number_format.width, size=shape[1])
    weights[0, :4] = [number_format.quiet_nan, number_format.infinity, number_format.sign_bit, 1]
    bench.expected = weights, bench.expected[1]
    await bench.start()
    shown = [None] * bench.sparse.parameter_latency
    for cycle in range(600):
        enable = bool(bench.random.random() < 0.7)
        address = int(bench.random.choice([0, shape[0] - 1, bench.random.integers(shape[0])]))
        dut.parameters__enable.value, dut.parameters__address.value = enable, address
        await ReadOnly()
        if shown[0] is not None:
            got = words_of(int(dut.parameters__data.value), bench.sparse)
            compare([int(number) for number in bench.rounded(weights[shown[0]])], got, "weights", cycle)
        shown = [*shown[1:], address if enable else shown[-1]]
        await RisingEdge(dut.clk)
    assert not bench.conflicts


@cocotb.test()
async def what_is_behind_a_memory_is_refused(dut):
    bench = Bench(dut)
    await bench.start()
    sparse, scalars_end = bench.sparse, bench.config.scalars
    lanes = sparse.lanes
    limits = {"parameter_base": sparse.parameter_words, "weight_base": bench.sparse.weight_words}
    for name, limit in limits.items():
        for base, columns in ((limit, 1), (limit - 1, lanes + 1), ((1 << 20) - 1, 2)):
            await bench.commands.send(NOTHING | {"columns": columns, name: base})
            assert not await bench.finish()
            compare(1, bench.outside, name, base)
            bench.outside = 0
    await bench.host.check(bench.expected, "what was refused")
    # Scalars: those that fit are written.
    command, scalars = bench.biases(5, np.ones(sparse.parameter_words, bool))
    first = scalars_end - 2
    await bench.commands.send(command | {"scalar_base": first})
    kept = [(first + place, number) for place, (_, number) in enumerate(scalars)][:2]
    compare(kept, await bench.finish(), "scalars", first)
    compare(3, bench.outside, "scalars outside", first)
    await bench.host.check(bench.expected, "biases")


@cocotb.test()
async def who_meets_another_is_flagged(dut):
    bench = Bench(dut)
    await bench.start(words_stall=0)
    layer = next(layer for layer in grouped_layers(bench.sparse, rng("layers"), 4) if layer.rows > 1)
    words = expected_words(bench.sparse, layer, False)
    # Somebody reads weights all the time: each word that is updated meets him once.
    dut.parameters__enable.value = 1
    for word in words:
        await bench.words.send(word)
    # Without columns: what is under way is finished.
    await bench.commands.send(NOTHING)
    assert not await bench.finish()
    dut.parameters__enable.value = 0
    compare(len(words), bench.conflicts, "conflicts", 0)
    # Words that do not wait for a command's end meet the copy of its biases.
    bench.conflicts = 0
    await bench.commands.send(NOTHING | {"columns": 2 * bench.sparse.lanes})
    for word in words:
        await bench.words.send(word)
    await bench.finish()
    assert bench.conflicts


@cocotb.test()
async def a_reset_ends_the_copy(dut):
    bench = Bench(dut)
    await bench.start()
    await bench.commands.send(NOTHING | {"columns": 2 * bench.sparse.lanes})
    for _ in range(LIMIT_CYCLES):
        await RisingEdge(dut.clk)
        if bench.scalars:
            break
    dut.rst.value = 1
    await RisingEdge(dut.clk)
    dut.rst.value = 0
    await ReadOnly()
    written = len(bench.scalars)
    for _ in range(20):
        assert not int(dut.scalars__enable.value), "A scalar was written after the reset"
        await RisingEdge(dut.clk)
        await ReadOnly()
    assert 0 < written < 2 * bench.sparse.lanes and not int(dut.busy.value)
