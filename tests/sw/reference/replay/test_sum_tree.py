"""The reference of the sum tree against a list and Python's integers."""

import random
from itertools import accumulate

import numpy as np
import pytest
from scipy.stats import chisquare

from rewardware.hw.cores.replay.config import DRAW_WIDTH, SumTreeConfig
from rewardware.hw.cores.replay.requests import RequestKind, Status
from rewardware.sw.reference.replay.requests import Answer, Answers, Request, Requests
from rewardware.sw.reference.replay.sum_tree import SumTreeReference

from .stimulus import random_requests

ONE = 1 << DRAW_WIDTH


def first_that_reaches(priorities, draw):
    """Equation 2.1: the first leaf whose prefix sum reaches floor(draw / 2**48 * total) + 1."""
    sought = sum(priorities) * draw // ONE + 1
    return next(index for index, prefix in enumerate(accumulate(priorities)) if prefix >= sought)


@pytest.mark.parametrize(("leaves", "width"), [(2, 1), (3, 32), (23, 5), (64, 32), (100, 31)])
def test_requests_one_after_the_other(leaves, width):
    config = SumTreeConfig(leaves=leaves, priority_width=width, priority_fraction=0)
    tree, plain, following = SumTreeReference(config), [0] * leaves, 0
    for request in random_requests(config, random.Random(leaves), 3000):
        (answer,) = tree.apply([request])
        kind = request.kind
        if kind > 4:
            assert answer == Answer(kind=kind, status=Status.UNKNOWN_KIND)
        elif kind == RequestKind.TOTAL:
            assert answer == Answer(kind=kind, status=Status.DONE, total=sum(plain))
        elif kind == RequestKind.SAMPLE and not any(plain):
            assert answer == Answer(kind=kind, status=Status.EMPTY)
        else:
            index = following if kind == RequestKind.INSERT else request.index
            if kind == RequestKind.SAMPLE:
                index = first_that_reaches(plain, request.draw)
                assert plain[index]
            writes = kind in (RequestKind.UPDATE, RequestKind.INSERT)
            if index >= leaves or (writes and request.priority >> width):
                assert answer == Answer(kind=kind, status=Status.OUT_OF_RANGE)
                continue
            assert answer == Answer(kind=kind, status=Status.DONE, index=index, priority=plain[index])
            if writes:
                plain[index] = request.priority
            if kind == RequestKind.INSERT:
                following = (following + 1) % leaves
        assert tree.priorities.tolist() == plain and tree.total == sum(plain)


@pytest.mark.parametrize(("leaves", "width"), [(2, 1), (3, 32), (23, 5), (100, 31), (1 << 17, 32)])
def test_compiled_requests_are_those_one_by_one(leaves, width):
    """Packets with requests to leaves beside each other, repeated ones, samples after updates, any numbers."""
    config, rng = SumTreeConfig(leaves=leaves, priority_width=width, priority_fraction=0), random.Random(leaves)
    one_by_one, compiled = SumTreeReference(config), SumTreeReference(config)
    for count in (0, 1, 2, 700, 1500):
        for near in (0.0, 0.6, 1.0):
            requests = random_requests(config, rng, count, near=near)
            assert compiled.serve(Requests.gather(requests)).each() == one_by_one.apply(requests)
            assert (compiled.priorities == one_by_one.priorities).all()
            assert (compiled.total, compiled.next_leaf) == (one_by_one.total, one_by_one.next_leaf)


def test_sums_that_a_double_cannot_hold():
    """2**17 leaves of 32 bits: the total has 49, its product with a draw 97."""
    config, rng = SumTreeConfig(leaves=1 << 17), np.random.default_rng(0)
    tree = SumTreeReference(config)
    priorities = rng.integers(0, 1 << 32, config.leaves, dtype=np.uint64)
    priorities[rng.random(config.leaves) < 0.3] = 0
    tree.update(np.arange(config.leaves), priorities)
    assert tree.total == sum(priorities.tolist())
    draws = np.concatenate([[0, ONE - 1], rng.integers(0, ONE, 3000)]).astype(np.uint64)
    prefixes = np.cumsum(priorities)
    sought = np.array([tree.total * draw // ONE + 1 for draw in draws.tolist()], np.uint64)
    assert tree.find(draws).tolist() == np.searchsorted(prefixes, sought).tolist()


def test_of_a_leaf_that_is_named_twice_the_last_one_counts():
    tree = SumTreeReference(SumTreeConfig(leaves=10))
    tree.update(np.array([3, 5, 3]), np.array([7, 1, 9], np.uint64))
    assert tree.priorities.tolist() == [0, 0, 0, 9, 0, 1, 0, 0, 0, 0] and tree.total == 10


@pytest.mark.parametrize("seed", range(3))
def test_samples_are_as_frequent_as_priorities_are_large(seed):
    """Chi-squared over 10**6 draws, at 0.1 %; leaves of zero never."""
    rng = np.random.default_rng(seed)
    tree = SumTreeReference(SumTreeConfig(leaves=300))
    priorities = rng.integers(1 << 10, 1 << 20, 300).astype(np.uint64)
    priorities[rng.random(300) < 0.2] = 0
    tree.update(np.arange(300), priorities)
    found = np.bincount(tree.find(rng.integers(0, ONE, 10**6).astype(np.uint64)), minlength=300)
    assert not found[priorities == 0].any()
    likely = priorities > 0
    expected = 1e6 * priorities[likely] / priorities.sum()
    assert chisquare(found[likely], expected).pvalue > 1e-3


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"draw": 1 << 48}, "Draw must be from 0 to 281474976710655, not 281474976710656"),
        ({"index": 1 << 24}, "Index must be from 0 to 16777215, not 16777216"),
        ({"priority": -1}, "Priority must be from 0 to 4294967295, not -1"),
    ],
)
def test_numbers_are_those_of_a_tree(numbers, words):
    with pytest.raises(ValueError, match=words):
        Request(kind=RequestKind.UPDATE, **numbers)


def test_columns_are_the_requests():
    requests = [
        Request(kind=RequestKind.UPDATE, index=3, priority=(1 << 32) - 1),
        Request(kind=RequestKind.SAMPLE, draw=ONE - 1),
        Request(kind=7),
    ]
    columns = Requests.gather(requests)
    assert len(columns) == 3 and columns.kind.tolist() == [2, 0, 7]
    assert columns.index.tolist() == [3, 0, 0] and columns.draw.tolist() == [0, ONE - 1, 0]
    assert columns.priority.tolist() == [(1 << 32) - 1, 0, 0]
    parts = [columns.part(0, 1), columns.part(1, 3), columns.part(3, 5)]
    joined = Requests.join(parts)
    assert [len(part) for part in parts] == [1, 2, 0]
    assert all((joined.columns()[name] == column).all() for name, column in columns.columns().items())
    updates = Requests.of(RequestKind.UPDATE, 2, index=np.array([4, 5]), priority=np.array([6, 7]))
    expected = Requests.gather([Request(kind=2, index=4, priority=6), Request(kind=2, index=5, priority=7)])
    for name, column in expected.columns().items():
        made = updates.columns()[name]
        assert made.dtype == column.dtype and made.tolist() == column.tolist()
    assert Answers.join([]).each() == []


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"leaves": 1}, "Leaves must be from 2 to 16777216, not 1"),
        ({"leaves": 8, "fanout": 3}, "Fanout must be 2, 4, 8, 16 or 32, not 3"),
        ({"leaves": 8, "priority_width": 33}, "Priority width must be from 1 to 32, not 33"),
        ({"leaves": 8, "priority_width": 8, "priority_fraction": 9}, "Priority fraction must be from 0 to 8, not 9"),
        ({"leaves": 8, "lanes": 5}, "Lanes must be from 1 to 4, not 5"),
    ],
)
def test_configurations_that_cannot_be_are_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        SumTreeConfig(**settings)
