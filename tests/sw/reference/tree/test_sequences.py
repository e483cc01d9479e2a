"""Random requests, wrong ones included: errors change nothing, what goes through the tree adds up."""

import random
from itertools import islice

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardware.hw.cores.tree.config import POLICIES, TreeConfig
from rewardware.hw.cores.tree.requests import RequestKind, Status
from rewardware.sw.reference.tree.search_tree import SearchTreeReference
from tests.sw.reference.tree.oracle import by_actions
from tests.sw.reference.tree.stimulus import RandomRequests

FANOUT, WORKERS = 3, 4
CONFIGS = st.builds(
    TreeConfig,
    fanout=st.just(FANOUT),
    group=st.just(2),
    levels=st.integers(2, 5),
    banks=st.integers(5, 12),
    rows=st.sampled_from([4, 8]),
    nodes=st.sampled_from([2, 7, 20]),
    workers=st.just(WORKERS),
    reserve=st.integers(1, 4),
    policy=st.sampled_from(POLICIES),
    bank_assignment=st.sampled_from(["algorithm2", "next_empty"]),
)


def same(left, right):
    arrays = zip(
        (left.used, *left.nodes.values(), *left.edges.values()),
        (right.used, *right.nodes.values(), *right.edges.values()),
        strict=True,
    )
    return all(np.array_equal(ours, theirs) for ours, theirs in arrays)


def check_sums(tree, memory):
    """A node's visits are those of its edges, a child's those of the edge to it less the ones that ended in it."""
    np.testing.assert_array_equal(memory.edges["visits"].sum(axis=2), memory.nodes["visits"])
    assert memory.used.sum() <= tree.nodes <= tree.config.nodes
    nodes = by_actions(tree)
    for place, node in nodes.items():
        assert len(place) < tree.config.levels
        if place:
            edges, action = nodes[place[:-1]]["edges"], place[-1]
            assert node["visits"] <= max(edges["visits"][action] - 1, 0)
            assert node["evaluated"] == (edges["visits"][action] > 0)
            assert sum(node["edges"]["in_flight"]) <= edges["in_flight"][action]
    numbers = [node["number"] for node in nodes.values()]
    assert len(set(numbers)) == len(numbers)


@settings(max_examples=40)
@given(CONFIGS, st.integers(0, 300), st.integers(0, 1 << 32))
def test_random_requests(config, count, seed):
    tree = SearchTreeReference(config, exploration=5000, loss=30000, first_value=-100)
    total = visits = 0
    under_way = set()
    for request in islice(RandomRequests(config, random.Random(seed)), count):
        kind, worker, before = request.kind, request.worker, tree.memory()
        answer, after = tree.answer(request), tree.memory()
        assert (answer.kind, answer.worker) == (kind, worker)
        if answer.status >= Status.UNKNOWN_KIND:
            assert same(before, after)
            assert (answer.level, answer.action, answer.parent, answer.node) == (0, 0, 0, 0)
            continue
        assert worker < WORKERS
        check_sums(tree, after)
        if kind == RequestKind.SELECT:
            assert worker not in under_way
            under_way.add(worker)
            assert after.used.sum() - before.used.sum() == (answer.status == Status.INSERTED)
        elif kind == RequestKind.BACKUP:
            under_way.remove(worker)
            root = by_actions(tree)[()]
            if root["visits"] > visits:
                total, visits = total + request.reward, visits + 1
            assert sum(root["edges"]["total"]) == total and root["visits"] == visits
        elif kind == RequestKind.PRIOR:
            assert worker in under_way and config.policy != "uct"
        else:
            assert not under_way and answer.node == tree.root
            root = by_actions(tree)[()]
            total, visits = sum(root["edges"]["total"]), root["visits"]
            assert visits == 0 or kind == RequestKind.ADVANCE
    for worker in under_way:
        assert tree.backup(worker, 0, legal=1).status == Status.DONE
    assert not tree.memory().edges["in_flight"].any()
