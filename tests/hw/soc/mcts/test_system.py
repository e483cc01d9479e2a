"""The search device against the reference: every answer, and the whole memory of the tree."""

import random

import numpy as np
import pytest

from rewardware.hw.cores.tree.records import RequestKind, Status
from rewardware.hw.soc.mcts.config import MCTSConfig
from rewardware.sw.device.tree_backends import DeviceTree, ReferenceTree
from rewardware.sw.reference.tree.messages import Answer, pack_request

from ....sw.reference.tree.stimulus import random_requests
from .run_requests import compare_memory, run_requests
from .workloads import REGISTERS

SHAPES = {
    "uct": {"fanout": 3, "levels": 5, "banks": 12, "rows": 8, "nodes": 70, "workers": 7, "slots": 3, "reserve": 2},
    "puct": {"fanout": 5, "levels": 3, "banks": 7, "rows": 16, "nodes": 90, "workers": 4, "slots": 4, "reserve": 4},
}


def config_of(policy):
    shape = SHAPES[policy]
    return MCTSConfig(policy=policy, group=3, flits=2, **shape)


@pytest.fixture(params=["uct", "puct"])
def trees(request):
    config = config_of(request.param)
    device, reference = DeviceTree(config, stall=0.2, seed=3), ReferenceTree(config)
    for tree in (device, reference):
        tree.write_registers(REGISTERS)
    yield device, reference
    device.close()


def random_rows(config, seed, count, **settings):
    made = random_requests(config, random.Random(seed), count, **settings)
    return np.array([pack_request(config, kind, worker, **arguments) for kind, worker, arguments in made], np.uint64)


def test_requests_leave_the_reference_s_tree(trees):
    device, reference = trees
    rows = random_rows(device.config, 5, 3000)
    for part in np.array_split(rows, [1, 2, 40, 400]):
        for tree in trees:
            tree.send(part)
        assert device.receive(len(part)).tolist() == reference.receive(len(part)).tolist()
    assert compare_memory(device, reference)


def test_visit_limit(trees):
    """After 65 535 selections none is taken, until a clear. They end at once: the root is terminal."""
    config = trees[0].config
    turn = [
        row
        for worker in range(config.workers)
        for row in (
            pack_request(config, RequestKind.SELECT, worker),
            pack_request(config, RequestKind.BACKUP, worker, reward=1, terminal=1, legal=0),
        )
    ]
    clear = pack_request(config, RequestKind.CLEAR, terminal=1, legal=0)
    rows = np.array([clear, *(turn * (65536 // config.workers + 1))[: 2 * 65536], clear, *turn], np.uint64)
    for tree in trees:
        tree.send(rows)
    answers, expected = (tree.receive(len(rows)) for tree in trees)
    assert (answers == expected).all()
    statuses = [Answer.unpack(int(row)).status for row in expected[2 * 65535 + 1 :]]
    end = [Status.DONE, *[Status.TERMINAL, Status.DONE] * config.workers]
    assert statuses == [Status.VISIT_LIMIT, Status.NOT_SELECTED, *end]


@pytest.mark.parametrize(
    ("kind", "end"),
    [
        ("random", "inserted"),
        ("recorded", "inserted"),
        ("one_path", "height_limit"),
        ("height_limit", "height_limit"),
        ("full_tree", "full"),
        ("full_banks", "full"),
    ],
)
def test_kinds_of_requests(kind, end):
    """A small version of what `run_requests` does with whole presets."""
    ends, nodes = run_requests(kind, config_of("uct"), 1500, game="CartPole-v1", simulations=250)
    assert ends[RequestKind.SELECT, end] > 20 and ends.total() >= 1500 and nodes
