"""Cycles of the replay manager's batches, without running it."""

from ...hw.cores.replay.config import SumTreeConfig

__all__ = ["sample_cycles", "update_cycles"]

# Of the pipeline: head and queue, then each level.
HEAD, LEVEL = 8, 3
# The program's instructions, and the packet from the stream's buffers.
PROGRAM = 8
# From a batch to its first draw.
DRAW = 6


def sample_cycles(config: SumTreeConfig, batch: int) -> int:
    """Of a batch of samples with draws of the device: the total's request follows the last one."""
    return DRAW + _answered(config, batch + 1)


def update_cycles(config: SumTreeConfig, batch: int) -> int:
    """Of a packet of updates, insertions or retrievals."""
    return _answered(config, batch)


def _answered(config: SumTreeConfig, requests: int) -> int:
    """A request a cycle, and the last one's way."""
    return PROGRAM + requests - 1 + HEAD + LEVEL * config.depth
