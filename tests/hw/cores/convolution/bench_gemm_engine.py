"""Matrix products of mixed dataflows on the engine and its memories, against NumPy, and the cycles that they take.

Parameters: ``config``; ``products``, how many of them are random.
"""

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.hw.cores.convolution.commands import Dataflow
from rewardware.hw.cores.convolution.cycles import Gemm, completion_cycles, gemm_cycles, pipeline_cycles
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from tests.hw.cores.side_by_side import Ports
from tests.hw.cores.stimulus import mixed
from tests.hw.cores.transfer_cycles import TransferCycles

from .array_words import add_sums, most_negative, near_limits, operands
from .gemm_model import add_product, input_rows, sum_rows, weight_rows
from .with_memories import WithMemories

# Beyond the largest size that the memories of these configurations hold.
LONG = 60


class Bench:
    """The engine, and what its memories hold; ``component``: a larger one that has its ports."""

    def __init__(self, dut, component=None):
        self.dut, self.config = dut, parameters()["config"]
        self.rng = rng("products")
        self.ports = Ports(dut, component or WithMemories(self.config))
        self.commands, self.completions = StreamSource(dut, "commands"), StreamSink(dut, "completions")
        self.commands.stall = self.completions.stall = 0
        self.sums = np.zeros((self.config.sum_rows, self.config.array.columns), np.int64)
        self.clear()
        self.errors, self.saturated, self.busy = set(), False, 0
        cocotb.start_soon(self._watch())

    def clear(self):
        """Rows of the buffers that have been given away, of each half."""
        self.used = {"input": [0, 0], "weight": [0, 0], "sum": 0}

    async def _watch(self):
        while True:
            await FallingEdge(self.dut.clk)
            self.busy += int(self.dut.busy.value)
            errors = self.ports.get("errors") if int(self.dut.errors.value) else {}
            self.errors |= {name for name, flag in errors.items() if flag}

    async def write_sums(self, values):
        """All rows of the accumulators."""
        drains, columns = self.config.array.drains, self.config.array.columns
        self.sums[:] = values
        for row, words in enumerate(self.sums):
            ports = [{"enable": 0, "address": 0, "data": [0] * columns} for _ in range(drains)]
            ports[row % drains] = {
                "enable": (1 << columns) - 1,
                "address": row // drains,
                "data": words.tolist(),
            }
            self._set_all("sum_writes", ports)
            await RisingEdge(self.dut.clk)
        self._set_all("sum_writes", [{"enable": 0}] * drains)

    def _set_all(self, name, ports):
        for index, port in enumerate(ports):
            self.ports.set(**{f"{name}__{index}__{member}": value for member, value in port.items()})

    def random_sums(self):
        """Random sums; those of integers are so far from the limits that products do not make them overflow."""
        array, shape = self.config.array, self.sums.shape
        if array.format is not None:
            return operands(array, self.rng, shape, array.sum_width)
        limit = 1 << array.sum_width - 2
        return self.rng.integers(-limit, limit, shape)

    async def check_sums(self, what, rows=None):
        """All rows of the accumulators, or some."""
        drains = self.config.array.drains
        for row in rows or range(len(self.sums)):
            port = f"sum_reads__{row % drains}"
            self.ports.set(**{f"{port}__enable": 1, f"{port}__address": row // drains})
            await RisingEdge(self.dut.clk)
            await FallingEdge(self.dut.clk)
            compare(self.sums[row].tolist(), self.ports.get(f"{port}__data"), f"sums after {what}, row", row)
            self.ports.set(**{f"{port}__enable": 0})

    async def _write(self, kind, half, table):
        """Rows after those that are used; returns the first."""
        first = self.used[kind][half]
        self.used[kind][half] += len(table)
        port = f"{kind}_writes__{half}"
        rows = self.config.array.rows
        for row, words in enumerate(table, first):
            if kind == "input":
                place = {"row": row, "index": row % rows, "column": 0, "lane": 0}
                width = self.config.array.input_width
                words, enable = words % (1 << width), (1 << rows) - 1
            else:
                place, enable = {"address": row}, 1
            place |= {"enable": enable, "data": words.tolist()}
            self.ports.set(**{f"{port}__{member}": value for member, value in place.items()})
            await RisingEdge(self.dut.clk)
        self.ports.set(**{f"{port}__enable": 0})
        return first

    async def prepare(self, gemm, sum_row=None, accumulate=0, extreme=False):
        """Writes operands; returns the command. The accumulators are those after it."""
        array = self.config.array
        shapes = ((gemm.pixels, gemm.products), array.input_width), ((gemm.products, gemm.channels), array.weight_width)
        if extreme:
            inputs, weights = (np.full(shape, most_negative(array, width)) for shape, width in shapes)
        else:
            inputs, weights = (operands(array, self.rng, shape, width) for shape, width in shapes)
        table, stride = input_rows(self.config, inputs)
        # Noise follows the matrix in a row: it must not matter.
        noise = mixed(self.rng, table.shape, array.input_width)
        block_products = np.arange(len(table)) // stride * array.rows
        behind = block_products[:, None] + np.arange(array.rows) >= gemm.products
        behind |= (np.arange(len(table)) % stride >= gemm.pixels)[:, None]
        input_row = await self._write("input", gemm.input_half, np.where(behind, noise, table))
        weight_row = await self._write("weight", gemm.weight_half, weight_rows(self.config, gemm.dataflow, weights))
        if sum_row is None:
            sum_row = self.used["sum"]
            self.used["sum"] += sum_rows(self.config, gemm.dataflow, gemm.pixels, gemm.channels)
        self.saturated |= add_product(self.config, self.sums, gemm.dataflow, inputs, weights, sum_row, accumulate)
        return {
            "dataflow": int(gemm.dataflow),
            "pixels": gemm.pixels,
            "products": gemm.products,
            "channels": gemm.channels,
            "input_half": gemm.input_half,
            "input_row": input_row,
            "input_stride": stride,
            "weight_half": gemm.weight_half,
            "weight_row": weight_row,
            "sum_row": sum_row,
            "accumulate": int(accumulate),
        }

    async def run(self, commands):
        """All of them, as fast as they are taken."""
        for command in commands:
            self.commands.put(command)
        await self.completions.receive_all(len(commands))

    def random_gemm(self):
        """Sizes around those of the array, small ones often, and one now and then as long as the memories allow."""
        array = self.config.array
        most = 2 * max(array.rows, array.columns) + 3

        def size(most):
            return int(self.rng.integers(1, most) if self.rng.random() < 0.7 else self.rng.integers(1, 4))

        sizes = [size(most) for _ in range(3)]
        if self.rng.random() < 0.3:
            sizes = [size(4) for _ in range(3)]
            sizes[self.rng.integers(3)] = int(self.rng.integers(most, LONG))
        pixels, products, channels = sizes
        return Gemm(
            dataflow=Dataflow(int(self.rng.integers(0, 3))),
            pixels=pixels,
            products=products,
            channels=channels,
            input_half=int(self.rng.integers(0, 2)),
            weight_half=int(self.rng.integers(0, 2)),
        )

    def fits(self, gemm):
        """Whether there are rows for it."""
        array = self.config.array
        inputs = -(-gemm.pixels // array.rows) * -(-gemm.products // array.rows) * array.rows
        weights = max(
            -(-gemm.channels // array.columns) * gemm.products, -(-gemm.products // array.rows) * gemm.channels
        )
        sums = sum_rows(self.config, gemm.dataflow, gemm.pixels, gemm.channels)
        return (
            self.used["input"][gemm.input_half] + inputs <= self.config.input_rows
            and self.used["weight"][gemm.weight_half] + weights <= self.config.weight_rows
            and self.used["sum"] + sums <= self.config.sum_rows
        )

    async def batch(self):
        """Random products, as many as there are rows for, some of which go on from others' sums."""
        self.clear()
        gemms, commands = [], []
        while self.fits(gemm := self.random_gemm()):
            at = None
            rows = sum_rows(self.config, gemm.dataflow, gemm.pixels, gemm.channels)
            if self.used["sum"] >= rows and self.rng.random() < 0.4:
                # Over the sums of those before, often those that have just been written.
                at = (
                    self.used["sum"] - rows
                    if self.rng.random() < 0.6
                    else int(self.rng.integers(0, self.used["sum"] - rows + 1))
                )
            commands.append(await self.prepare(gemm, at, self.rng.random() < 0.5))
            gemms.append(gemm)
        return gemms, commands


@cocotb.test()
async def same_sums_as_numpy(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    done = 0
    for stall_in, stall_out in [(0.0, 0.0), (0.95, 0.0), (0.0, 0.95), (0.5, 0.5)] * 100:
        bench.commands.stall, bench.completions.stall = stall_in, stall_out
        await bench.write_sums(bench.random_sums())
        gemms, commands = await bench.batch()
        await bench.run(commands)
        done += len(gemms)
        await bench.check_sums(f"{done} products")
        if done >= parameters()["products"] and stall_in == stall_out == 0.5:
            break
    assert bench.errors == ({"overflow"} if bench.saturated else set())


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    await bench.write_sums(0)
    for _ in range(12):
        gemms, commands = await bench.batch()
        seen = TransferCycles(dut, "commands", "completions")
        await bench.run(commands)
        got = [cycle - seen.taken["commands"][0] for cycle in seen.taken["completions"]]
        for index, (expected, cycles) in enumerate(zip(completion_cycles(bench.config, gemms), got, strict=True)):
            assert expected == cycles, f"completion of {gemms[: index + 1]}: {cycles} cycles, not {expected}"
    array = bench.config.array
    sizes = sorted({1, 2, array.chain, array.rows, array.columns, array.rows + array.columns + 1})
    for dataflow in Dataflow:
        for _ in range(8):
            bench.clear()
            pixels, products, channels = (int(bench.rng.choice(sizes)) for _ in range(3))
            gemm = Gemm(dataflow=dataflow, pixels=pixels, products=products, channels=channels)
            command = await bench.prepare(gemm)
            seen = TransferCycles(dut, "commands", "completions")
            bench.busy = 0
            await bench.run([command])
            cycles = seen.taken["completions"][0] - seen.taken["commands"][0]
            expected = gemm_cycles(bench.config, dataflow, pixels, products, channels)
            assert (cycles, bench.busy) == (expected, expected), f"{gemm}: {cycles} cycles, not {expected}"
    await bench.check_sums("the cycles")


@cocotb.test()
async def most_negative_operands(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    await bench.write_sums(0)
    array = bench.config.array
    for dataflow in Dataflow:
        bench.clear()
        gemm = Gemm(dataflow=dataflow, pixels=array.rows + 1, products=2 * array.rows + 1, channels=array.columns + 1)
        await bench.run([await bench.prepare(gemm, extreme=True)])
        await bench.check_sums(dataflow.name)
    assert bench.errors == ({"overflow"} if bench.saturated else set())


@cocotb.test()
async def saturates_and_says_so(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    array, shape = bench.config.array, bench.sums.shape
    # All sums at a limit; then each at a distance of its own, of any size.
    distances = bench.rng.integers(0, 1 << bench.rng.integers(0, array.sum_width - 2, shape))
    starts = [*near_limits(array, np.zeros(shape, np.int64)), *near_limits(array, distances)]
    for dataflow in Dataflow:
        gemm = Gemm(dataflow=dataflow, pixels=array.rows, products=array.rows + 1, channels=array.columns + 1)
        # The largest products from the largest sums overflow in any format.
        for sums, extreme in [(sums, False) for sums in starts] + [(starts[0], True)]:
            bench.clear()
            bench.errors, bench.saturated = set(), False
            await bench.write_sums(sums)
            await bench.run([await bench.prepare(gemm, accumulate=1, extreme=extreme)])
            await bench.check_sums(f"{dataflow.name} from near {sums[0, 0]}")
            assert bench.errors == ({"overflow"} if bench.saturated else set())
        assert bench.saturated


@cocotb.test()
async def holds_back_when_no_completion_is_taken(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    await bench.write_sums(0)
    gemm = Gemm(dataflow=Dataflow.WEIGHT_STATIONARY, pixels=1, products=1, channels=1)
    command = await bench.prepare(gemm, accumulate=1)
    bench.completions.stall = 1
    count = 4 * pipeline_cycles(bench.config)
    for _ in range(count):
        bench.commands.put(command)
    for _ in range(2 * count):
        await RisingEdge(dut.clk)
    assert bench.commands.count < count, "All commands were taken, though no completion was"
    bench.completions.stall = 0
    await bench.completions.receive_all(count)
    product = bench.sums.copy()
    for _ in range(count - 1):
        bench.sums, _ = add_sums(bench.config.array, bench.sums, product)
    await bench.check_sums(f"{count} times the same command")


@cocotb.test()
async def mistakes_write_nothing_and_are_told(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    await bench.write_sums(7)
    config = bench.config
    # Enough rows of sums for addresses to wrap.
    gemm = Gemm(dataflow=Dataflow.WEIGHT_STATIONARY, pixels=20, products=2, channels=2)
    command = await bench.prepare(gemm)
    bench.sums[:] = 7
    for dataflow in Dataflow:
        for name in ("pixels", "products", "channels"):
            bench.busy = 0
            await bench.run([command | {"dataflow": int(dataflow), name: 0}])
            assert bench.busy == gemm_cycles(config, Dataflow.NON_STATIONARY, 1, 1, 1)
    assert not bench.errors
    await bench.run([command | {"dataflow": max(Dataflow) + 1}])
    assert bench.errors == {"bad_instruction"}
    await bench.check_sums("commands that do nothing")
    # Sums past the end are not written, and the one before it is.
    for dataflow in Dataflow:
        bench.errors.clear()
        await bench.run([command | {"dataflow": int(dataflow), "sum_row": config.sum_rows - 1}])
        assert bench.errors == {"address_out_of_range"}, (dataflow, bench.errors)
        await bench.check_sums(f"{dataflow.name} past the end", range(config.sum_rows - 1))
    rows = config.array.rows
    behind_inputs = {"input_row": config.input_rows - rows, "input_stride": rows, "pixels": rows + 1}
    for change in ({"weight_row": config.weight_rows - 1}, behind_inputs):
        for dataflow in Dataflow:
            bench.errors.clear()
            await bench.run([command | change | {"dataflow": int(dataflow)}])
            assert bench.errors == {"address_out_of_range"}, (dataflow, change, bench.errors)
