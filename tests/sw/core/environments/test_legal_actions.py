"""Legal actions in their three forms."""

import numpy as np
import pytest

from rewardware.sw.core.environments.legal_actions import action_bits, action_list, action_mask


@pytest.mark.parametrize(
    ("legal", "actions", "listed"),
    [(0, 3, []), (0b1, 1, [0]), (0b10110, 5, [1, 2, 4]), (1 << 360 | 1 << 8, 361, [8, 360]), (0b11, 9, [0, 1])],
)
def test_forms(legal, actions, listed):
    mask = action_mask(legal, actions)
    assert mask.dtype == np.bool_ and mask.shape == (actions,)
    assert np.flatnonzero(mask).tolist() == action_list(legal) == listed
    assert action_bits(mask) == legal
