"""Layers from feature map to feature map against the reference, and their cycles.

Parameters: ``config``; ``layers``, of each the shape and the channels of a pass; ``chain``, such layers of which each
takes what the one before gives.
"""

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

from rewardware.hw.cores.convolution.word_commands import FeatureMap
from rewardware.hw.cores.fractional_convolution.passes import make_passes
from rewardware.hw.cores.fractional_convolution.unit_commands import layer_commands, parameter_channels
from rewardware.hw.cores.fractional_convolution.unit_cycles import layer_cycles
from rewardware.sim.cocotb import StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.mapping.fractional_convolution.operands import weight_rows
from rewardware.sw.reference.convolution.fractional import direct
from rewardware.sw.reference.convolution.requantization import requantize
from tests.hw.cores.convolution.bench_store_unit import packed


class UnitBench:
    """Memories with what layers need, and what the feature memory must have in the end."""

    def __init__(self, dut):
        self.dut, self.config, self.random = dut, parameters()["config"], rng("operands")
        features = self.config.writer.features
        self.commands = StreamSource(dut, "commands", stall=0)
        self.words = np.zeros(features.rows * features.lanes, np.int64)
        self.expected = self.words.copy()
        self.parameter_row = self.weight_row = 0
        self.saturated = self.expected_saturated = 0
        # Cycles: of each completion, of the first command's offer, and in which the unit was not busy after it.
        self.completions, self.offered, self.idle = [], None, []
        self.error = False
        self.grants = (1.0, 1.0)
        for name in ("weights", "parameters", "features"):
            getattr(dut, f"load_{name}__enable").value = 0
        dut.memory_grant.value = dut.features_grant.value = 1

    async def begin(self):
        await clock_and_reset(self.dut)
        cocotb.start_soon(self._watch())
        cocotb.start_soon(self._grant())
        self.fill(0, self.numbers(len(self.words), self.config.writer.features.width))
        await self._write_features()

    async def _grant(self):
        while True:
            await RisingEdge(self.dut.clk)
            memory, features = (int(self.random.random() < share) for share in self.grants)
            self.dut.memory_grant.value, self.dut.features_grant.value = memory, features

    async def _watch(self):
        dut, memory = self.dut, self.config.writer.features
        cycle = 0
        while True:
            await FallingEdge(dut.clk)
            await ReadOnly()
            cycle += 1
            if self.offered is None and int(dut.commands__valid.value):
                self.offered = cycle
            if self.offered is not None and cycle > self.offered and not int(dut.busy.value):
                self.idle.append(cycle)
            if int(dut.completions__valid.value):
                self.completions.append(cycle)
            self.saturated += int(dut.saturated.value).bit_count()
            self.error |= bool(int(dut.errors.value))
            enable = int(dut.stored__enable.value)
            begins = int(dut.stored__row.value) * memory.lanes + int(dut.stored__lane.value)
            bits = int(dut.stored__data.value)
            for lane in range(memory.lanes):
                if enable >> lane & 1:
                    word = bits >> memory.width * lane & (1 << memory.width) - 1
                    self.words[(begins + lane) % len(self.words)] = word - (word >> memory.width - 1 << memory.width)

    def numbers(self, shape, width):
        """Random integers, some of them corner values."""
        limit = 1 << width - 1
        found = self.random.integers(-limit, limit, shape)
        corners = self.random.choice([-limit, limit - 1, -1, 0], shape)
        return np.where(self.random.random(shape) < 0.1, corners, found)

    def fill(self, place, words):
        """Have the feature memory hold words."""
        self.expected[place : place + len(words)] = words

    async def _write_features(self):
        memory = self.config.writer.features
        for row, words in enumerate(self.expected.reshape(memory.rows, memory.lanes)):
            self.dut.load_features__enable.value = (1 << memory.lanes) - 1
            self.dut.load_features__row.value, self.dut.load_features__lane.value = row, 0
            self.dut.load_features__data.value = packed(words, memory.width)
            await RisingEdge(self.dut.clk)
        self.dut.load_features__enable.value = 0

    async def _write(self, name, first, rows):
        """Rows as integers to the weights or the parameters."""
        for number, row in enumerate(rows, first):
            getattr(self.dut, f"load_{name}__enable").value = 1
            getattr(self.dut, f"load_{name}__address").value = number
            getattr(self.dut, f"load_{name}__data").value = row
            await RisingEdge(self.dut.clk)
        getattr(self.dut, f"load_{name}__enable").value = 0

    async def prepare(self, shape, channels, place, features):
        """Weights and parameters of a layer after those that are there; returns its passes and commands."""
        config, memory = self.config, self.config.writer.features
        passes = make_passes(
            config.engine, shape, channels, input_row=int(self.random.integers(3)), weight_row=self.weight_row,
            between_maps=True,
        )  # fmt: skip
        kernels = self.numbers((*shape.kernel, shape.input_channels, shape.output_channels), memory.width)
        width = config.engine.operand_width
        for one in passes:
            assert one.weight_row >= self.weight_row, "weights of a layer do not fit"
            rows = weight_rows(one, kernels)
            await self._write("weights", one.weight_row, [packed(row, width) for row in rows])
            self.weight_row = one.weight_row + len(rows)
        biases = self.numbers(shape.output_channels, 2 * memory.width)
        multipliers = self.random.integers(0, 1 << 16, shape.output_channels)
        words = {"shift": 2 * memory.width + 8, "rectifies": int(self.random.integers(2))}
        where = {"place": place, "parameter_row": self.parameter_row, **words}
        commands = layer_commands(config, passes, features, **where)
        lanes, sum_width = config.writer.lanes, config.writer.sum_width
        rows = [
            packed(biases[own], sum_width) | packed(multipliers[own], 16) << sum_width * lanes
            for own in (slice(one.start, one.stop) for one in parameter_channels(config, passes))
        ]
        await self._write("parameters", self.parameter_row, rows)
        self.parameter_row += len(rows)
        self._expect(shape, kernels, biases, multipliers, words, place, features)
        return passes, commands

    def _expect(self, shape, kernels, biases, multipliers, words, place, features):
        size = shape.picture[0] * shape.picture[1] * shape.input_channels
        picture = self.expected[place : place + size].reshape(*shape.picture, shape.input_channels)
        found, saturated = requantize(
            direct(shape, picture, kernels),
            bias=biases,
            multiplier=multipliers,
            shift=words["shift"],
            rectified=bool(words["rectifies"]),
            output_width=self.config.writer.features.width,
            accumulator_width=self.config.writer.sum_width,
        )
        pixels = found.reshape(-1, shape.output_channels)
        places = features.place + features.first + np.arange(len(pixels))[:, None] * features.channels
        self.expected[places + np.arange(shape.output_channels)] = pixels
        self.expected_saturated += saturated

    def restart(self):
        """The memories of weights and parameters are free again."""
        self.parameter_row = self.weight_row = 0

    async def run(self, commands, what, count=None):
        """Give commands, wait for as many completions, or so many, and compare all of the feature memory."""
        count = len(commands) if count is None else count
        self.completions.clear()
        self.idle.clear()
        self.offered = None
        for command in commands:
            self.commands.put(command)
        while len(self.completions) < count:
            await RisingEdge(self.dut.clk)
        await RisingEdge(self.dut.clk)
        await FallingEdge(self.dut.clk)
        await ReadOnly()
        assert not int(self.dut.busy.value), f"{what}: busy after the last completion"
        await RisingEdge(self.dut.clk)
        different = np.flatnonzero(self.words != self.expected)
        assert not len(different), f"{what}: {len(different)} words differ, as at {different[:5].tolist()}"
        compare(self.expected_saturated, self.saturated, f"{what}: saturated words", 0)
        assert not self.error, f"{what}: an address is out of range"

    def map_of(self, shape, place):
        """A feature map with other channels around those of a layer."""
        first, more = (int(number) for number in self.random.integers(0, 3, 2))
        return FeatureMap(place=place, channels=first + shape.output_channels + more, first=first)


STALLS = ((0.0, (1.0, 1.0)), (0.5, (0.5, 0.6)), (0.1, (0.9, 0.1)))


@cocotb.test()
async def from_map_to_map(dut):
    bench = UnitBench(dut)
    await bench.begin()
    half = len(bench.words) // 2
    for stall, grants in STALLS:
        bench.commands.stall, bench.grants = stall, grants
        for number, (shape, channels) in enumerate(parameters()["layers"]):
            bench.restart()
            place = int(bench.random.integers(0, 9))
            features = bench.map_of(shape, half + int(bench.random.integers(0, 9)))
            passes, commands = await bench.prepare(shape, channels, place, features)
            await bench.run(commands, f"{shape} by {channels}")
            if not stall:
                assert bench.idle[0] > bench.completions[-1], "not busy before the last completion"
                counted = [cycle - bench.offered for cycle in bench.completions]
                compare(layer_cycles(bench.config, passes), counted, f"cycles of {shape} by {channels}", number)


@cocotb.test()
async def layers_behind_each_other(dut):
    bench = UnitBench(dut)
    await bench.begin()
    for stall, grants in STALLS:
        bench.commands.stall, bench.grants = stall, grants
        bench.restart()
        place, all_commands = 0, []
        for shape, channels in parameters()["chain"]:
            behind = place + shape.picture[0] * shape.picture[1] * shape.input_channels
            features = FeatureMap(place=behind, channels=shape.output_channels)
            _, commands = await bench.prepare(shape, channels, place, features)
            all_commands += commands
            place = behind
        await bench.run(all_commands, "chain")


@cocotb.test()
async def an_address_behind_the_end_is_said(dut):
    bench = UnitBench(dut)
    await bench.begin()
    engine = bench.config.engine
    shape, channels = parameters()["layers"][0]
    (command, *_) = (await bench.prepare(shape, channels, 0, bench.map_of(shape, 0)))[1]
    rows = command["load"]["rows"]
    used = make_passes(engine, shape, channels)[0].tiles * shape.input_channels
    for row, wrong in ((engine.input_rows - used, False), (engine.input_rows - used + 1, True)):
        bench.error, bench.offered = False, None
        bench.completions.clear()
        first = rows["first"] | {"row": row}
        bench.commands.put(command | {"load": command["load"] | {"rows": rows | {"first": first}}})
        while not bench.completions:
            await RisingEdge(dut.clk)
        compare(wrong, bench.error, "address out of range", row)


@cocotb.test()
async def a_reset_forgets_everything(dut):
    bench = UnitBench(dut)
    await bench.begin()
    layer, channels = parameters()["layers"][0]
    before = bench.expected_saturated
    _, commands = await bench.prepare(layer, channels, 0, bench.map_of(layer, len(bench.words) // 2))
    for cycles in range(3, 300, 37):
        taken = bench.commands.put(commands[0])
        for _ in range(cycles):
            await RisingEdge(dut.clk)
        dut.rst.value = 1
        await RisingEdge(dut.clk)
        dut.rst.value = 0
        bench.saturated = before
        # A first command that was not taken is still offered.
        await bench.run(commands[0 if taken.is_set() else 1 :], f"a reset after {cycles} cycles", len(commands))
