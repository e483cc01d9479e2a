"""Cycles of the replay manager's batches, without running it."""

from ...hw.cores.replay.config import SumTreeConfig

__all__ = ["sample_cycles", "update_cycles"]

# Cycles of the pipeline before the levels, and of the queue behind them.
HEAD = 9
# The program's instructions, and the packet from the stream's buffers.
PROGRAM = 8
# From a batch to its first draw.
DRAW = 6


def sample_cycles(config: SumTreeConfig, batch: int) -> int:
    """Cycles of a batch of samples that the device draws, ``lanes`` per cycle; the total's request comes last."""
    return DRAW + _answered(config, _beats(config, batch + 1))


def update_cycles(config: SumTreeConfig, batch: int) -> int:
    """Cycles of a packet of updates, insertions or retrievals: one row per cycle, the last beat's padding included."""
    return _answered(config, _beats(config, batch) * config.lanes)


def _beats(config: SumTreeConfig, rows: int) -> int:
    return -(-rows // config.lanes)


def _answered(config: SumTreeConfig, cycles: int) -> int:
    """Cycles in which requests go, and the last one's way."""
    levels = sum(config.level_latency(level) for level in range(config.depth))
    return PROGRAM + cycles - 1 + HEAD + levels
