"""Layers against the reference, and their cycles against what :mod:`.cycles` says.

Parameters: ``config``; ``layers``, of each the shape, the pictures together and the channels of a pass; ``mixtures`` of
them, whose cycles are counted.
"""

from functools import partial

import cocotb
import numpy as np
from cocotb.triggers import ClockCycles, RisingEdge

from rewardware.hw.cores.convolution.loop_nest_config import nest_loops
from rewardware.hw.cores.fractional_convolution.cycles import pass_cycles
from rewardware.hw.cores.fractional_convolution.passes import make_passes
from rewardware.hw.cores.fractional_convolution.records import output_nest
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.mapping.fractional_convolution.operands import input_rows, output_rows, weight_rows
from rewardware.sw.reference.convolution.float_convolution import fractionally_strided
from rewardware.sw.reference.convolution.fractional import direct
from rewardware.sw.reference.float import host
from rewardware.sw.reference.float.arithmetic import is_nonfinite
from tests.hw.cores.transfer_cycles import TransferCycles


class Bench:
    """Memories with operands, commands, and the outputs that they must give."""

    def __init__(self, dut):
        self.dut, self.config = dut, parameters()["config"]
        self.random = rng("operands")
        self.format = self.config.number_format
        self.commands = StreamSource(dut, "commands")
        self.completions, self.outputs = StreamSink(dut, "completions"), StreamSink(dut, "outputs")
        self.streams = (self.commands, self.completions, self.outputs)
        self.nonfinite = self.out_of_range = False
        for name in ("inputs", "weights"):
            getattr(dut, f"load_{name}__valid").value = 0
            getattr(dut, f"loaded_{name}__ready").value = 1

    async def begin(self):
        await clock_and_reset(self.dut)
        cocotb.start_soon(self._watch())

    async def _watch(self):
        while True:
            await RisingEdge(self.dut.clk)
            flags = int(self.dut.errors.value)
            self.out_of_range |= bool(flags & 1)
            self.nonfinite |= bool(flags & 2)

    def stall(self, commands, completions, outputs):
        for port, stall in zip(self.streams, (commands, completions, outputs), strict=True):
            port.stall = stall

    def operands(self, shape, corners):
        """Bits of random operands, some of them corner values."""
        width = self.config.operand_width
        bits = self.random.integers(0, 1 << width, shape)
        if self.format is None:
            special = [0, 1, (1 << width) - 1, 1 << width - 1, (1 << width - 1) - 1]
        else:
            # Numbers around 1, so that sums neither vanish nor overflow.
            number_format = self.format
            exponents = number_format.bias + self.random.integers(-2, 2, shape)
            signs = self.random.integers(0, 2, shape) << width - 1
            bits = signs | exponents << number_format.fraction_bits | bits & (1 << number_format.fraction_bits) - 1
            special = [0, 1, number_format.sign_bit, number_format.sign_bit | 1, number_format.smallest_normal,
                       number_format.largest, number_format.infinity, number_format.quiet_nan]  # fmt: skip
        return np.where(self.random.random(shape) < corners, self.random.choice(special, shape), bits)

    def numbers(self, bits):
        """The values of bits."""
        if self.format is not None:
            return host.from_bits(self.format, bits)
        width = self.config.operand_width
        return np.where(bits >> width - 1, bits - (1 << width), bits)

    def bits_of(self, numbers):
        """The bits of outputs."""
        if self.format is not None:
            return host.to_bits(self.format, numbers).astype(np.uint64)
        return numbers.astype(np.int64).view(np.uint64) & np.uint64((1 << self.config.sum_width) - 1)

    async def load(self, name, first, rows):
        """A row a cycle, without the cost of a driver for streams in Python."""
        valid, payload = (getattr(self.dut, f"load_{name}__{part}") for part in ("valid", "payload"))
        width = self.config.operand_width
        valid.value = 1
        for address, row in enumerate(rows.tolist(), first):
            payload.value = sum(bits << width * place for place, bits in enumerate([*row, address]))
            await RisingEdge(self.dut.clk)
        valid.value = 0

    async def prepare(self, shape, pictures, channels, input_row, weight_row, corners=0.05):
        """Operands of a layer into the memories; returns its passes, and of each the outputs. Where no pixel and no
        column is, there is noise."""
        inputs = self.operands((pictures, *shape.picture, shape.input_channels), corners)
        kernels = self.operands((*shape.kernel, shape.input_channels, shape.output_channels), corners)
        weights, convolve = self.numbers(kernels), direct
        if self.format is not None:
            convolve = partial(fractionally_strided, self.format)
        outputs = np.stack([convolve(shape, picture, weights) for picture in self.numbers(inputs)])
        if self.format is not None:
            self.expect_nonfinite |= bool(is_nonfinite(self.format, self.bits_of(outputs).astype(np.int64)).any())
        # Every other time as between feature maps.
        self.between_maps = not self.between_maps
        kind = {"pictures": pictures, "between_maps": self.between_maps and pictures == 1}
        passes = make_passes(self.config, shape, channels, input_row, weight_row, **kind)
        await self.load("inputs", input_row, self._noisy(input_rows, passes[0], inputs))
        expected = []
        for one in passes:
            await self.load("weights", one.weight_row, self._noisy(weight_rows, one, kernels))
            expected.append(self.bits_of(outputs[..., one.first_channel : one.first_channel + one.channels]))
        return passes, expected

    def _noisy(self, rows_of, one, values):
        rows, there = rows_of(one, values), rows_of(one, np.ones_like(values))
        return np.where(there, rows, self.random.integers(0, 1 << self.config.operand_width, rows.shape))

    async def prepare_all(self, choice):
        """Prepare as many layers as the memories hold, then pause: lists of passes and of outputs."""
        input_row = weight_row = 0
        passes, expected = [], []
        for shape, pictures, channels in choice:
            found = make_passes(self.config, shape, channels, pictures=pictures)
            inputs = found[0].tiles * shape.input_channels
            weights = sum(one.blocks for one in found) * shape.input_channels
            if input_row + inputs > self.config.input_rows or weight_row + weights > self.config.weight_rows:
                continue
            more, outputs = await self.prepare(shape, pictures, channels, input_row, weight_row)
            passes, expected = passes + list(more), expected + outputs
            input_row, weight_row = input_row + inputs, weight_row + weights
        return passes, expected

    async def run(self, passes, expected):
        for one in passes:
            self.commands.put(one.fields)
        for number, (one, outputs) in enumerate(zip(passes, expected, strict=True)):
            words = await self.outputs.receive_all(one.output_rows * one.row_words)
            compare([0] * (len(words) - 1) + [1], [word["last"] for word in words], "last of pass", number)
            values = np.array([word["values"] for word in words], dtype=np.uint64)
            for picture, (left, right) in enumerate(zip(outputs, output_rows(one, values), strict=True)):
                compare(left.tolist(), right.tolist(), f"outputs of pass {number} ({one.shape}), picture", picture)
            behind = values.reshape(-1, -(-one.run // self.config.outputs) * self.config.outputs)[:, one.run :]
            assert not behind.any(), f"pass {number}: words are not zero past the end of a run"
        await self.completions.receive_all(len(passes))
        await ClockCycles(self.dut.clk, 2)
        assert not int(self.dut.busy.value), "busy after the last completion"

    expect_nonfinite = between_maps = False

    def check_flags(self):
        assert not self.out_of_range
        assert self.nonfinite == self.expect_nonfinite, f"nonfinite is {self.nonfinite}"


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await bench.begin()
    for stalls in ((0, 0, 0), (0.5, 0.3, 0.3), (0.9, 0.9, 0.05), (0, 0.1, 0.8)):
        bench.stall(*stalls)
        for layer in parameters()["layers"]:
            await bench.run(*await bench.prepare(*layer, 0, 0, corners=0.05 if stalls[0] else 0.0))
    bench.check_flags()


@cocotb.test()
async def passes_of_several_layers(dut):
    bench = Bench(dut)
    await bench.begin()
    layers = parameters()["layers"]
    for stalls in ((0, 0, 0), (0, 0.2, 0.5), (0.9, 0, 0), (0, 0, 0.1)):
        bench.stall(*stalls)
        order = bench.random.permutation(len(layers))
        passes, expected = await bench.prepare_all([layers[index] for index in order])
        # Some passes more than once: nothing of the first time is left.
        again = bench.random.integers(0, len(passes), 2 * len(passes))
        await bench.run([passes[index] for index in again], [expected[index] for index in again])
    bench.check_flags()


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    await bench.begin()
    bench.stall(0, 0, 0)
    config, layers = bench.config, parameters()["layers"]
    seen = TransferCycles(dut, "commands", "completions")

    async def count(passes, expected, what, number):
        for taken in seen.taken.values():
            taken.clear()
        for offered in seen.offered.values():
            offered.clear()
        await bench.run(passes, expected)
        begin = seen.taken["commands"][0]
        counted = [cycle - begin for cycle in seen.taken["completions"]]
        compare(pass_cycles(config, passes), counted, f"cycles of {what}", number)

    for number, layer in enumerate(layers):
        await count(*await bench.prepare(*layer, 0, 0), f"layer {layer}", number)
    for number in range(parameters().get("mixtures", 4)):
        order = bench.random.permutation(len(layers))
        passes, expected = await bench.prepare_all([layers[index] for index in order])
        again = bench.random.integers(0, len(passes), 12)
        await count([passes[index] for index in again], [expected[index] for index in again], "mixture", number)


@cocotb.test()
async def a_reset_forgets_everything(dut):
    bench = Bench(dut)
    await bench.begin()
    bench.stall(0, 0, 0)
    passes, expected = await bench.prepare(*parameters()["layers"][0], 0, 0, corners=0.0)
    for cycles in range(3, 200, 23):
        for one in passes:
            await bench.commands.send(one.fields)
        for _ in range(cycles):
            await RisingEdge(dut.clk)
        dut.rst.value = 1
        await RisingEdge(dut.clk)
        dut.rst.value = 0
        await RisingEdge(dut.clk)
        assert not int(dut.busy.value)
        # What came before the reset.
        await bench.outputs.receive_all(len(bench.outputs))
        await bench.completions.receive_all(len(bench.completions))
        await bench.run(passes, expected)


@cocotb.test()
async def an_address_behind_the_end_is_said(dut):
    bench = Bench(dut)
    await bench.begin()
    bench.stall(0, 0, 0)
    config = bench.config
    shape, _, channels = parameters()["layers"][0]
    one = make_passes(config, shape, channels)[0]
    inputs = one.tiles * shape.input_channels
    weights = one.blocks * shape.input_channels
    # A word at the beginning of each row of the scratchpad, and of one more.
    loops = [(config.scratchpad_rows + 1, {"address": 1})]
    beyond = nest_loops(output_nest(config), loops, {"lane": 0, "address": 0, "rest": 1})
    cases = (
        ({"input_row": config.input_rows - inputs, "weight_row": config.weight_rows - weights}, False),
        ({"input_row": config.input_rows - inputs + 1}, True),
        ({"weight_row": config.weight_rows - weights + 1}, True),
        ({"outputs": beyond}, True),
    )
    for number, (fields, wrong) in enumerate(cases):
        bench.out_of_range = False
        bench.commands.put(one.fields | fields)
        await bench.completions.receive()
        compare(wrong, bench.out_of_range, "address out of range", number)
