"""The search on the tree accelerator against the one in plain Python, and what it refuses."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.sw.core.environments.board_game import BoardGame
from rewardware.sw.device.errors import DeviceError
from rewardware.sw.device.search_tree import MCTSDevice
from rewardware.sw.device.search_tree_backends import open_tree
from rewardware.sw.search.device_search import DeviceSearch
from rewardware.sw.search.position_evaluator import EvaluationError, UniformEvaluator
from rewardware.sw.search.reference_search import ReferenceSearch
from rewardware.sw.search.search_config import SearchConfig
from rewardware.sw.search.tree_of_search import roomy_tree
from rewardware.sw.search.tree_search import SearchError

from .evaluators import HashEvaluator, found, some_states


class Rewarding(BoardGame):
    """Every move brings its player something."""

    def step(self, action):
        reward, ended = super().step(action)
        return reward + (action % 5 - 2) / 8, ended


def opened(game, config, evaluator=None, **shape):
    tree = dataclasses.replace(roomy_tree(game, config), **shape)
    return DeviceSearch(game, evaluator or HashEvaluator(), config, MCTSDevice(open_tree("reference", tree)))


def same_as_the_reference(game, config, states, noise=None, **shape):
    with opened(game, config, **shape) as search:
        results = search.search(states, noise)
        # The tree has the same counts of the root's edges as the host.
        tree = search.device.backend.reference
        bank, row = divmod(tree.root, tree.config.rows)
        edges = {name: part[bank, row, : game.actions].tolist() for name, part in tree.memory().edges.items()}
        assert (results[-1].visits.tolist(), results[-1].totals.tolist()) == (edges["visits"], edges["total"])
        counters = search.counters()
    expected = ReferenceSearch(game, HashEvaluator(), config).search(states, noise)
    assert [found(result) for result in results] == [found(result) for result in expected]
    assert counters["searches"] == len(states)
    assert counters["positions"] == sum(result.evaluations for result in results)


@settings(max_examples=60)
@given(
    kind=st.sampled_from([BoardGame, Rewarding]),
    name=st.sampled_from(["tic-tac-toe", "connect-four", "gomoku-5"]),
    seed=st.integers(0, 1 << 16),
    noisy=st.booleans(),
    numbers=st.fixed_dictionaries(
        {
            "simulations": st.integers(1, 120),
            "workers": st.sampled_from([1, 2, 3, 8, 30]),
            "levels": st.sampled_from([2, 3, 5, 64]),
            "exploration": st.sampled_from([0.0, 0.7, 1.5, 16 - 2**-12]),
            "virtual_loss": st.sampled_from([0.0, 0.25, 1 - 2**-16]),
            "first_value": st.sampled_from([-8.0, -0.5, 0.0, 8 - 2**-16]),
        }
    ),
)
def test_results_are_those_of_the_reference(kind, name, seed, noisy, numbers):
    game, config = kind(name), SearchConfig(**numbers)
    states = some_states(game, 3, seed)
    drawn = np.random.default_rng(seed).dirichlet(np.full(game.actions, 0.3), len(states))
    same_as_the_reference(game, config, states, list(drawn) if noisy else None)


@pytest.mark.parametrize("levels", [2, 7, 13, 64])
@pytest.mark.parametrize("simulations", [1, 12, 100, 3000])
def test_a_roomy_tree_is_never_full(simulations, levels):
    """Not at a level either, in broad trees and in deep ones, up to a single path of a node a level."""
    game = BoardGame("connect-four")
    for evaluator, exploration in ((UniformEvaluator(), 0.0), (HashEvaluator(), 0.0), (HashEvaluator(), 8.0)):
        config = SearchConfig(simulations=simulations, workers=1, levels=levels, exploration=exploration)
        with opened(game, config, evaluator) as search:
            (result,) = search.search(some_states(game, 1, 0))
        assert result.visits.sum() == simulations


def test_largest_trees():
    game = BoardGame("connect-four")
    tree = roomy_tree(game, SearchConfig(simulations=57_343, levels=64))
    assert (tree.rows, tree.banks, tree.nodes) == (64, 1024, 57_344)
    words = "Simulations must be fewer than 57344: 57345 nodes on 64 levels do not fit into the 1024 banks and 65536"
    with pytest.raises(ValueError, match=words):
        roomy_tree(game, SearchConfig(simulations=57_344, levels=64))
    with pytest.raises(ValueError, match="Number of levels must be from 2 to 64, not 65"):
        roomy_tree(game, SearchConfig(levels=65))


def test_one_tree_has_fewer_simulations_when_asked_to():
    game, config = BoardGame("tic-tac-toe"), SearchConfig(simulations=20, workers=3)
    with opened(game, config) as search:
        (result,) = search.search(some_states(game, 1, 0), simulations=7)
        assert result.visits.sum() == 7
        assert search.search([]) == []
        with pytest.raises(ValueError, match="Simulations must be fewer than the 21 nodes of the tree, not 21"):
            search.search(some_states(game, 1, 0), simulations=21)


@pytest.mark.parametrize(
    ("name", "numbers", "shape", "words"),
    [
        ("gomoku-6", {}, {}, "must be at most 32, .* not 36 as those of gomoku-6"),
        ("gomoku-5", {}, {}, "Fanout of the tree must be at least the 25 actions of gomoku-5, not 9"),
        ("tic-tac-toe", {"workers": 6}, {}, "Number of workers must be at most the tree's 5, not 6"),
        ("tic-tac-toe", {"levels": 9}, {}, "Levels of the search must be the tree's 10, not 9"),
        ("tic-tac-toe", {}, {"policy": "puct_root"}, "Policy of the tree must be puct_visits for .*, not puct_root"),
    ],
)
def test_what_does_not_fit_is_refused(name, numbers, shape, words):
    tree = roomy_tree(BoardGame("tic-tac-toe"), SearchConfig(simulations=50, workers=5, levels=10))
    device = MCTSDevice(open_tree("reference", dataclasses.replace(tree, **shape)))
    config = SearchConfig(**{"simulations": 50, "workers": 5, "levels": 10} | numbers)
    with pytest.raises(ValueError, match=words):
        DeviceSearch(BoardGame(name), UniformEvaluator(), config, device)


def test_a_full_level_is_an_error_and_the_next_search_is_right():
    game, config = BoardGame("tic-tac-toe"), SearchConfig(simulations=60, workers=5, levels=4)
    states = some_states(game, 2, 0)
    tree = TreeConfig(
        fanout=9, group=3, levels=4, banks=4, rows=8, nodes=32, reserve=1, workers=5, policy="puct_visits"
    )
    with DeviceSearch(game, HashEvaluator(), config, MCTSDevice(open_tree("reference", tree))) as search:
        with pytest.raises(SearchError, match="The tree has no room for a node on level 2 with 17 of its 32 nodes"):
            search.search(states, simulations=31)
        expected = ReferenceSearch(game, HashEvaluator(), config).search(states, simulations=7)
        assert [found(result) for result in search.search(states, simulations=7)] == list(map(found, expected))


class Failing(HashEvaluator):
    """Fails at its third batch, once."""

    def evaluate(self, planes, legal):
        priors, values = super().evaluate(planes, legal)
        if len(self.batches) == 3:
            return priors, values + np.nan
        return priors, values


def test_an_evaluation_that_is_none_leaves_no_selection_behind():
    game, config = BoardGame("tic-tac-toe"), SearchConfig(simulations=60, workers=5)
    states = some_states(game, 1, 0)
    with opened(game, config, Failing()) as search:
        with pytest.raises(EvaluationError, match="Values of an evaluator must be finite, not nan"):
            search.search(states)
        (result,) = search.search(states)
    (expected,) = ReferenceSearch(game, HashEvaluator(), config).search(states)
    assert found(result) == found(expected)


def test_closed():
    game, config = BoardGame("tic-tac-toe"), SearchConfig(simulations=5)
    search = opened(game, config)
    search.close()
    with pytest.raises(DeviceError, match="search tree was closed"):
        search.search(some_states(game, 1, 0))
