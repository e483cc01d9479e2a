"""The configuration: refusals and derived numbers."""

import pytest

from rewardware.hw.cores.tree.config import POLICIES, TreeConfig


@pytest.mark.parametrize(
    ("settings", "kind", "text"),
    [
        ({"fanout": 1}, ValueError, "Fanout must be from 2 to 32, not 1"),
        ({"fanout": 33}, ValueError, "Fanout must be from 2 to 32, not 33"),
        ({"fanout": 6.0}, TypeError, "Fanout must be an integer, not 6.0"),
        ({"levels": 1}, ValueError, "Number of levels must be from 2 to 64, not 1"),
        ({"levels": 65}, ValueError, "Number of levels must be from 2 to 64, not 65"),
        ({"banks": 15}, ValueError, "Number of banks must be from 16 to 1024, not 15"),
        ({"rows": 96}, ValueError, "Rows of a bank must be a power of two, not 96"),
        ({"rows": 8192}, ValueError, "Rows of a bank must be from 2 to 4096, not 8192"),
        ({"rows": 1024}, ValueError, "Banks times rows must be from 4 to 65536, not 131072"),
        ({"nodes": 16385}, ValueError, "Number of nodes must be from 2 to 16384, not 16385"),
        ({"workers": 0}, ValueError, "Number of workers must be from 1 to 255, not 0"),
        ({"workers": 256}, ValueError, "Number of workers must be from 1 to 255, not 256"),
        ({"group": 7}, ValueError, "Group must be from 2 to 6, not 7"),
        ({"slots": 1}, ValueError, "Number of slots must be from 2 to 64, not 1"),
        ({"flits": 7}, ValueError, "Number of flits must be from 1 to 6, not 7"),
        ({"flits": 4}, ValueError, "Number of flits must be 3 for 6 edges, 2 a flit, not 4"),
        ({"reserve": 129}, ValueError, "Reserve must be from 1 to 128, not 129"),
        ({"policy": "ucb"}, ValueError, "Policy must be one of uct, puct, puct_root, puct_visits, not 'ucb'"),
        ({"comparison": "tree"}, ValueError, "Comparison must be one of lookup, logic, not 'tree'"),
        (
            {"interconnect": "ring"},
            ValueError,
            "Interconnect must be one of butterfly, butterfly4, crossbar, not 'ring'",
        ),
        (
            {"bank_assignment": None},
            ValueError,
            "Bank assignment must be one of algorithm2, next_empty, not None",
        ),
    ],
)
def test_refuses(settings, kind, text):
    with pytest.raises(kind, match=f"^{text}$"):
        TreeConfig(**settings)


def test_derived():
    config = TreeConfig(levels=18, banks=100, rows=64, nodes=6400)
    assert (config.bank_width, config.row_width, config.node_width, config.ports) == (7, 6, 13, 32)
    assert (config.block, config.grant_threshold) == (64, 32)
    shared = TreeConfig(bank_assignment="next_empty")
    assert (shared.block, shared.grant_threshold) == (16, 15)
    assert TreeConfig(rows=8, nodes=1024, reserve=8, bank_assignment="next_empty").block == 4
    assert TreeConfig(reserve=128).grant_threshold == 127


def test_scores_do_not_overflow():
    for policy in POLICIES:
        config = TreeConfig(policy=policy)
        most = (1 << 19) - 1 + ((1 << config.exploration_width) - 1)
        least = -(1 << 19) - ((1 << 16) - 1) * 255
        limit = 1 << config.score_width - 1
        assert -limit < least and most < limit - 1
