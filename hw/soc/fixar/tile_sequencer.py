"""Front half of the matrix engine: walks the tiles of an instruction."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..sequencer.layouts import command_layout, format_layout
from .config import FixarConfig
from .instructions import INSTRUCTION_SET, Dataflow

__all__ = [
    "TileSequencer",
    "block_layout",
    "matrix_layout",
    "stationary_layout",
    "streamed_layout",
]

ROW_WIDTH = 16
# Of a count of streamed vectors or drained rows.
VECTORS_WIDTH = 11
matrix_layout = format_layout(INSTRUCTION_SET.format("matrix"))


# Where a tile is in its instruction.
position_layout = data.StructLayout(
    {
        "outer": 9,
        "outer_index": 8,  # outer modulo lanes
        "inner": 9,
        "first": 1,  # first tile of the instruction
        "first_outer": 1,
        "first_inner": 1,
        "last_inner": 1,
        "last_outer": 1,
        "block_row": ROW_WIDTH,
        "tile_row": ROW_WIDTH,
        "auxiliary_row": ROW_WIDTH,
        "stream_row": ROW_WIDTH,
    }
)


def stationary_layout(config):
    """One row on its way from a memory into the shadow weights of the arrays."""
    return data.StructLayout(
        {
            "valid": 1,
            "errors": 1,  # 0: weight memory, 1: error memory of each core
            "bank": 2,
            "row": ROW_WIDTH,
            "index": range(config.lanes),
            "transposed": 1,
            "bias": 1,  # the row is the block's biases, not part of the tile
            "cores": config.cores,  # arrays that take the row
            "absent": config.cores,  # arrays that take zeros instead
        }
    )


def streamed_layout(config):
    """One row or column on its way from an activation or error memory through the arrays."""
    return data.StructLayout(
        {
            "valid": 1,
            "errors": 1,  # 0: activation memory, 1: error memory
            "column": 1,
            "row": ROW_WIDTH,
            "index": range(config.lanes),  # row modulo lanes
            "lane": range(config.lanes),
            "core_stride": 10,  # rows between the blocks of neighbouring cores (intra-layer parallelism)
            "half": 1,
            "parity": 1,
            "slot": 4,
            "constant": 1,
            "swap": 1,
            "buffer": 1,
            "entry": range(config.accumulator_depth),
            "first": 1,
        }
    )


def block_layout(config):
    """An output block whose sums are about to be complete: what the drain needs to know."""
    return data.StructLayout(
        {"command": matrix_layout, "block": 9, "index": range(config.lanes), "buffer": 1, "last": 1}
    )


class TileSequencer(wiring.Component):
    """Walks the tiles of matrix instructions: while one tile is streamed, the next one is loaded.

    Time is divided into slots. In a slot the vectors of one tile are streamed, one read a cycle, and the stationary
    words of the following tile (of the same or of the next instruction) are loaded into the shadow weights, one row a
    cycle. A slot takes ``max(rows to load, vectors to stream)`` cycles and the next one follows without a gap.

    A slot waits for: the drain of the accumulator buffer it starts to fill; everything drained, where the
    instruction says ``hold`` (its first tile, or with ``follow`` the last tile of its first output block, which is
    the first to read the last block of the result before); any drain that reads the memory it would read itself.

    Parameters
    ----------
    config : FixarConfig

    Members
    -------
    commands : stream, in
        Matrix instructions.
    stationary : out
        Row to read and load in this cycle (``stationary_layout``).
    streamed : out
        Row or column to read and stream in this cycle (``streamed_layout``).
    block_valid, block : out
        Pulses when the last tile of an output block starts to stream (``block_layout``).
    block_filled : out
        Pulses with the last streamed vector of an output block.
    commit_bias : out
        Pulses with the first streamed vector of an output block: its staged biases belong to ``commit_buffer`` now.
    commit_buffer : out
    buffer_busy : in
        Accumulator buffers that still hold sums to drain.
    drained : in
        No drain is under way or expected and every result is written.
    auxiliary_busy : in
        Bit 0: a drain reads (or will read) the activation memories; bit 1: the error memories.
    idle : out
        No instruction is here.

    Notes
    -----
    Throughput: a tile a slot. Latency: the first vector is streamed one slot (the load of its tile) plus three cycles
    after its command.

    Source: FIXAR (Yang, Hong, Kim, DAC 2021), sections V-A and V-B.
    """

    def __init__(self, config: FixarConfig):
        self.config = config
        super().__init__(
            {
                "commands": In(stream.Signature(command_layout(INSTRUCTION_SET, "matrix"))),
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
            }
        )

    def elaborate(self, platform):
        m = Module()
        # The tile after the one being loaded, the tile being loaded or waiting loaded, and the tile being streamed.
        self.next = Signal(matrix_layout, reset_less=True)
        self.loaded = Signal(matrix_layout, reset_less=True)
        self.current = Signal(matrix_layout, reset_less=True)
        self.next_valid = Signal()
        self.next_prepared = Signal()
        self.next_sample = Signal(ROW_WIDTH, reset_less=True)
        self.next_row = Signal(ROW_WIDTH, reset_less=True)
        self.loaded_valid = Signal()
        self.next_position = Signal(position_layout, reset_less=True)
        self.loaded_position = Signal(position_layout, reset_less=True)
        self.current_position = Signal(position_layout, reset_less=True)
        self.current_buffer = Signal(init=1)  # the first block starts with the other

        # Nothing is loaded (streamed), or this is the last cycle of it: known by a register, for much depends on it.
        self.loading = Signal()
        self.load_done = Signal(init=1)
        self.streaming = Signal()
        self.stream_done = Signal(init=1)
        start_load = Signal()
        start_stream = Signal()

        self.elaborate_starts(m, start_load, start_stream)
        self.elaborate_generator(m, start_load)
        self.elaborate_load(m, start_load)
        self.elaborate_stream(m, start_stream)
        m.d.comb += self.idle.eq(~self.next_valid & ~self.loaded_valid & ~self.streaming)
        return m

    def elaborate_starts(self, m, start_load, start_stream):
        """Decides at the end of each slot what the next one does."""
        loaded, place = self.loaded, self.loaded_position
        next_buffer = Signal()
        allowed = Signal()
        free = Signal()
        # What the tiles want is registered: a load takes two cycles or more, and a next tile is waited for that long.
        held = Signal()
        streams_errors = Signal()
        gradient = Signal()
        gradient_held = Signal()
        m.d.sync += [
            held.eq(loaded.hold & Mux(loaded.follow, place.first_outer & place.last_inner, place.first)),
            streams_errors.eq(loaded.dataflow == Dataflow.BACKWARD),
            gradient.eq(self.next.dataflow == Dataflow.GRADIENT),
            gradient_held.eq((self.next.dataflow == Dataflow.GRADIENT) & self.next_position.first & self.next.hold),
        ]
        m.d.comb += [
            next_buffer.eq(self.current_buffer ^ place.first_inner),
            allowed.eq(
                (self.drained | ~held)
                & ~(place.first_inner & self.buffer_busy.bit_select(next_buffer, 1))
                & ~Mux(streams_errors, self.auxiliary_busy[1], self.auxiliary_busy[0])
            ),
            start_stream.eq(self.loaded_valid & self.load_done & self.stream_done & allowed),
            # The shadow weights are free once the tile in them starts to stream.
            free.eq(self.load_done & self.stream_done & (~self.loaded_valid | allowed)),
            start_load.eq(
                free
                & self.next_valid
                & self.next_prepared
                & ~(gradient_held & (~self.drained | self.loaded_valid))
                & ~(gradient & self.auxiliary_busy[1])
                # Stationary errors and streamed errors come through the same port.
                & ~(gradient & self.loaded_valid & streams_errors)
            ),
        ]
        with m.If(start_load):
            m.d.sync += self.loaded_valid.eq(1)
        with m.Elif(start_stream):
            m.d.sync += self.loaded_valid.eq(0)

    def elaborate_generator(self, m, start_load):
        """Accepts instructions and counts their tiles."""
        position, command = self.next_position, self.next
        step = Signal(range(self.config.cores + 1))
        inner = Signal(10)
        m.d.comb += [
            step.eq(Mux(command.intra_layer, self.config.cores, 1)),
            inner.eq(position.inner + step),
            self.commands.ready.eq(~self.next_valid),
        ]
        last_inner = Signal()
        last_outer = Signal()
        m.d.comb += [
            last_inner.eq(inner >= command.inner_count),
            last_outer.eq(position.outer + 1 == command.outer_count),
        ]
        with m.If(start_load):
            with m.If(last_inner):
                m.d.sync += [
                    self.next_valid.eq(~last_outer),
                    position.outer.eq(position.outer + 1),
                    position.outer_index.eq(
                        Mux(position.outer_index == self.config.lanes - 1, 0, position.outer_index + 1)
                    ),
                    position.inner.eq(0),
                    position.first_inner.eq(1),
                    position.first_outer.eq(0),
                    position.first.eq(0),
                    position.block_row.eq(position.block_row + command.outer_stride),
                    position.tile_row.eq(position.block_row + command.outer_stride),
                    position.auxiliary_row.eq(position.auxiliary_row + command.auxiliary_stride),
                    position.stream_row.eq(command.stream_base),
                ]
            with m.Else():
                m.d.sync += [
                    position.inner.eq(inner),
                    position.first_inner.eq(0),
                    position.first.eq(0),
                    position.tile_row.eq(position.tile_row + command.inner_stride * step),
                    position.stream_row.eq(position.stream_row + command.stream_stride * step),
                ]
        arguments = self.commands.payload.arguments.matrix
        with m.If(self.commands.valid & self.commands.ready):
            m.d.sync += [
                self.next_valid.eq(1),
                command.eq(arguments),
                position.outer.eq(0),
                # Row modulo lanes of the first bias gradient.
                position.outer_index.eq(arguments.destination_stride),
                position.inner.eq(0),
                position.first_inner.eq(1),
                position.first_outer.eq(1),
                position.first.eq(1),
                position.block_row.eq(arguments.weight_base),
                position.tile_row.eq(arguments.weight_base),
                position.auxiliary_row.eq(arguments.auxiliary_base),
                position.stream_row.eq(arguments.stream_base),
            ]
        self.next_last_inner, self.next_last_outer = last_inner, last_outer
        self.elaborate_first_rows(m)
        m.d.sync += self.next_prepared.eq(~start_load & ~(self.commands.valid & self.commands.ready))

    def elaborate_first_rows(self, m):
        """Where the next tile's stationary rows begin; registered, hence known a cycle after the tile."""
        lanes = self.config.lanes
        command, place = self.next, self.next_position
        # Stationary errors: block `inner` of the samples; in half precision the even, then the odd samples of a block
        # of twice the size.
        pair = Signal(9)
        first_sample = Signal(ROW_WIDTH)
        m.d.comb += [
            pair.eq(place.inner >> 1),
            first_sample.eq(Mux(command.half, pair * (2 * lanes) + place.inner[0], place.inner * lanes)),
        ]
        m.d.sync += [
            self.next_sample.eq(first_sample),
            self.next_row.eq(
                Mux(command.dataflow == Dataflow.GRADIENT, place.auxiliary_row + first_sample, place.tile_row)
            ),
        ]

    def elaborate_load(self, m, start_load):
        """Reads the stationary rows of one tile, and with the first tile of a block its biases."""
        lanes, cores = self.config.lanes, self.config.cores
        command, position = self.loaded, self.loaded_position
        row = Signal(ROW_WIDTH)
        index = Signal(range(lanes))
        core = Signal(range(cores + 1))
        bias = Signal()
        sample = Signal(ROW_WIDTH)
        is_gradient = Signal()
        m.d.comb += is_gradient.eq(command.dataflow == Dataflow.GRADIENT)

        last_row = Signal()
        last_core = Signal()
        tile_ends = Signal()
        wants_bias = Signal()
        m.d.comb += [
            last_row.eq(index == lanes - 1),
            last_core.eq(~command.intra_layer | (core == cores - 1)),
            tile_ends.eq(last_row & last_core),
            wants_bias.eq((command.dataflow == Dataflow.FORWARD) & command.bias & position.first_inner),
        ]
        with m.If(self.loading & ~self.load_done):
            m.d.sync += self.load_done.eq(Mux(wants_bias, tile_ends, (index == lanes - 2) & last_core))
        with m.If(self.loading):
            m.d.sync += [
                row.eq(row + Mux(is_gradient & command.half, 2, 1)),
                sample.eq(sample + Mux(command.half, 2, 1)),
                index.eq(index + 1),
            ]
            with m.If(last_row):
                m.d.sync += [index.eq(0), core.eq(core + 1)]
            with m.If(tile_ends):
                m.d.sync += bias.eq(1)
            with m.If(self.load_done):
                m.d.sync += self.loading.eq(0)
        with m.If(start_load):
            following, place = self.next, self.next_position
            m.d.sync += [
                self.loading.eq(1),
                # It takes two cycles or more.
                self.load_done.eq(0),
                self.loaded.eq(following),
                position.eq(place),
                position.last_inner.eq(self.next_last_inner),
                position.last_outer.eq(self.next_last_outer),
                index.eq(0),
                core.eq(0),
                bias.eq(0),
                sample.eq(self.next_sample),
                row.eq(self.next_row),
            ]

        m.d.comb += [
            self.stationary.valid.eq(self.loading),
            self.stationary.errors.eq(is_gradient),
            self.stationary.bank.eq(command.bank),
            self.stationary.row.eq(Mux(bias, command.bias_base + position.outer, row)),
            self.stationary.index.eq(index),
            self.stationary.transposed.eq(command.dataflow != Dataflow.FORWARD),
            self.stationary.bias.eq(bias),
        ]
        for number in range(cores):
            count = Signal(10, name=f"samples_{number}")
            m.d.comb += [
                count.eq(command.samples - (command.full_cores <= number)),
                self.stationary.cores[number].eq(~bias & (~command.intra_layer | (core == number))),
                self.stationary.absent[number].eq(
                    Mux(
                        is_gradient,
                        sample >= count,
                        command.intra_layer & (position.inner + number >= command.inner_count),
                    )
                ),
            ]

    def elaborate_stream(self, m, start_stream):
        """Streams the vectors of one tile; announces the block with its last tile."""
        lanes = self.config.lanes
        command, position = self.current, self.current_position
        entry = Signal(range(self.config.accumulator_depth))
        row = Signal(ROW_WIDTH)
        index = Signal(range(lanes))
        lane = Signal(range(lanes + 2))
        constant = Signal()
        fresh = Signal()
        is_gradient = Signal()
        packed = Signal()
        # Vectors after this one.
        remaining = Signal(VECTORS_WIDTH)
        m.d.comb += [
            is_gradient.eq(command.dataflow == Dataflow.GRADIENT),
            packed.eq(command.half & (command.dataflow != Dataflow.BACKWARD)),
            constant.eq(is_gradient & command.bias & self.stream_done),
        ]
        with m.If(self.streaming):
            m.d.sync += [
                entry.eq(entry + 1),
                fresh.eq(0),
                remaining.eq(remaining - 1),
            ]
            with m.If(~self.stream_done):
                m.d.sync += self.stream_done.eq(remaining == 1)
            with m.If(is_gradient):
                step = Signal(range(lanes + 3))
                m.d.comb += step.eq(lane + Mux(packed, 2, 1))
                m.d.sync += lane.eq(step)
                with m.If(step >= lanes):
                    m.d.sync += [lane.eq(0), row.eq(row + command.stream_stride)]
            with m.Else():
                m.d.sync += [row.eq(row + 1), index.eq(Mux(index == lanes - 1, 0, index + 1))]
            with m.If(self.stream_done):
                m.d.sync += self.streaming.eq(0)

        following, place = self.loaded, self.loaded_position
        new_buffer = Signal()
        m.d.comb += new_buffer.eq(self.current_buffer ^ place.first_inner)
        further = self.further_vectors(m, following)
        with m.If(start_stream):
            # A gradient streams columns of the sample block that `inner` names; `first` is in the first row of lanes.
            pair = Signal(9)
            sample_row = Signal(ROW_WIDTH)
            first = Signal(11)
            m.d.comb += [
                pair.eq(Mux(following.half, place.inner >> 1, place.inner)),
                sample_row.eq(following.stream_base + pair * lanes),
                first.eq(Cat(following.first[0] & ~following.half, following.first[1:])),
            ]
            m.d.sync += [
                self.streaming.eq(1),
                command.eq(following),
                position.eq(place),
                self.current_buffer.eq(new_buffer),
                entry.eq(0),
                index.eq(0),
                fresh.eq(1),
                remaining.eq(further),
                self.stream_done.eq(further == 0),
                lane.eq(first),
                row.eq(Mux(following.dataflow == Dataflow.GRADIENT, sample_row, place.stream_row)),
            ]
        m.d.comb += [
            self.commit_bias.eq(start_stream & place.first_inner),
            self.commit_buffer.eq(new_buffer),
            self.block_filled.eq(self.streaming & self.stream_done & position.last_inner),
            self.block_valid.eq(start_stream & place.last_inner),
            self.block.command.eq(following),
            self.block.block.eq(place.outer),
            self.block.index.eq(place.outer_index),
            self.block.buffer.eq(new_buffer),
            self.block.last.eq(place.last_outer),
            self.streamed.valid.eq(self.streaming),
            self.streamed.errors.eq(command.dataflow == Dataflow.BACKWARD),
            self.streamed.column.eq(is_gradient),
            self.streamed.row.eq(row),
            self.streamed.index.eq(index),
            self.streamed.lane.eq(lane),
            self.streamed.core_stride.eq(Mux(command.intra_layer, command.stream_stride, 0)),
            self.streamed.half.eq(packed),
            self.streamed.parity.eq(command.half & position.inner[0]),
            self.streamed.slot.eq(command.input_slot),
            self.streamed.constant.eq(constant),
            self.streamed.swap.eq(fresh),
            self.streamed.buffer.eq(self.current_buffer),
            self.streamed.entry.eq(entry),
            self.streamed.first.eq(position.first_inner),
        ]

    @staticmethod
    def further_vectors(m, command):
        """Vectors of a loaded tile after the first; registered, for the load takes two cycles or more."""
        further = Signal(VECTORS_WIDTH)
        inputs = Signal(VECTORS_WIDTH)
        samples = Signal(VECTORS_WIDTH)
        with m.If(command.half):
            m.d.comb += inputs.eq(((command.last + 1) >> 1) - (command.first >> 1))
        with m.Else():
            m.d.comb += inputs.eq(command.last - command.first)
        packed = command.half & (command.dataflow != Dataflow.BACKWARD)
        m.d.comb += samples.eq(Mux(packed, (command.samples + 1) >> 1, command.samples))
        m.d.sync += further.eq(Mux(command.dataflow == Dataflow.GRADIENT, inputs + command.bias, samples) - 1)
        return further
