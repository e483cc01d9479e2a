"""Slots wait for what they must and for nothing else: random commands, while drains are busy at random."""

from dataclasses import dataclass

import numpy as np
import pytest

from rewardware.hw.cores.array.commands import Dataflow
from rewardware.hw.cores.array.engine_config import ArrayEngineConfig
from rewardware.hw.cores.array.tile_sequencer import TileSequencer
from tests.hw.simulation import run

CONFIG = ArrayEngineConfig(cores=2, lanes=6, weight_rows=6, activation_rows=6, error_rows=6)
COMMANDS = 60
LIMIT_CYCLES = 20_000


@dataclass
class Tile:
    """A tile, and the cycles of its load and of its stream."""

    dataflow: Dataflow
    buffer: int
    first_inner: bool
    held: bool  # everything is drained before it is streamed
    load_held: bool  # and before it is loaded
    load: tuple[int, int] = None
    stream: tuple[int, int] = None

    @property
    def loads_errors(self):
        return self.dataflow == Dataflow.GRADIENT

    @property
    def streams_errors(self):
        return self.dataflow == Dataflow.BACKWARD


def random_commands(random):
    for _ in range(COMMANDS):
        dataflow = Dataflow(int(random.integers(3)))
        yield {
            "dataflow": dataflow,
            "hold": int(random.random() < 0.5),
            "follow": int(random.random() < 0.5),
            "outer_count": int(random.integers(1, 4)),
            "inner_count": int(random.integers(1, 4)),
            "bias": int(random.random() < 0.5),
            "samples": int(random.integers(1, 16)),
            "full_cores": CONFIG.cores,
            "first": 0,
            "last": int(random.integers(1, CONFIG.lanes + 1)),
        }


def tiles_of(commands):
    """The tiles of commands, in their order."""
    buffer = 1
    for command in commands:
        for outer in range(command["outer_count"]):
            buffer ^= 1
            for inner in range(command["inner_count"]):
                first, last_inner = outer == inner == 0, inner == command["inner_count"] - 1
                waits = outer == 0 and last_inner if command["follow"] else first
                gradient = command["dataflow"] == Dataflow.GRADIENT
                yield Tile(
                    dataflow=command["dataflow"],
                    buffer=buffer,
                    first_inner=inner == 0,
                    held=bool(command["hold"]) and waits,
                    load_held=bool(command["hold"]) and first and gradient,
                )


class Trace:
    """Inputs and outputs of a sequencer in each cycle of a run."""

    def __init__(self, commands, random, busy_share, config=CONFIG):
        self.commands, self.random, self.busy_share = commands, random, busy_share
        self.drained, self.buffer_busy, self.auxiliary_busy, self.stationary, self.streamed = [], [], [], [], []
        self.blocks, self.filled, self.biases = [], [], []
        self.sequencer = TileSequencer(config)

    def run(self):
        run(self.sequencer, self._drive)

    async def _drive(self, ctx):
        sequencer, left = self.sequencer, list(self.commands)
        drained, buffer_busy, auxiliary_busy = 1, 0, 0
        while True:
            # Drains take a while, and so does what is between them.
            if self.random.random() < 0.2:
                drained, buffer_busy, auxiliary_busy = (
                    sum(int(self.random.random() < share) << bit for bit in range(bits))
                    for share, bits in ((1 - self.busy_share, 1), (self.busy_share, 2), (self.busy_share, 2))
                )
            for name, value in (("drained", drained), ("buffer_busy", buffer_busy), ("auxiliary_busy", auxiliary_busy)):
                ctx.set(getattr(sequencer, name), value)
                getattr(self, name).append(value)
            ctx.set(sequencer.commands.valid, bool(left))
            if left:
                ctx.set(sequencer.commands.payload, left[0])
            _, _, ready, idle, stationary, streamed, *block, filled, commits, buffer = await ctx.tick().sample(
                sequencer.commands.ready,
                sequencer.idle,
                sequencer.stationary,
                sequencer.streamed,
                sequencer.block_valid,
                sequencer.block,
                sequencer.block_filled,
                sequencer.commit_bias,
                sequencer.commit_buffer,
            )
            self.stationary.append(stationary)
            self.streamed.append(streamed)
            self.blocks.append(block)
            self.filled.append(filled)
            self.biases.append((commits, buffer))
            if left and ready:
                left.pop(0)
            elif not left and idle:
                return
            assert len(self.streamed) < LIMIT_CYCLES, f"{len(left)} commands are not taken"

    def tiles(self):
        """The tiles of the commands, with the cycles in which they were loaded and streamed."""
        tiles = list(tiles_of(self.commands))
        loads = _spans(self.stationary, lambda row: row.index == 0 and row.cores != 0)
        streams = _spans(self.streamed, lambda row: row.swap)
        assert len(loads) == len(streams) == len(tiles)
        for tile, tile.load, tile.stream in zip(tiles, loads, streams, strict=True):
            for cycle in range(tile.load[0], tile.load[1] + 1):
                row = self.stationary[cycle]
                assert row.errors == tile.loads_errors
            for cycle in range(tile.stream[0], tile.stream[1] + 1):
                row = self.streamed[cycle]
                assert (row.errors, row.column) == (tile.streams_errors, tile.loads_errors)
                assert (row.buffer, row.first) == (tile.buffer, tile.first_inner)
        return tiles

    def may_stream(self, tile, cycle):
        """Whether a drain lets a tile begin to be streamed after this cycle."""
        return (
            (self.drained[cycle] or not tile.held)
            and not (tile.first_inner and self.buffer_busy[cycle] >> tile.buffer & 1)
            and not self.auxiliary_busy[cycle] >> tile.streams_errors & 1
        )

    def may_load(self, tile, cycle, before):
        """Whether a drain, and the tile before, let a tile begin to be loaded after this cycle."""
        swaps = before is not None and cycle == before.stream[0] - 1
        return (
            not (tile.load_held and (swaps or not self.drained[cycle]))
            and not (tile.loads_errors and self.auxiliary_busy[cycle] & 2)
            # Stationary errors and streamed errors come through the same port.
            and not (tile.loads_errors and swaps and before.streams_errors)
        )


def _spans(rows, begins):
    """First and last cycle of each run of valid rows; a new one begins where ``begins`` says."""
    spans = []
    for cycle, row in enumerate(rows):
        if row.valid and begins(row):
            spans.append((cycle, cycle))
        elif row.valid:
            spans[-1] = spans[-1][0], cycle
    return spans


@pytest.mark.parametrize("busy_share", [0.0, 0.3, 0.7])
def test_slots_wait_for_drains_and_for_nothing_else(busy_share):
    random = np.random.default_rng(int(10 * busy_share))
    trace = Trace(list(random_commands(random)), random, busy_share)
    trace.run()
    tiles = trace.tiles()
    assert {tile.dataflow for tile in tiles} == set(Dataflow)
    before = None
    for number, tile in enumerate(tiles):
        # A slot is decided in the last cycle of the one before.
        loaded = before.stream[0] - 1 if before else tile.load[0] - 1
        slots = [cycle for cycle in range(loaded, tile.load[0]) if not before or not _streams(before, cycle)]
        assert [trace.may_load(tile, cycle, before) for cycle in slots] == [False] * (len(slots) - 1) + [True], number
        ready = max(tile.load[1], before.stream[1] if before else 0)
        cycles = range(ready, tile.stream[0])
        assert [trace.may_stream(tile, cycle) for cycle in cycles] == [False] * (len(cycles) - 1) + [True], number
        before = tile
    errors = [row.valid and row.errors for row in trace.stationary]
    assert not any(row.valid and row.errors and loads for row, loads in zip(trace.streamed, errors, strict=True))
    assert any(errors)


def _streams(tile, cycle):
    """Whether the slot of a tile goes on after this cycle."""
    return tile.stream[0] <= cycle < tile.stream[1]
