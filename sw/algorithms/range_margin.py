"""Room around the recorded ranges for activations that go on growing once their ranges are frozen."""

import numpy as np

__all__ = ["widened_ranges"]

LEAST, GREATEST = -(1 << 31), (1 << 31) - 1
INPUTS = 0  # slot of (action, observation)


def widened_ranges(minimum: np.ndarray, maximum: np.ndarray, margin: float) -> tuple[np.ndarray, np.ndarray]:
    """Ranges to freeze in place of the recorded ones, all within a word.

    Ranges of hidden layers grow by the factor about zero. The range of the inputs grows on both sides until its width
    is a power of two. Then an action of one is exactly a code: rounded down to one below it, a saturated action would
    keep a slope, and the actor's weights would be pushed on without end. With a margin of 1 nothing changes.

    Parameters
    ----------
    minimum, maximum
        Recorded words of each slot, the inputs' first.
    margin
        Factor, at least 1.
    """
    if margin == 1:
        return minimum, maximum
    low = np.clip(np.floor(minimum * np.float64(margin)), LEAST, 0).astype(np.int32)
    high = np.clip(np.ceil(maximum * np.float64(margin)), 0, GREATEST).astype(np.int32)
    least, greatest = int(minimum[INPUTS]), int(maximum[INPUTS])
    # More than was recorded: the code at the very end of a range is one too many for its bits.
    width = 1 << (greatest - least).bit_length()
    low[INPUTS] = max(least - (width - (greatest - least)) // 2, LEAST)
    high[INPUTS] = min(int(low[INPUTS]) + width, GREATEST)
    low[INPUTS] = max(int(high[INPUTS]) - width, LEAST)
    return low, high
