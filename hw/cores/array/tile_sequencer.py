"""Front half of the array matrix engine: walks the tiles of commands."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .commands import Dataflow
from .engine_config import ArrayEngineConfig
from .layouts import block_layout, matrix_command, stationary_layout, streamed_layout
from .stationary_loader import StationaryLoader
from .tile_generator import TileGenerator
from .vector_streamer import VectorStreamer

__all__ = ["TileSequencer"]


class TileSequencer(ConfiguredComponent):
    """Walks the tiles of matrix commands: while one tile is streamed, the next one is loaded.

    ::

        commands -> TileGenerator -> StationaryLoader -> VectorStreamer -> streamed
                    next tile        tile being loaded   tile being streamed
                                            |
                                            `-> stationary

    Time is divided into slots. In a slot the vectors of one tile are streamed, one read a cycle, and the stationary
    words of the following tile (of the same or of the next command) are loaded into the shadow weights, one row a
    cycle. A slot takes ``max(rows to load, vectors to stream)`` cycles and slots follow each other back to back.

    A slot waits for: the drain of the accumulator buffer it starts to fill; everything drained, where the
    command says ``hold`` (its first tile, or with ``follow`` the last tile of its first output block, which is
    the first to read the last block of the result before); any drain that reads the memory it would read itself.

    Latency: the first vector is streamed one slot (the load of its tile) plus three cycles after its command.
    Throughput: a tile a slot. Back-pressure: a command is taken when all tiles of the one before are loaded or being
    loaded.

    Parameters
    ----------
    config : ArrayEngineConfig

    Members
    -------
    commands : In(stream.Signature(matrix_command))
    stationary : Out(stationary_layout(config))
        Row to read and load in this cycle.
    streamed : Out(streamed_layout(config))
        Row or column to read and stream in this cycle.
    block_valid, block : out
        Pulses when the last tile of an output block starts to stream (``block_layout``).
    block_filled : Out(1)
        Pulses with the last streamed vector of an output block.
    commit_bias : Out(1)
        Pulses when an output block starts to stream: its staged biases belong to ``commit_buffer`` now.
    commit_buffer : Out(1)
    buffer_busy : In(2)
        Accumulator buffers that still hold sums to drain.
    drained : In(1)
        No drain is under way or expected and every result is written.
    auxiliary_busy : In(2)
        Bit 0: a drain reads (or will read) the activation memories; bit 1: the error memories.
    idle : Out(1)
        No command is here.

    Source
    ------
    FIXAR (Yang, Hong, Kim, DAC 2021), sections V-A and V-B.
    """

    def __init__(self, config: ArrayEngineConfig):
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(matrix_command)),
                "stationary": Out(stationary_layout(config)),
                "streamed": Out(streamed_layout(config)),
                "block_valid": Out(1),
                "block": Out(block_layout(config)),
                "block_filled": Out(1),
                "commit_bias": Out(1),
                "commit_buffer": Out(1),
                "buffer_busy": In(2),
                "drained": In(1),
                "auxiliary_busy": In(2),
                "idle": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.generator = generator = TileGenerator(self._config)
        m.submodules.loader = loader = StationaryLoader(self._config)
        m.submodules.streamer = streamer = VectorStreamer(self._config)
        wiring.connect(m, wiring.flipped(self.commands), generator.commands)

        loaded_valid = Signal()  # the loader's tile has not been streamed
        buffer = Signal(init=1)  # the first block starts with the other
        tile = loader.loaded
        m.d.comb += [
            loader.tile.eq(generator.tiles.payload),
            loader.start.eq(generator.tiles.valid & generator.tiles.ready),
            streamer.tile.eq(tile),
            streamer.buffer.eq(buffer ^ tile.first_inner),
            self.stationary.eq(loader.stationary),
            self.streamed.eq(streamer.streamed),
            self.commit_bias.eq(streamer.start & tile.first_inner),
            self.commit_buffer.eq(streamer.buffer),
            self.block_filled.eq(streamer.block_filled),
            self.block_valid.eq(streamer.start & tile.last_inner),
            self.block.command.eq(tile.command),
            self.block.block.eq(tile.outer),
            self.block.index.eq(tile.outer_index),
            self.block.buffer.eq(streamer.buffer),
            self.block.last.eq(tile.last_outer),
            self.idle.eq(~generator.busy & ~loaded_valid & ~streamer.busy),
        ]
        with m.If(loader.start):
            m.d.sync += loaded_valid.eq(1)
        with m.Elif(streamer.start):
            m.d.sync += loaded_valid.eq(0)
        with m.If(streamer.start):
            m.d.sync += buffer.eq(streamer.buffer)
        self._begin_slots(m, generator.tiles, loader, streamer, loaded_valid)
        return m

    def _begin_slots(self, m, tiles, loader, streamer, loaded_valid):
        """Decides at the end of each slot what the next one does."""
        loaded, following = loader.loaded, tiles.payload
        # The conditions for a loaded tile are registered: it waits two cycles or more before it can be streamed.
        held, streams_errors = Signal(), Signal()
        m.d.sync += [
            held.eq(
                loaded.command.hold & Mux(loaded.command.follow, loaded.first_outer & loaded.last_inner, loaded.first)
            ),
            streams_errors.eq(loaded.command.dataflow == Dataflow.BACKWARD),
        ]
        allowed, free = Signal(), Signal()
        m.d.comb += [
            allowed.eq(
                (self.drained | ~held)
                & ~(loaded.first_inner & self.buffer_busy.bit_select(streamer.buffer, 1))
                & ~Mux(streams_errors, self.auxiliary_busy[1], self.auxiliary_busy[0])
            ),
            streamer.start.eq(loaded_valid & loader.done & streamer.done & allowed),
            # The shadow weights are free once the tile in them starts to stream.
            free.eq(loader.done & streamer.done & (~loaded_valid | allowed)),
            tiles.ready.eq(
                free
                & ~(following.load_waits & (~self.drained | loaded_valid))
                & ~(following.loads_errors & self.auxiliary_busy[1])
                # Stationary errors and streamed errors come through the same port.
                & ~(following.loads_errors & loaded_valid & streams_errors)
            ),
        ]
