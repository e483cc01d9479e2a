"""Configurations of the matrix engine."""

import pytest

from rewardware.hw.cores.vector.matrix_config import MatrixConfig


def test_sizes_of_the_paper():
    config = MatrixConfig()
    assert (config.vpus, config.vectors, config.lanes, config.error_slots) == (264, 128, 32, 8)
    assert config.cluster_groups == (9, 8, 8, 8)


@pytest.mark.parametrize("clusters", [1, 2, 3, 5, 33, 40])
@pytest.mark.parametrize("cluster_vpus", [1, 2, 8, 32])
@pytest.mark.parametrize("blocks", [1, 2, 4])
def test_clusters_are_compiled_in_groups(clusters, cluster_vpus, blocks):
    config = MatrixConfig(clusters=clusters, cluster_vpus=cluster_vpus, blocks=blocks)
    assert sum(config.cluster_groups) == clusters
    # The ends of all drain chains are in the first group.
    assert len(config.cluster_groups) == 1 or min(config.cluster_groups) >= blocks


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("cluster_vpus", 12, "Cluster VPUs must be a power of two, not 12"),
        ("blocks", 3, "Blocks must be a power of two, not 3"),
        ("blocks", 8, "Blocks must be from 1 to 4, not 8"),
        ("error_ports", 3, "Error ports must be from 1 to 2, not 3"),
        ("weight_banks", 12, "Weight banks must be a power of two, not 12"),
        ("weight_banks", 2, "Weight banks must be from 4 to 64, not 2"),
        ("clusters", 0, "Clusters must be from 1 to 256, not 0"),
        ("weight_rows", 1, "Weight rows must be from 2 to 1048576, not 1"),
        ("steps", 0, "Steps must be from 1 to 65536, not 0"),
    ],
)
def test_bad_configuration(field, value, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        MatrixConfig(**{field: value})


def test_wrong_kind():
    with pytest.raises(TypeError, match="^Clusters must be an integer, not '33'$"):
        MatrixConfig(clusters="33")
