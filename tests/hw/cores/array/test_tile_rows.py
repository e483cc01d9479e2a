"""Rows of the memories that the tiles of any command read, and the output blocks that they announce."""

import numpy as np
import pytest

from rewardware.hw.cores.array.commands import MATRIX_COMMAND, Dataflow
from rewardware.hw.cores.array.engine_config import ArrayEngineConfig

from .test_tile_sequencer import Trace

COMMANDS = 40


def random_commands(random, config):
    """Commands of all kinds, with bases and strides of every size; fields that a dataflow ignores are any number."""
    for _ in range(COMMANDS):
        command = {field.name: int(random.integers(1 << field.width)) for field in MATRIX_COMMAND.fields}
        dataflow = Dataflow(int(random.integers(3)))
        gradient = dataflow == Dataflow.GRADIENT
        command |= {
            "dataflow": dataflow,
            "intra_layer": int(not gradient and random.random() < 0.4),
            "outer_count": int(random.integers(1, 4)),
            "inner_count": int(random.integers(1, 2 * config.cores + 2)),
            "samples": int(random.integers(1, 2 * config.lanes + 2)),
            "full_cores": int(random.integers(1, config.cores + 1)),
            "destination_stride": int(random.integers(config.lanes)),
        }
        if gradient:
            command["first"] = int(random.integers(config.lanes))
            command["last"] = command["first"] + int(random.integers(1, 2 * config.lanes))
        yield command


class Tile:
    """A tile of a command and what it asks for; fields that mean nothing for it are left out."""

    def __init__(self, config, command, outer, inner):
        self.config, self.command, self.outer, self.inner = config, command, outer, inner
        self.gradient = command["dataflow"] == Dataflow.GRADIENT
        self.first_inner = inner == 0
        step = config.cores if command["intra_layer"] else 1
        self.last_inner = inner + step >= command["inner_count"]

    @classmethod
    def all_of(cls, config, command):
        step = config.cores if command["intra_layer"] else 1
        for outer in range(command["outer_count"]):
            for inner in range(0, command["inner_count"], step):
                yield cls(config, command, outer, inner)

    def stationary(self):
        """The rows of weights or errors, for every core one after the other or for all together, and the biases."""
        config, command = self.config, self.command
        lanes, cores = config.lanes, config.cores
        # A tile takes the even or the odd ones of twice as many samples.
        spread = 2 if command["half"] else 1
        sample = self.inner // spread * spread * lanes + self.inner % spread
        row = command["weight_base"] + self.outer * command["outer_stride"] + self.inner * command["inner_stride"]
        if self.gradient:
            row = command["auxiliary_base"] + self.outer * command["auxiliary_stride"] + sample
        common = {"errors": self.gradient, "bank": command["bank"]}
        common["transposed"] = command["dataflow"] != Dataflow.FORWARD
        for core in range(cores if command["intra_layer"] else 1):
            for index in range(lanes):
                number = core * lanes + index
                absent = [
                    sample + spread * number >= command["samples"] - (command["full_cores"] <= each)
                    if self.gradient
                    else command["intra_layer"] and self.inner + each >= command["inner_count"]
                    for each in range(cores)
                ]
                yield common | {
                    "row": (row + (spread if self.gradient else 1) * number) % (1 << 16),
                    "index": index,
                    "bias": 0,
                    "cores": 1 << core if command["intra_layer"] else (1 << cores) - 1,
                    "absent": sum(bool(bit) << each for each, bit in enumerate(absent)),
                }
        if command["dataflow"] == Dataflow.FORWARD and command["bias"] and self.first_inner:
            yield common | {"row": (command["bias_base"] + self.outer) % (1 << 16), "bias": 1, "cores": 0}

    def streamed(self, buffer):
        """The rows of samples, or the columns of inputs with the constant one after them."""
        command, lanes = self.command, self.config.lanes
        half, inner = command["half"], self.inner
        packed = half and command["dataflow"] != Dataflow.BACKWARD
        common = {
            "errors": command["dataflow"] == Dataflow.BACKWARD,
            "column": self.gradient,
            "core_stride": command["stream_stride"] if command["intra_layer"] else 0,
            "half": packed,
            "parity": half and inner % 2,
            "slot": command["input_slot"],
            "buffer": buffer,
            "first": self.first_inner,
        }
        if self.gradient:
            inputs = range(command["first"] // 2 * 2 if half else command["first"], command["last"], 2 if half else 1)
            row = command["stream_base"] + (inner // 2 if half else inner) * lanes
            places = [(row + place // lanes * command["stream_stride"], place % lanes) for place in inputs]
            rows = [{"row": row, "lane": lane, "constant": 0} for row, lane in places]
            rows += [{"constant": 1}] if command["bias"] else []
        else:
            row = command["stream_base"] + inner * command["stream_stride"]
            count = (command["samples"] + 1) // 2 if packed else command["samples"]
            rows = [{"row": row + index, "index": index % lanes, "constant": 0} for index in range(count)]
        for entry, given in enumerate(rows):
            if "row" in given:
                given["row"] %= 1 << 16
            yield common | given | {"entry": entry, "swap": entry == 0}


def compare(expected, got, what):
    assert len(expected) == len(got), what
    for number, (fields, row) in enumerate(zip(expected, got, strict=True)):
        assert {name: int(getattr(row, name)) for name in fields} == {
            name: int(value) for name, value in fields.items()
        }, f"{what} {number}"


@pytest.mark.parametrize(("cores", "lanes"), [(2, 6), (3, 4)])
def test_rows_of_any_command(cores, lanes):
    config = ArrayEngineConfig(cores=cores, lanes=lanes, weight_rows=12, activation_rows=12, error_rows=12)
    random = np.random.default_rng(cores)
    trace = Trace(list(random_commands(random, config)), random, 0.0, config)
    trace.run()
    stationary, streamed, blocks, commands, biases, filled, buffer = [], [], [], [], [], [], 1
    for command in trace.commands:
        for tile in Tile.all_of(config, command):
            buffer ^= tile.first_inner
            stationary += tile.stationary()
            streamed += tile.streamed(buffer)
            biases += [buffer] if tile.first_inner else []
            if tile.last_inner:
                filled.append(len(streamed))
                last = tile.outer + 1 == command["outer_count"]
                index = (command["destination_stride"] + tile.outer) % lanes
                blocks.append({"block": tile.outer, "index": index, "buffer": buffer, "last": last})
                commands.append(command)
    compare(stationary, [row for row in trace.stationary if row.valid], "stationary")
    compare(streamed, [row for row in trace.streamed if row.valid], "streamed")
    assert biases == [chosen for commits, chosen in trace.biases if commits]
    # The vectors that were streamed until a block was filled, it included.
    counts = np.cumsum([row.valid for row in trace.streamed])
    assert filled == [count for count, ends in zip(counts, trace.filled, strict=True) if ends]
    announced = [block for valid, block in trace.blocks if valid]
    compare(blocks, announced, "block")
    compare(commands, [block.command for block in announced], "command")
