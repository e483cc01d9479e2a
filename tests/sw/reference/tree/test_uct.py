"""The tree against textbook search: the same visits everywhere with the same scores, nearly the same with floats."""

import math
import random
from collections import Counter

import pytest

from rewardware.hw.cores.tree.config import POLICIES, TreeConfig
from rewardware.sw.reference.tree.scores import ScoresReference
from rewardware.sw.reference.tree.search_tree import SearchTreeReference
from tests.sw.reference.tree.oracle import Game, OracleTree, by_actions

C = 1.25
# Under the root of PUCT's exploration, by the node's visits.
SPREADS = {"puct": lambda visits: math.log(max(visits, 1)), "puct_root": float, "puct_visits": lambda n: n + 1}


def exact_score(config, *, loss=0, first_value=0, prior=None):
    """The scores of the fixed-point formulas, from an oracle's counts and sums alone."""
    reference = ScoresReference(config)
    explorations = reference.explorations(round(C * 4096))
    prior = (1 << 16) // config.fanout if prior is None else prior

    def score(node, action):
        visits, in_flight = node.edge_visits[action], node.in_flight[action]
        if config.policy == "uct" and not visits and not in_flight:
            return math.inf
        value = reference.value(node.totals[action], visits) if visits else first_value
        g = explorations[node.visits]
        return value + (g * reference.factor(prior, visits) >> 16) - loss * in_flight

    return score


def float_score(config):
    """The formulas of the source, one worker."""

    def score(node, action):
        visits = node.edge_visits[action]
        mean = node.totals[action] / 4096 / visits if visits else 0.0
        if config.policy == "uct":
            return mean + C * math.sqrt(math.log(node.visits) / visits) if visits else math.inf
        return mean + C / config.fanout * math.sqrt(SPREADS[config.policy](node.visits)) / (1 + visits)

    return score


def play(config, *, seed, simulations, workers=1, score, alternate=False, **constants):
    """The same games on both: the tree and the oracle."""
    game, rng = Game(seed, config.fanout), random.Random(seed)
    _, legal, _ = game.state(())
    constants["exploration"] = round(C * 4096)
    tree = SearchTreeReference(config, alternate=alternate, **constants)
    number = tree.clear(legal=legal).node
    oracle = OracleTree(
        fanout=config.fanout, levels=config.levels, nodes=config.nodes, score=score, legal=legal, alternate=alternate
    )
    numbers, busy = {(): number}, []
    for _ in range(simulations):
        worker = next(worker for worker in range(workers) if worker not in busy)
        answer, (status, place) = tree.select(worker), oracle.select(worker)
        yield answer, status, place, numbers
        busy.append(worker)
        while len(busy) == workers or (busy and rng.random() < 0.3):
            worker = busy.pop(rng.randrange(len(busy)))
            place = oracle.selections[worker]
            _, legal, terminal = game.state(place)
            reward = game.reward(place, rng)
            tree.backup(worker, reward, legal=legal, terminal=terminal)
            oracle.backup(worker, reward, legal, terminal)
    yield tree, oracle, busy, game


def same_trees(tree, oracle):
    found = by_actions(tree)
    assert found.keys() == oracle.nodes.keys()
    for place, node in oracle.nodes.items():
        ours = found[place]
        assert (ours["visits"], bool(ours["evaluated"]), bool(ours["terminal"])) == (
            node.visits,
            node.evaluated,
            node.terminal,
        ), place
        assert ours["edges"]["visits"] == node.edge_visits, place
        assert ours["edges"]["total"] == node.totals, place
        assert ours["edges"]["in_flight"] == node.in_flight, place


CONFIGS = {
    "uct": TreeConfig(fanout=6, levels=10, banks=64, rows=64, nodes=4096, reserve=8),
    "puct": TreeConfig(fanout=5, levels=7, banks=64, rows=64, nodes=4096, reserve=8, policy="puct", group=3),
    "puct_root": TreeConfig(fanout=7, levels=7, banks=64, rows=64, nodes=4096, policy="puct_root", group=3),
    "puct_visits": TreeConfig(fanout=3, levels=7, banks=64, rows=64, nodes=4096, policy="puct_visits", group=2),
    "shared banks": TreeConfig(
        fanout=3, levels=12, banks=64, rows=64, nodes=4096, group=2, bank_assignment="next_empty"
    ),
    "full tree": TreeConfig(fanout=6, levels=10, banks=64, rows=64, nodes=300, reserve=8),
    "low tree": TreeConfig(fanout=2, levels=4, banks=64, rows=64, nodes=4096, group=2),
}


@pytest.mark.parametrize("alternate", [False, True], ids=["one player", "two players"])
@pytest.mark.parametrize("workers", [1, 11])
@pytest.mark.parametrize("name", CONFIGS)
def test_same_visits_as_the_textbook(name, workers, alternate):
    """Every answer and every count is the oracle's; 11 workers are more than children."""
    config = CONFIGS[name]
    constants = {"loss": 20000 if workers > 1 else 0, "first_value": -3000}
    score = exact_score(config, **constants)
    *answers, end = play(
        config, seed=name, simulations=1500, workers=workers, score=score, alternate=alternate, **constants
    )
    for answer, status, place, numbers in answers:
        assert (answer.status, answer.level) == (status, len(place))
        if place:
            assert (answer.parent, answer.action) == (numbers[place[:-1]], place[-1])
        if answer.status.name == "FULL":
            assert answer.node == 0
        else:
            # A node keeps its number, and no two have the same.
            assert numbers.setdefault(place, answer.node) == answer.node
            assert len(set(numbers.values())) == len(numbers)
    tree, oracle, busy, game = end
    same_trees(tree, oracle)
    for worker in list(busy):
        _, legal, terminal = game.state(oracle.selections[worker])
        tree.backup(worker, 77, legal=legal, terminal=terminal)
        oracle.backup(worker, 77, legal, terminal)
    same_trees(tree, oracle)
    # Losses that were subtracted for workers under way are returned entirely.
    assert not tree.memory().edges["in_flight"].any()


def shares(simulations, seed, fanout, select, backup):
    """Shares of the root's visits, by a search whose k-th simulation from a state always has the same reward."""
    game, counts, first = Game(seed, fanout), Counter(), Counter()
    for _ in range(simulations):
        place = select()
        counts[place] += 1
        first[place[0]] += 1
        _, legal, terminal = game.state(place)
        backup(game.reward(place, random.Random(f"{place} {counts[place]}")), legal, terminal)
    return [first[action] / simulations for action in range(fanout)]


@pytest.mark.parametrize("name", POLICIES)
def test_nearly_the_visits_of_floats(name):
    """Shares of the root's visits are within 0.01 of those of the formulas in floats."""
    config, differences = CONFIGS[name], []
    for seed in range(8):
        _, legal, _ = Game(seed, config.fanout).state(())
        oracle = OracleTree(
            fanout=config.fanout, levels=config.levels, nodes=config.nodes, score=float_score(config), legal=legal
        )
        tree = SearchTreeReference(config, exploration=round(C * 4096))
        places = {tree.clear(legal=legal).node: ()}

        def select(tree=tree, places=places):
            answer = tree.select(0)
            return places.setdefault(answer.node, (*places[answer.parent], answer.action))

        ours = shares(
            2000,
            seed,
            config.fanout,
            select,
            lambda reward, legal, terminal, tree=tree: tree.backup(0, reward, legal=legal, terminal=terminal),
        )
        theirs = shares(
            2000,
            seed,
            config.fanout,
            lambda oracle=oracle: oracle.select(0)[1],
            lambda *result, oracle=oracle: oracle.backup(0, *result),
        )
        differences += [abs(own - other) for own, other in zip(ours, theirs, strict=True)]
    assert max(differences) < 0.01
