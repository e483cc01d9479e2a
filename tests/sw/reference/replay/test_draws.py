"""The reference of the draws against Python's integers."""

import numpy as np
import pytest

from rewardware.hw.cores.random.xorshift import STATE_WIDTH, state_from_seed, xorshift
from rewardware.hw.cores.replay.config import DRAW_WIDTH
from rewardware.sw.reference.replay.draws import DrawReference

ONE = 1 << DRAW_WIDTH


@pytest.mark.parametrize("segment", [0, 1, ONE // 3, ONE // 65535, ONE - 1])
def test_draws_lie_in_their_segments(segment):
    state = state_from_seed(segment)
    reference = DrawReference(state)
    for count in (1, 3, 500):
        expected = []
        for number in range(count):
            state = xorshift(state)
            draw = state >> STATE_WIDTH - DRAW_WIDTH
            expected.append((number * segment + (draw * segment >> DRAW_WIDTH)) % ONE if segment else draw)
        draws = reference.draws(count, segment)
        assert draws.dtype == np.uint64 and draws.tolist() == expected
        assert reference.state == state
