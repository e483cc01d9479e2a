"""Refusals of the configuration, word by word."""

import pytest

from rewardware.hw.cores.sparse.config import SparseConfig


@pytest.mark.parametrize(
    ("settings", "kind", "text"),
    [
        ({"lanes": 12}, ValueError, "Lanes must be a power of two, not 12"),
        ({"lanes": 32}, ValueError, "Lanes must be from 2 to 16, not 32"),
        ({"banks": 0}, ValueError, "Banks must be from 2 to 64, not 0"),
        ({"core_columns": 172}, ValueError, r"Core columns must be a multiple of lanes \(16\), not 172"),
        ({"cores": 2}, ValueError, r"Rows must be at most cores times core columns \(352\), not 512"),
        ({"groups": 65}, ValueError, "Groups must be from 2 to 64, not 65"),
        ({"tuples": 31}, ValueError, "Tuples must be from 32 to 65536, not 31"),
        ({"row_list": 500}, ValueError, "Row list must be from 512 to 1048576, not 500"),
        ({"caching": 1}, TypeError, "Caching must be True or False, not 1"),
        ({"format": "half"}, ValueError, "Format must be one of .*, not 'half'"),
        ({"weight_width": 16.0}, TypeError, "Weight width must be an integer, not 16.0"),
    ],
)
def test_refuses(settings, kind, text):
    with pytest.raises(kind, match=f"^{text}$"):
        SparseConfig(**settings)


def test_derived():
    config = SparseConfig()
    assert (config.positions, config.core_blocks, config.position_blocks, config.entries) == (528, 11, 33, 512)
