"""Cycles of passes, as the engine counts them. No Amaranth here."""

from collections.abc import Iterable, Sequence

from .config import FractionalConvolutionConfig
from .passes import Pass

__all__ = [
    "DONE_TO_READ",
    "ISSUE_TO_OPERANDS",
    "PIXEL_TO_WRITE",
    "READ_TO_COMPLETION",
    "pass_cycles",
    "sums_latency",
    "total_cycles",
]

# From the decision on a step to the operands in their registers: the step's own, the memories', theirs.
ISSUE_TO_OPERANDS = 3
# From a pixel to the write of its sums, without the adder; from the last write of a pass to the first read of its
# words; from the last read to the completion.
PIXEL_TO_WRITE = 5
DONE_TO_READ = 2
READ_TO_COMPLETION = 6


def sums_latency(config: FractionalConvolutionConfig) -> int:
    """Cycles from the last step of a task until its first pixel leaves the conv cores."""
    return ISSUE_TO_OPERANDS + config.arithmetic.multiplier_depth + config.arithmetic.adder_depth + 1


def pass_cycles(config: FractionalConvolutionConfig, passes: Iterable[Pass], waits: int = 0) -> list[int]:
    """The cycle of the completion of each pass, counted from the transfer of the first command of an idle engine.

    All commands wait from the beginning on, outputs are taken when they are offered, and completions so many cycles
    later.
    """
    # The first turn in which each slot is idle.
    slots = list(range(config.slots))
    turns, latency = len(slots), sums_latency(config)
    cores, columns, taken, now = 0, 0, 0, 0
    # The cycle in which each pass's last word was read, and the one in which it was complete.
    freed: list[int] = []
    complete: list[int] = []
    for number, one in enumerate(passes):
        channels, interval = one.shape.input_channels, one.interval
        span = (channels - 1) * turns
        columns = max(columns, taken + 1 + max(0, config.lanes + 1 - latency))
        # The half of the pass before the last one is read by then.
        earliest = max(taken + 1, freed[number - 2] + 1 if number > 1 else 0)
        for task in range(one.blocks * one.tiles):
            begins_block = task % one.tiles == 0
            pixels = config.rows if (task + 1) % one.tiles else one.last_pixels
            now = max(earliest, cores - span, columns - span if begins_block else 0)
            now = min(max(idle, now + (slot - now) % turns) for slot, idle in enumerate(slots))
            slots[now % turns] = now + channels * turns
            cores = now + span + pixels * interval
            if begins_block:
                columns = now + span + config.lanes
            earliest = now + 1
        taken = now
        last_pixel = now + span + latency + (one.last_pixels - 1) * interval
        written = last_pixel + PIXEL_TO_WRITE + config.arithmetic.adder_depth
        begin = max(written + DONE_TO_READ, complete[-1] + 2 if complete else 0)
        freed.append(begin + one.output_rows * one.row_words - 1)
        complete.append(freed[-1] + READ_TO_COMPLETION + waits)
    return complete


def total_cycles(config: FractionalConvolutionConfig, passes: Sequence[Pass]) -> int:
    """Cycles from the transfer of the first command of an idle engine to the completion of the last one."""
    return pass_cycles(config, passes)[-1]
