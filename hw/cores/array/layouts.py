"""Layouts that the parts of the array matrix engine share."""

from amaranth.lib import data

from ..layouts import record_layout
from .commands import MATRIX_COMMAND, ROW_WIDTH
from .config import WORD_WIDTH
from .engine_config import ArrayEngineConfig

__all__ = [
    "VECTORS_WIDTH",
    "block_layout",
    "drained_layout",
    "insertion_layout",
    "matrix_command",
    "stationary_layout",
    "streamed_layout",
    "tile_layout",
]

# Bits of a count of streamed vectors or drained rows.
VECTORS_WIDTH = 11

matrix_command = record_layout(MATRIX_COMMAND)


def tile_layout(config: ArrayEngineConfig):
    """A tile: the command it belongs to, its place there, and where its rows begin."""
    return data.StructLayout(
        {
            "command": matrix_command,
            "outer": 9,
            "outer_index": range(config.lanes),  # outer modulo lanes
            "inner": 9,
            "first": 1,  # first tile of the command
            "first_outer": 1,
            "first_inner": 1,
            "last_inner": 1,
            "last_outer": 1,
            "loads_errors": 1,  # the stationary rows come from the error memories
            "load_waits": 1,  # they must not be loaded before everything is drained
            "stationary_row": ROW_WIDTH,
            "stationary_sample": ROW_WIDTH,  # sample of the first stationary row, of a gradient
            "stream_row": ROW_WIDTH,
        }
    )


def stationary_layout(config: ArrayEngineConfig):
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


def streamed_layout(config: ArrayEngineConfig):
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


def block_layout(config: ArrayEngineConfig):
    """An output block whose sums are about to be complete: what the drain needs to know."""
    return data.StructLayout(
        {"command": matrix_command, "block": 9, "index": range(config.lanes), "buffer": 1, "last": 1}
    )


def drained_layout(config: ArrayEngineConfig):
    """One row of sums leaving the accumulators, and where its results go."""
    return data.StructLayout(
        {
            "valid": 1,
            "command": matrix_command,
            "buffer": 1,
            "entry": range(config.accumulator_depth),
            "gradient": 1,
            "half_rule": 1,
            "select_high": 1,
            "sample_valid": config.cores,
            "row": ROW_WIDTH,
            "index": range(config.lanes),
            "lane": range(config.lanes),
            "lanes": range(config.lanes + 1),
            "bias_row": 1,  # gradient of the biases: written as a row
            "parity": 1,
            "auxiliary_row": ROW_WIDTH,
            "auxiliary_index": range(config.lanes),
            "auxiliary_high": 1,
        }
    )


def insertion_layout(config: ArrayEngineConfig):
    """A row on its way into activation or error memories from outside, through the write-back path."""
    return data.StructLayout(
        {
            "words": data.ArrayLayout(WORD_WIDTH, config.lanes),
            "cores": config.cores,
            "destination": 1,
            "row": ROW_WIDTH,
            "index": range(config.lanes),  # row modulo lanes
            "parity": 1,
            "slot": 4,
            "monitor": 1,
            "quantize": 1,
            "lanes": range(config.lanes + 1),  # lanes that are present
            "merge": 1,  # absent lanes keep what they hold, else they become zero
        }
    )
