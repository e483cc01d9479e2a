"""The whole search tree against its reference."""

import pytest

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.hw.cores.tree.requests import RequestKind, Status
from rewardware.hw.cores.tree.search_tree import SearchTree
from rewardware.sim.cocotb import simulate

SHAPES = {
    # So few nodes that the last ones are taken while selections that may take them are under way.
    "butterfly": {
        "fanout": 3, "levels": 3, "group": 3, "banks": 7, "rows": 4, "nodes": 11, "slots": 3, "reserve": 1,
    },
    # One bank a level, so that none is left.
    "crossbar": {
        "fanout": 6, "levels": 4, "group": 3, "banks": 4, "rows": 8, "nodes": 32, "slots": 2, "reserve": 3,
        "interconnect": "crossbar", "policy": "puct_root", "comparison": "lookup",
    },
    "butterfly4": {
        "fanout": 4, "levels": 5, "group": 4, "banks": 20, "rows": 2, "nodes": 32, "slots": 4, "reserve": 2,
        "interconnect": "butterfly4", "concentration": 2, "flits": 1, "policy": "puct_visits",
    },
    "next_empty": {
        "fanout": 5, "levels": 5, "group": 2, "banks": 6, "rows": 4, "nodes": 24, "slots": 3, "reserve": 1,
        "concentration": 4, "policy": "puct", "bank_assignment": "next_empty", "flits": 3,
    },
    "two": {
        "fanout": 2, "levels": 2, "group": 2, "banks": 3, "rows": 2, "nodes": 6, "slots": 2, "reserve": 2,
        "bank_assignment": "next_empty",
    },
}  # fmt: skip
ALWAYS = [
    (RequestKind.SELECT, Status.INSERTED),
    (RequestKind.SELECT, Status.PENDING),
    (RequestKind.SELECT, Status.TERMINAL),
    (RequestKind.SELECT, Status.HEIGHT_LIMIT),
    (RequestKind.SELECT, Status.FULL),
    (RequestKind.SELECT, Status.UNKNOWN_WORKER),
    (RequestKind.SELECT, Status.NO_TREE),
    (RequestKind.SELECT, Status.SELECTED_BEFORE),
    (RequestKind.BACKUP, Status.DONE),
    (RequestKind.BACKUP, Status.NO_TREE),
    (RequestKind.BACKUP, Status.NOT_SELECTED),
    (RequestKind.CLEAR, Status.DONE),
    (RequestKind.CLEAR, Status.UNDER_WAY),
    (RequestKind.ADVANCE, Status.NO_TREE),
    (RequestKind.ADVANCE, Status.DONE),
    (RequestKind.ADVANCE, Status.UNDER_WAY),
    (RequestKind.ADVANCE, Status.NO_CHILD),
]
ROUNDS = [
    ({"exploration": 5793, "loss": 3000, "first_value": -700, "alternate": True}, (0.0, 0.0)),
    ({"exploration": 65535, "loss": 65535, "first_value": -(1 << 19), "alternate": False}, (0.3, 0.5)),
]


@pytest.mark.parametrize("shape", SHAPES)
def test_equals_the_reference(shape):
    config = TreeConfig(**{"workers": 7} | SHAPES[shape])
    # A path over five levels is rare.
    happens = [end for end in ALWAYS if config.levels < 5 or end[1] != Status.HEIGHT_LIMIT]
    simulate(
        SearchTree(config),
        bench="tests.hw.cores.tree.bench_search_tree",
        parameters={"config": config, "rounds": ROUNDS, "count": 900, "happens": happens},
    )
