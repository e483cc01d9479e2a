"""The footprint of the paper's layer, by hand."""

import pytest

from rewardware.sw.reference.sparse.memory import footprint


def test_parts():
    layer = footprint(128, 512, 16)
    assert (layer.dense, layer.weights, layer.grouping) == (1 << 20, 1 << 16, 640 * 16 * 16)
    # Bit vector 512, workload 9, index 4 bits, as the paper has them.
    assert layer.sparse_rows == 16 * (512 + 9 + 4)


def test_ratios():
    halfwords = [footprint(128, 512, groups).ratio for groups in (2, 4, 8, 16, 32)]
    assert halfwords == pytest.approx([1.921, 3.436, 4.828, 4.410, 2.779], abs=1e-3)
    bytes_ = [footprint(128, 512, groups, grouping_width=8).ratio for groups in (2, 4, 8, 16, 32)]
    assert bytes_ == pytest.approx([1.958, 3.683, 5.950, 6.728, 4.913], abs=1e-3)
