"""Activation and error memories of all cores: random requests of the sequencers, reads from outside and results."""

import numpy as np
import pytest

from rewardware.hw.cores.array.block_queue import reads_activations, reads_errors
from rewardware.hw.cores.array.commands import Destination
from rewardware.hw.cores.array.config import Operation
from rewardware.hw.cores.array.core_memories import READ_LATENCY, CoreMemories
from rewardware.hw.cores.array.engine_config import ArrayEngineConfig
from rewardware.hw.cores.array.layouts import drained_layout, stationary_layout, streamed_layout
from rewardware.hw.cores.memory.config import ActivationMemoryConfig
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.memory.activation import ActivationMemoryReference

from ..bench_play import Expected

CYCLES = 500
ERRORS, ACTIVATIONS = Destination.ERROR, Destination.ACTIVATION


class CoreMemoriesReference:
    """The words of both kinds of memory, with what a cycle's requests find; None where nothing is defined."""

    def __init__(self, config):
        self.config = config
        memory = ActivationMemoryConfig(lanes=config.lanes, rows=config.activation_rows)
        self.activations = [ActivationMemoryReference(memory) for _ in range(config.cores)]
        self.errors = np.zeros((config.error_rows, config.cores, config.lanes), np.int64)

    def streamed(self, request):
        """The row or column of each core that is streamed from the activation memories."""
        for core, memory in enumerate(self.activations):
            row = request["row"] + core * request["core_stride"]
            if request["column"]:
                yield memory.read_column(row, request["lane"], half=request["half"], parity=request["parity"])
            else:
                yield memory.read_row(row, half=request["half"])

    def write(self, result):
        """Writes a row of results."""
        words = result["words"].reshape(self.config.cores, self.config.lanes)
        lanes = result["mask"] >> np.arange(self.config.lanes) & 1 == 1
        for core in range(self.config.cores):
            if not result["enable"] >> core & 1 or not lanes.any():
                continue
            if result["destination"] == ERRORS:
                self.errors[result["row"], core, lanes] = words[core, lanes]
            else:
                half = {"half": result["half"], "parity": result["parity"]}
                self.activations[core].write_row(result["row"], words[core], lanes, **half)


def random_requests(rng, config):
    """Requests of the sequencers in a cycle: at most one row or column of each kind of memory."""
    lanes, activation_rows = config.lanes, config.activation_rows
    packed, column = int(rng.integers(2)), int(rng.integers(2))
    stride = int(rng.integers(2)) * lanes
    row = int(rng.integers(activation_rows - stride * (config.cores - 1)))
    row -= row % lanes * column
    streamed = {"valid": int(rng.random() < 0.5), "errors": int(rng.random() < 0.4), "column": column, "row": row}
    streamed |= {"lane": int(rng.integers(lanes)) & ~packed, "core_stride": stride, "half": packed}
    streamed |= {"parity": int(rng.integers(2))}
    if streamed["errors"]:
        streamed["row"] = int(rng.integers(config.error_rows))
    elif rng.random() < 0.1:
        streamed |= {"row": activation_rows + lanes, "constant": int(rng.integers(2))}
    streamed["index"] = streamed["row"] % lanes
    busy = {ERRORS: streamed["valid"] and streamed["errors"], ACTIVATIONS: streamed["valid"] and not streamed["errors"]}

    stationary = {"valid": int(rng.random() < 0.5), "errors": int(not busy[ERRORS] and rng.random() < 0.5)}
    stationary["row"] = int(rng.integers(config.error_rows + (rng.random() < 0.1)))
    busy[ERRORS] = busy[ERRORS] or (stationary["valid"] and stationary["errors"])
    operations = [
        operation
        for operation in Operation
        if not (busy[ACTIVATIONS] and reads_activations(operation)) and not (busy[ERRORS] and reads_errors(operation))
    ]
    operation = operations[rng.integers(len(operations))]
    auxiliary = int(rng.integers(min(activation_rows, config.error_rows)))
    drained = {"valid": int(rng.random() < 0.5), "gradient": int(rng.random() < 0.2), "auxiliary_row": auxiliary}
    drained |= {"auxiliary_index": auxiliary % lanes, "command": {"operation": operation, "packed_auxiliary": packed}}
    return streamed, stationary, drained


def row_count(config, destination):
    """Rows of a kind of memory."""
    return config.error_rows if destination == ERRORS else config.activation_rows


def random_result(rng, config):
    """A row of results, or none; no lane of it is written where it lies past the end of its memory."""
    destination = int(rng.integers(2))
    rows = row_count(config, destination)
    is_behind = rng.random() < 0.1
    row = rows + int(rng.integers(2)) if is_behind else int(rng.integers(rows))
    return {
        "enable": int(rng.integers(1 << config.cores)) * int(rng.random() < 0.7),
        "destination": destination,
        "row": row,
        "index": row % config.lanes,
        "half": int(destination == ACTIVATIONS and rng.integers(2)),
        "parity": int(rng.integers(2)),
        "mask": 0 if is_behind else int(rng.integers(1 << config.lanes)),
        "words": rng.integers(0, 1 << 32, config.cores * config.lanes),
    }


class Played:
    """Inputs and expected outputs, cycle by cycle."""

    def __init__(self, config, rng):
        self.config, self.rng = config, rng
        self.reference = CoreMemoriesReference(config)
        self.inputs, self.values, self.known = {}, {}, {}

    def show(self, cycle, **inputs):
        """Values of inputs in a cycle."""
        for name, value in inputs.items():
            self.inputs.setdefault(name, [0] * CYCLES)[cycle] = value

    def expect(self, cycle, name, value):
        """Expect a number that is read in a cycle, or the value of an output in it."""
        table = self.values.setdefault(name, np.zeros((CYCLES, *np.shape(value)), np.int64))
        table[cycle] = value
        self.known.setdefault(name, np.zeros(CYCLES, bool))[cycle] = True

    def read(self, cycle, result, streamed, stationary, drained):
        """Expect the data of the requests of the cycle before and of the reads from outside."""
        config, reference, rng = self.config, self.reference, self.rng
        drains = drained["valid"] and not drained["gradient"]
        operation, auxiliary = drained["command"]["operation"], drained["auxiliary_row"]
        streams = streamed["valid"] and not streamed["errors"]
        behind = streams and streamed["row"] >= config.activation_rows
        words = None
        if streams and not behind:
            words = list(reference.streamed(streamed))
        elif drains and reads_activations(operation):
            packed = drained["command"]["packed_auxiliary"]
            words = [memory.read_row(auxiliary, half=packed) for memory in reference.activations]
        if words is not None:
            self.expect(cycle, "activation_words", np.concatenate(words))
        free = not streams and not (drains and reads_activations(operation))
        for core, memory in enumerate(reference.activations):
            row, enable = int(rng.integers(config.activation_rows)), int(rng.random() < 0.5)
            name = f"activation_rows__{core}"
            self.show(cycle, **{f"{name}__enable": enable, f"{name}__row": row, f"{name}__index": row % config.lanes})
            self.expect(cycle, f"{name}__granted", int(free))
            if enable and free:
                self.expect(cycle, f"{name}__data", memory.read_row(row))

        rows = [streamed["row"]] * (streamed["valid"] and streamed["errors"])
        rows += [stationary["row"]] * (stationary["valid"] and stationary["errors"])
        auxiliary_errors = int(drains and reads_errors(operation))
        rows += [auxiliary] * auxiliary_errors
        outside, enable = int(rng.integers(config.error_rows)), int(rng.random() < 0.5)
        reader = int(rng.integers(config.cores))
        for core in range(config.cores):
            name = f"error_rows__{core}"
            self.show(cycle, **{f"{name}__enable": enable * (core == reader), f"{name}__row": outside})
            self.expect(cycle, f"{name}__granted", int(not rows))
        if enable and not rows:
            self.expect(cycle, f"error_rows__{reader}__data", reference.errors[outside, reader])
        elif rows and rows[0] < config.error_rows:
            self.expect(cycle, "error_words", reference.errors[rows[0]].reshape(-1))
        self.expect(cycle, "auxiliary_errors", auxiliary_errors)
        out = (behind and not streamed.get("constant", 0)) or (rows and rows[0] >= config.error_rows)
        out = out or (result["enable"] and result["row"] >= row_count(config, result["destination"]))
        self.expect(cycle, "out_of_range", int(bool(out)))


@pytest.mark.parametrize(("cores", "lanes"), [(1, 4), (3, 6)])
def test_equals_reference(cores, lanes):
    config = ArrayEngineConfig(
        cores=cores, lanes=lanes, weight_rows=lanes, activation_rows=5 * lanes, error_rows=3 * lanes
    )
    rng = np.random.default_rng(lanes)
    played = Played(config, rng)
    layouts = {"streamed": streamed_layout(config), "stationary": stationary_layout(config)}
    layouts["drained"] = drained_layout(config)
    before = None
    for cycle in range(CYCLES):
        requests = dict(zip(layouts, random_requests(rng, config), strict=True))
        played.show(cycle, **{name: layouts[name].const(given).as_bits() for name, given in requests.items()})
        result = random_result(rng, config)
        if before is not None:
            played.read(cycle, result, *before.values())
        played.show(cycle, **{f"results__{name}": value for name, value in result.items()})
        played.reference.write(result)
        before = requests
    latencies = dict.fromkeys(("activation_words", "error_words"), READ_LATENCY)
    simulate(
        CoreMemories(config),
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": {name: np.array(values) for name, values in played.inputs.items()},
            "outputs": {
                name: Expected(values, latencies.get(name, READ_LATENCY * name.endswith("data")), played.known[name])
                for name, values in played.values.items()
            },
        },
    )
