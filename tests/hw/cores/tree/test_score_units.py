"""Values, factors, exploration and scores, against the reference by integers."""

import numpy as np
import pytest

from rewardware.hw.cores.tree.config import POLICIES, TreeConfig
from rewardware.hw.cores.tree.exploration_unit import ExplorationUnit
from rewardware.hw.cores.tree.score_unit import ScoreUnit
from rewardware.hw.cores.tree.updater import Updater
from rewardware.sim.cocotb import simulate
from rewardware.sim.harness.vectors import evaluate
from rewardware.sw.reference.tree.scores import ScoresReference

from .unit_scores import unit_scores

COUNTS = np.arange(1, 1 << 16)


def totals(visits):
    """For each count the extremes, sums that round both ways, and random ones of any magnitude."""
    random = np.random.default_rng(1)
    limit = visits << 15
    spread = (limit * random.uniform(-1, 1, len(visits)) * 2.0 ** -random.integers(0, 16, len(visits))).astype(np.int64)
    odd = np.clip(visits * random.integers(-(1 << 15), 1 << 15, len(visits)) + visits // 2, -limit, limit)
    choice = random.integers(0, 6, len(visits))
    return np.select([choice == 0, choice == 1, choice == 2, choice == 3], [-limit, limit, 0 * limit, odd], spread)


@pytest.mark.parametrize("policy", POLICIES)
def test_updater(policy):
    config = TreeConfig(policy=policy)
    reference = ScoresReference(config)
    random = np.random.default_rng(2)
    visits = np.concatenate([COUNTS] * 3)
    total = totals(visits)
    prior = np.where(random.random(len(visits)) < 0.2, 65535, random.integers(0, 65536, len(visits)))
    inputs = {"visits": visits, "total": total} | ({} if policy == "uct" else {"prior": prior})
    outputs = evaluate(Updater(config), inputs)
    arguments = zip(visits.tolist(), total.tolist(), prior.tolist(), strict=True)
    expected = [(reference.value(w, n), reference.factor(p, n)) for n, w, p in arguments]
    np.testing.assert_array_equal(np.stack([outputs["value"], outputs["factor"]], axis=1), expected)


@pytest.mark.parametrize("coefficient", [0, 1, 5793, 65535])
@pytest.mark.parametrize("policy", POLICIES)
def test_exploration_unit(policy, coefficient):
    config = TreeConfig(policy=policy)
    # With as many as there can be selections, there is no other one.
    visits = np.arange((1 << 16) - config.explores_first)
    outputs = evaluate(ExplorationUnit(config), {"visits": visits, "coefficient": np.full(len(visits), coefficient)})
    expected = ScoresReference(config).explorations(coefficient)[: len(visits)]
    np.testing.assert_array_equal(outputs["exploration"], expected)


@pytest.mark.parametrize("fanout, policy", [(5, "uct"), (3, "puct"), (2, "puct_root")])
def test_score_unit(fanout, policy):
    config = TreeConfig(fanout=fanout, group=2, policy=policy)
    random = np.random.default_rng(3)
    reference = ScoresReference(config)
    count = 400

    def some(low, high):
        return mixed_range(random, (count, fanout), low, high)

    value, factor, in_flight = some(-(1 << 19), (1 << 19) - 1), some(0, 1 << 16), some(0, 255)
    visited, legal = random.integers(0, 2, (count, fanout)), random.random((count, fanout)) < 0.8
    in_flight = np.where(random.random((count, fanout)) < 0.3, 0, in_flight)
    exploration = mixed_range(random, count, 0, (1 << config.exploration_width) - 1)
    # In every third row a product is just below a whole number, which the least of a fault reaches.
    for row in range(0, count, 3):
        child = random.integers(fanout)
        factor[row, child] = min(factor[row, child] | 1, (1 << 16) - 1)
        visited[row, child] = legal[row, child] = True
        whole = 1 << 16
        lowest = -pow(int(factor[row, child]), -1, whole) % whole
        exploration[row] = (exploration[row] >> 16 << 16) | lowest
    if policy == "uct":
        # This is the factor of an edge without visits.
        factor = np.where(visited, factor, 1 << 16)
    for loss, first_value in [(65535, -(1 << 19)), (0, (1 << 19) - 1), (777, -12345)]:
        edges = [
            [
                {"value": int(v), "factor": int(r), "visited": int(n), "in_flight": int(o), "legal": int(a)}
                for v, r, n, o, a in zip(*rows, strict=True)
            ]
            for rows in zip(value, factor, visited, in_flight, legal, strict=True)
        ]
        registers = {"loss": loss, "first_value": first_value}
        expected = [
            unit_scores(reference, row, exploration=explored, **registers)
            for row, explored in zip(edges, exploration.tolist(), strict=True)
        ]
        simulate(
            ScoreUnit(config, fanout),
            bench="tests.hw.cores.tree.bench_score_unit",
            parameters={
                "edges": edges,
                "exploration": exploration.tolist(),
                **registers,
                "expected": expected,
                "config": config,
            },
        )


def mixed_range(random, shape, low, high):
    """Random integers, a third of them at the ends of the range."""
    values = random.integers(low, high + 1, shape)
    return np.where(random.random(shape) < 1 / 3, random.choice([low, high], shape), values)
