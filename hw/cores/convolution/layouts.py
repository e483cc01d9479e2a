"""Layouts that the parts of the GEMM engine share."""

from amaranth.lib import data

from ..layouts import record_layout
from .commands import gemm_command
from .gemm_config import GemmEngineConfig

__all__ = ["command_layout", "load_layout", "pass_layout", "request_layout", "result_layout"]


def command_layout(config: GemmEngineConfig):
    """A command."""
    return record_layout(gemm_command(config))


def _operands(config):
    """Fields of operands: which are stationary (``input_stationary``: the inputs), and their places."""
    return {
        "stationary": 1,
        "input_stationary": 1,
        "input_half": 1,
        "weight_half": 1,
        "input_row": config.row_width,
        "weight_row": config.row_width,
    }


def _sums(config):
    """Where the sums of ``count`` rows and ``lanes`` columns of the array go; ``clear``: they are the first there."""
    return {
        "count": range(config.array.rows + 1),
        "lanes": range(config.array.columns + 1),
        "sum_row": config.row_width,
        "clear": 1,
        "final": 1,  # the last of its command
    }


def pass_layout(config: GemmEngineConfig):
    """A pass. ``slack``: of an NS pass, cycles in which it may overlap with the drains of the one before."""
    return data.StructLayout(
        _operands(config)
        | _sums(config)
        | {
            "empty": 1,  # nothing is read
            "steps": max(config.size_width, config.depth_width),
            "input_index": range(config.array.rows),  # input_row modulo the rows of the array
            "input_stride": config.row_width,
            "slack": range(config.array.chain + 1),
        }
    )


def load_layout(config: GemmEngineConfig):
    """A read of a vector of the next block: of the inputs, or of the weights."""
    return data.StructLayout(
        {
            "enable": 1,
            "first": 1,
            "inputs": 1,
            "half": 1,
            "row": config.row_width,
            "index": range(config.array.rows),
            "count": range(config.array.rows + 1),  # rows of the array that are meant
        }
    )


def request_layout(config: GemmEngineConfig):
    """A step whose operands are read: ``index`` is that of the row (WS) or the lane of the column (NS) of inputs."""
    return data.StructLayout(
        {"valid": 1, "enable": 1, "first": 1, "last": 1, "index": range(config.array.rows)}
        | _operands(config)
        | _sums(config)
    )


def result_layout(config: GemmEngineConfig):
    """A row of sums that leaves the array; with ``drains``, an NS pass whose rows begin to leave in the next cycle."""
    return data.StructLayout({"valid": 1, "drains": 1} | _sums(config))
