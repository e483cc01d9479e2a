"""Cycle model of a program: when tiles stream, blocks drain and sweeps run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from .....hw.soc.fixar.config import FixarConfig, Networks
from .....hw.soc.fixar.instructions import Dataflow

__all__ = ["CycleModel", "block_cycles", "drain_cycles", "slot_cycles", "tiles", "useful_products"]

# Fields of an instruction by name.
Fields = Mapping[str, int]

# Cycles from the last streamed vector to the first drained row, from the last drained row to its result in memory, from
# an issued instruction to its first tile, around the rows of a transfer, and around those of a sweep (the bias
# correction included). A model: of a training step it is within a few percent of the RTL.
FILL_LATENCY = 9
WRITE_LATENCY = 32
ISSUE_LATENCY = 8
TRANSFER_LATENCY = 32
SWEEP_LATENCY = 84


def slot_cycles(config: FixarConfig, fields: Fields) -> int:
    """Cycles of a tile: loading the next one's stationary rows or streaming its vectors, whichever takes longer."""
    half = fields.get("half", 0)
    if fields["dataflow"] == Dataflow.GRADIENT:
        first, last = fields["first"], fields["last"]
        streamed = (-(-last // 2) - first // 2 if half else last - first) + fields["bias"]
    else:
        streamed = fields["samples"]
        if half and fields["dataflow"] == Dataflow.FORWARD:
            streamed = -(-streamed // 2)
    loaded = config.lanes * (config.cores if fields.get("intra_layer") else 1)
    return max(streamed, loaded)


def tiles(config: FixarConfig, fields: Fields) -> int:
    """Slots that one output block takes."""
    inner = fields["inner_count"]
    return -(-inner // config.cores) if fields.get("intra_layer") else inner


def block_cycles(config: FixarConfig, fields: Fields) -> int:
    """Cycles in which the tiles of one output block stream."""
    slot = slot_cycles(config, fields)
    bias = 0
    if fields["dataflow"] == Dataflow.FORWARD and fields["bias"]:
        # The bias row is loaded with the first tile.
        bias = max(config.lanes * (config.cores if fields.get("intra_layer") else 1) + 1 - slot, 0)
    return tiles(config, fields) * slot + bias


def drain_cycles(fields: Fields) -> int:
    """Cycles in which one output block leaves the accumulators."""
    if fields["dataflow"] == Dataflow.GRADIENT:
        first = fields["first"] & ~1 if fields.get("half") else fields["first"]
        return fields["last"] - first + fields["bias"]
    return fields["samples"]


def useful_products(networks: Networks, batch: int) -> int:
    """Multiply-accumulates that a training step needs, padding and biases left out."""
    actor = [(layer.inputs - layer.first) * layer.outputs for layer in networks.layers("actor")]
    critic = [layer.inputs * layer.outputs for layer in networks.layers("critic")]
    forward = 2 * sum(actor) + 3 * sum(critic)
    action = networks.action_size * networks.hidden_sizes[0]
    backward = sum(critic[1:]) + sum(critic[1:]) + action + sum(actor[1:])
    return (forward + backward + sum(actor) + sum(critic)) * batch


@dataclass
class CycleModel:
    """Runs through a program's instructions and adds up cycles.

    Parameters
    ----------
    config : FixarConfig

    Members
    -------
    cycles : int
        Until the last instruction is complete.
    matrix_cycles : int
        Cycles in which tiles stream.
    held_cycles : int
        Cycles in which the array waits for a drain or another engine.
    sweep_cycles : int
        Cycles in which the optimiser runs.
    """

    config: FixarConfig
    cycles: int = 0
    matrix_cycles: int = 0
    held_cycles: int = 0
    sweep_cycles: int = 0

    def run(self, instructions: Iterable[tuple[str, Sequence[str], Fields]]) -> Self:
        """Predict the cycles of decoded instructions, ``(name, waited engines, fields)`` each."""
        done = {"transfer": 0, "matrix": 0, "adam": 0}
        free = dict(done)
        buffers = [0, 0]
        stream_end = drain_end = issue = block = 0
        for name, waits, fields in instructions:
            issue = max([issue + 3, *(done[engine] for engine in waits)])
            if name == "matrix":
                for index in range(fields["outer_count"]):
                    start = max(stream_end, buffers[block % 2], issue + ISSUE_LATENCY + self.config.lanes)
                    if index == 0 and fields["hold"]:
                        ahead = (tiles(self.config, fields) - 1) * slot_cycles(self.config, fields)
                        start = max(start, drain_end + WRITE_LATENCY - (ahead if fields["follow"] else 0))
                    if stream_end:
                        self.held_cycles += start - stream_end
                    length = block_cycles(self.config, fields)
                    self.matrix_cycles += length
                    stream_end = start + length
                    drained = drain_cycles(fields) * self.config.lane_interval
                    drain_end = max(stream_end + FILL_LATENCY + self.config.pipelined, drain_end) + drained
                    buffers[block % 2] = drain_end
                    block += 1
                    if index == 0:
                        issue = max(issue, start - self.config.lanes)  # the engine holds two instructions
                done["matrix"] = drain_end + WRITE_LATENCY
            elif name == "adam":
                start = max(issue, free["adam"])
                swept = fields["count"] * self.config.lane_interval
                done["adam"] = free["adam"] = start + swept + SWEEP_LATENCY
                self.sweep_cycles += swept
                issue = start
            elif name in ("load", "store", "noise", "range"):
                start = max(issue, free["transfer"])
                done["transfer"] = free["transfer"] = start + fields.get("count", 1) + TRANSFER_LATENCY
                issue = start
            elif name == "halt":
                issue = max(done.values())
        self.cycles = max(issue, *done.values())
        return self
