"""A FIXAR device in NumPy that executes instructions: what docs/fixar.md says of them, and nothing of the compiler.

It also watches that no instruction reads a result that may still be on its way.
"""

from collections import deque
from types import SimpleNamespace

import numpy as np

from rewardware.hw.cores.array.config import Operation
from rewardware.hw.cores.random.config import GaussianConfig
from rewardware.hw.soc.fixar.instructions import EVERY_CORE, Dataflow, Destination, Memory
from rewardware.hw.soc.fixar.registers import POWERS
from rewardware.sw.device.device import RunReport
from rewardware.sw.device.errors import DeviceFault
from rewardware.sw.reference.array.activation_unit import activate
from rewardware.sw.reference.array.rescaler import rescale
from rewardware.sw.reference.fixar_state import COUNTERS
from rewardware.sw.reference.fixed.arithmetic import saturate
from rewardware.sw.reference.optimizer.adam import AdamReference, advance_powers, corrected_step
from rewardware.sw.reference.quantization.ranges import RangeReference, dequantize, quantize
from rewardware.sw.reference.random.gaussian import GaussianNoiseReference

SETTLE_CYCLES = 40


class Pending:
    """Results that may not be in memory yet: rows, and cycles since the last buffer they may wait for."""

    def __init__(self, rows, blocks, pace):
        self.rows = rows
        self.blocks = blocks
        self.pace = pace  # cycles from the drain of one block to that of the next
        self.cycles = None


class FakeFixar:
    """In-memory device; see ``rewardware.sw.device.device.Device``."""

    def __init__(self, config):
        self.config = config
        self.program = {}
        self.registers = dict.fromkeys(COUNTERS, 0)
        self.registers.update(dict.fromkeys(POWERS, 1 << 32))
        self.sent, self.returned = deque(), deque()
        rows, lanes = config.weight_rows, config.lanes
        self.weights = np.zeros((4 * rows, lanes), np.int64)
        self.networks = {memory: np.zeros((2 * rows, lanes), np.int64) for memory in list(Memory)[1:5]}
        self.whole = np.zeros((config.cores, config.activation_rows, lanes), np.int64)
        self.packed = np.zeros((config.cores, config.activation_rows, 2, lanes), np.int64)
        self.errors = np.zeros((config.cores, config.error_rows, lanes), np.int64)
        self.ranges = RangeReference(config.slots)
        self.generator = GaussianNoiseReference(GaussianConfig(lanes=lanes))
        self.step_sizes = [0, 0]
        self.pending = []
        self.log = []

    # The protocol.

    def read_register(self, name):
        return self.registers[name]

    def write_register(self, name, value):
        self.registers[name] = value
        if name == "power_control":
            power = 1 << 32 if value >> 2 else self.registers["power_value"]
            self.registers[POWERS[value & 3]] = power
        if name == "noise_control":
            self.generator.load(self.registers["seed_low"] | self.registers["seed_high"] << 32)

    def load_program(self, instructions, address=0):
        for offset, word in enumerate(instructions):
            self.program[address + offset] = word

    def send(self, rows):
        assert rows.dtype == np.uint32 and rows.shape[1] == self.config.lanes
        self.sent.append(rows)

    def receive(self, count):
        rows = self.returned.popleft()
        assert len(rows) == count
        return rows

    def run(self, start=0, cycle_limit=10_000_000, progress=None):
        address = start
        while True:
            name, waits, fields = self.config.instruction_set.decode(self.program[address])
            self.log.append((name, waits, fields))
            if "matrix" in waits or name == "halt":
                self.pending = []
            if name == "halt":
                break
            getattr(self, name)(**fields)
            address += 1
        if self.sent:
            raise DeviceFault("packets were left over")
        return RunReport(cycles=1, busy={"matrix": 1}, retired=address - start + 1, errors=())

    def soft_reset(self):
        self.sent.clear()
        self.returned.clear()

    def close(self):
        pass

    # Transfers.

    def load(self, memory, core, base, count, half, slot, monitor, quantize, lanes, merge):
        rows = self.sent.popleft().view(np.int32).astype(np.int64)
        assert len(rows) == count
        cores = range(self.config.cores) if core == EVERY_CORE else [core]
        words = {Memory.WEIGHT: self.weights, **self.networks}.get(memory)
        if memory == Memory.ACTIVATION:
            for number, core in enumerate(cores):
                address = self.addresses(base, np.arange(count), half)
                # A row for every core counts once.
                self.store_activation(core, address, rows, lanes, merge, slot, monitor, quantize, number == 0)
        elif memory == Memory.ERROR:
            for core in cores:
                self.errors[core, base : base + count] = rows
        elif memory == Memory.RANGE:
            for index, row in enumerate(rows):
                self.ranges.write(base + index, row[0], row[1])
        else:
            words[base : base + count] = rows

    def store(self, memory, core, base, count):
        if memory == Memory.RANGE:
            rows = np.zeros((count, self.config.lanes), np.int64)
            rows[:, 0], rows[:, 1] = self.ranges.minima[base:][:count], self.ranges.maxima[base:][:count]
        elif memory == Memory.ERROR:
            self.check_settled("error", range(base, base + count))
            rows = self.errors[core, base : base + count]
        else:
            rows = {Memory.WEIGHT: self.weights, **self.networks}[memory][base : base + count]
        self.returned.append(rows.astype(np.uint64).astype(np.uint32))

    def noise(self, core, base, lanes):
        row = self.generator.rows(1, self.registers["noise_scale"])[0]
        row[lanes:] = 0
        for number in range(self.config.cores) if core == EVERY_CORE else [core]:
            self.errors[number, base] = row

    def range(self, clear, freeze, bits):
        if clear:
            self.ranges.clear()
        if freeze:
            self.ranges.freeze(bits)

    def addresses(self, base, samples, half):
        return (base + samples // 2, samples % 2) if half else (base + samples, None)

    def store_activation(self, core, address, words, lanes, merge, slot, monitor, quantized, counted):
        """Writes samples to the activation memory of a core; ``counted``: which of them count."""
        row, parity = address
        counted = np.broadcast_to(counted, len(words))
        if monitor:
            self.ranges.monitor(slot, words[counted, :lanes])
        words = words.copy()
        if quantized:
            words, outside = quantize(words, self.ranges.parameters[slot])
            self.registers["code_saturations"] += int(outside[counted, :lanes].sum())
        old = self.packed[core, row, parity] if quantized else self.whole[core, row]
        words[:, lanes:] = old[:, lanes:] if merge else 0
        if quantized:
            self.packed[core, row, parity] = words
        else:
            self.whole[core, row] = words

    # The matrix engine.

    def matrix(self, **fields):
        lanes = self.config.lanes
        counts = [fields["samples"] - (fields["full_cores"] <= core) for core in range(self.config.cores)]
        if fields["hold"]:
            if fields["follow"]:
                self.check_follow(fields)
            self.pending = []
        written = []
        for outer in range(fields["outer_count"]):
            last = outer == fields["outer_count"] - 1
            valid = fields["lanes"] if last else lanes
            if fields["dataflow"] == Dataflow.GRADIENT:
                self.gradient_block(outer, valid, counts, fields, written)
            else:
                self.vector_block(outer, valid, counts, fields, written)
        self.settle(fields, written)

    def network_row(self, fields):
        return fields["bank"] * self.config.weight_rows

    def tile(self, outer, inner, fields):
        base = self.network_row(fields) + fields["weight_base"]
        base += outer * fields["outer_stride"] + inner * fields["inner_stride"]
        return self.weights[base : base + self.config.lanes]

    def streamed(self, core, base, fields):
        """Operands of all samples of one block, and the word that makes their sums."""
        samples = np.arange(fields["samples"])
        if fields["dataflow"] == Dataflow.BACKWARD:
            self.check_settled("error", base + samples)
            return self.errors[core, base + samples]
        row, parity = self.addresses(base, samples, fields["half"])
        self.check_settled("activation", row)
        if not fields["half"]:
            return self.whole[core, row]
        return self.packed[core, row, parity] - self.ranges.parameters[fields["input_slot"]].zero_point

    def vector_block(self, outer, valid, counts, fields, written):
        lanes, samples = self.config.lanes, fields["samples"]
        forward = fields["dataflow"] == Dataflow.FORWARD
        half = fields["half"] and forward
        cores = range(self.config.cores)
        bias = 0
        if forward and fields["bias"]:
            bias = self.weights[self.network_row(fields) + fields["bias_base"] + outer]
        for core in cores:
            low, high = np.zeros((2, samples, lanes), np.int64)
            for inner in range(fields["inner_count"]):
                vectors = self.streamed(core, fields["stream_base"] + inner * fields["stream_stride"], fields)
                tile = self.tile(outer, inner, fields)
                tile = tile.T if forward else tile
                low += (vectors if half else vectors & 0xFFFF) @ tile
                high += (vectors >> 16) @ tile
            scale = self.ranges.parameters[fields["input_slot"]].scale
            x, clamped = rescale(
                low, high, half_rule=half, scale=scale, bias=bias, bias_shift=fields["bias_shift"],
                shift=fields["shift"],
            )  # fmt: skip
            y, clamped_again = self.activate(core, outer, x, fields)
            counted = np.arange(samples) < counts[core]
            if fields["intra_layer"]:
                counted &= core == 0
            flags = clamped.astype(int) + clamped_again
            self.registers["result_saturations"] += int(flags[counted, :valid].sum())
            base = fields["destination_base"] + outer * fields["destination_stride"]
            if fields["destination"] == Destination.ACTIVATION:
                address = self.addresses(base, np.arange(samples), fields["quantize"])
                self.store_activation(
                    core, address, y, valid, fields["merge"], fields["output_slot"], fields["monitor"],
                    fields["quantize"], counted,
                )  # fmt: skip
                written += [("activation", row) for row in address[0]]
            else:
                y[:, valid:] = self.errors[core, base : base + samples, valid:] if fields["merge"] else 0
                self.errors[core, base : base + samples] = y
                written += [("error", base + row) for row in range(samples)]

    def activate(self, core, outer, x, fields):
        operation = Operation(fields["operation"])
        base = fields["auxiliary_base"] + outer * fields["auxiliary_stride"]
        samples = np.arange(fields["samples"])
        if operation in (Operation.RELU_GRADIENT, Operation.TANH_GRADIENT):
            row, parity = self.addresses(base, samples, fields["packed_auxiliary"])
            self.check_settled("activation", row)
            if not fields["packed_auxiliary"]:
                return activate(operation, x, self.whole[core, row])
            parameters = self.ranges.parameters[fields["input_slot"]]
            codes = self.packed[core, row, parity]
            return activate(operation, x, dequantize(codes, parameters), positive=codes > parameters.zero_point)
        if operation in (Operation.MULTIPLY_ADD, Operation.DIFFERENCE, Operation.TANH_NOISE):
            self.check_settled("error", base + samples)
            auxiliary = self.errors[core, base + samples]
            return activate(operation, x, auxiliary, factor=np.roll(auxiliary, -1, axis=1))
        return activate(operation, x)

    def gradient_block(self, outer, valid, counts, fields, written):
        lanes = self.config.lanes
        first, last = fields["first"], fields["last"]
        inputs = np.arange(first, last)
        samples = fields["samples"]
        unit = 2 * lanes if fields["half"] else lanes
        assert fields["inner_count"] == -(-samples // unit) * (2 if fields["half"] else 1)
        low, high = np.zeros((2, lanes, len(inputs)), np.int64)
        constant = np.zeros(lanes, np.int64)
        for core in range(self.config.cores):
            base = fields["auxiliary_base"] + outer * fields["auxiliary_stride"]
            self.check_settled("error", base + np.arange(samples))
            errors = self.errors[core, base : base + samples].copy()
            errors[counts[core] :] = 0
            blocks = [
                self.streamed(core, fields["stream_base"] + block * fields["stream_stride"], fields)
                for block in range(-(-last // lanes))
            ]
            vectors = np.concatenate(blocks, axis=1)[:, inputs]
            low += errors.T @ (vectors if fields["half"] else vectors & 0xFFFF)
            high += errors.T @ (vectors >> 16)
            constant += errors.sum(0) << 4
        scale = self.ranges.parameters[fields["input_slot"]].scale
        x, clamped = rescale(low, high, half_rule=fields["half"], scale=scale, shift=fields["shift"])
        memory = self.networks[Memory.GRADIENT]
        base = self.network_row(fields) + fields["weight_base"] + outer * fields["outer_stride"]
        rows = base + (inputs // lanes * fields["inner_stride"])[None, :] + np.arange(lanes)[:, None]
        columns = np.broadcast_to(inputs % lanes, rows.shape)
        self.add_gradients(memory, (rows, columns), x, clamped, fields["accumulate"], written)
        if fields["bias"]:
            x, clamped = rescale(0, constant, half_rule=False, shift=fields["bias_shift"])
            row = np.full(lanes, self.network_row(fields) + fields["bias_base"] + outer)
            assert row[0] % lanes == (fields["destination_stride"] + outer) % lanes
            self.add_gradients(memory, (row, np.arange(lanes)), x, clamped, fields["accumulate"], written)

    def add_gradients(self, memory, place, x, clamped, accumulate, written):
        rows = [("gradient", row) for row in np.unique(place[0])]
        if accumulate:
            self.check_settled("gradient", np.unique(place[0]))
        words, clamped_again = saturate(memory[place] + x if accumulate else x, 32)
        self.registers["gradient_saturations"] += int(clamped.sum() + clamped_again.sum())
        memory[place] = words
        written += rows

    # Hazards.

    def check_settled(self, memory, rows):
        rows = {(memory, int(row)) for row in rows}
        for pending in self.pending:
            overlap = rows & pending.rows
            assert not overlap, f"row {min(overlap)} is read before it is certainly written: {self.log[-1]}"

    def check_follow(self, fields):
        """All but the last streamed block must be certainly written before the tile that waits."""
        newest = self.pending[-1]
        slot = max(fields["samples"] // (1 + fields["half"]), self.config.lanes)
        blocks = fields["inner_count"]
        for block in range(blocks - 1):
            base = fields["stream_base"] + block * fields["stream_stride"]
            rows = base + np.arange(fields["samples"]) // (1 + fields["half"])
            name = "error" if fields["dataflow"] == Dataflow.BACKWARD else "activation"
            older = self.pending[:-1]
            self.pending = older
            self.check_settled(name, rows)
            if (name, int(rows[0])) in newest.rows:
                # Drained one after the other, the last but one when this instruction starts.
                since_drained = block * slot + (blocks - 2 - block) * newest.pace
                assert since_drained >= SETTLE_CYCLES, self.log[-1]
                assert newest.blocks == blocks

    def settle(self, fields, written):
        """Every block but the first that streams after a result adds its cycles to the distance."""
        lanes = self.config.lanes
        rows = fields["samples"]
        if fields["half"] and fields["dataflow"] == Dataflow.FORWARD:
            rows = -(-rows // 2)
        if fields["dataflow"] == Dataflow.GRADIENT:
            step = 2 if fields["half"] else 1
            rows = -(-fields["last"] // step) - fields["first"] // step + fields["bias"]
        cycles = fields["inner_count"] * max(rows, lanes)
        if fields["intra_layer"]:
            cycles = -(-fields["inner_count"] // self.config.cores) * self.config.cores * lanes
        for pending in self.pending:
            blocks = fields["outer_count"] - (pending.cycles is None)
            pending.cycles = (pending.cycles or 0) + blocks * cycles
        self.pending = [pending for pending in self.pending if pending.cycles < SETTLE_CYCLES]
        self.pending.append(Pending({(memory, int(row)) for memory, row in written}, fields["outer_count"], cycles))

    # The optimiser.

    def adam(self, network, base, count, index, advance):
        assert index == base % self.config.lanes
        name = ("actor", "critic")[network]
        rates = SimpleNamespace(**self.registers)
        if advance:
            names = POWERS[2 * network : 2 * network + 2]
            powers = advance_powers([self.registers[power] for power in names], rates)
            self.registers.update(zip(names, powers, strict=True))
            self.step_sizes[network] = corrected_step(powers, self.registers[f"learning_rate_{name}"])
        offset = network * self.config.weight_rows
        own = slice(offset + base, offset + base + count)
        target = slice(own.start + 2 * self.config.weight_rows, own.stop + 2 * self.config.weight_rows)
        weight, target, gradient, first = (
            np.ascontiguousarray(words).reshape(-1)
            for words in (
                self.weights[own],
                self.weights[target],
                self.networks[Memory.GRADIENT][own],
                self.networks[Memory.FIRST_MOMENT][own],
            )
        )
        low, high = (self.networks[memory][own] for memory in (Memory.SECOND_MOMENT_LOW, Memory.SECOND_MOMENT_HIGH))
        second = ((high << 32) | (low & 0xFFFF_FFFF)).reshape(-1).astype(np.uint64)
        self.registers["weight_saturations"] += AdamReference(self.config.weight_fraction).update(
            weight, target, gradient, first, second, step_size=self.step_sizes[network], rates=rates
        )
        low[:] = (second & np.uint64(0xFFFF_FFFF)).astype(np.int64).reshape(low.shape)
        high[:] = (second >> np.uint64(32)).astype(np.int64).reshape(low.shape)
