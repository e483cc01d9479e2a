"""Searches by the names of backends: the RTL and C++ against each other, and differences that lockstep sees."""

import dataclasses

import numpy as np
import pytest

from rewardware.hw.soc.mcts.config import MCTSConfig
from rewardware.sw.core.environments.board_game import BoardGame
from rewardware.sw.core.lockstep import LockstepError
from rewardware.sw.device.simulation import SimulationTransport
from rewardware.sw.search.device_search import DeviceSearch
from rewardware.sw.search.host_search import HostSearch
from rewardware.sw.search.lockstep_search import LockstepSearch
from rewardware.sw.search.open_search import open_search
from rewardware.sw.search.position_evaluator import UniformEvaluator
from rewardware.sw.search.reference_search import ReferenceSearch
from rewardware.sw.search.search_config import SearchConfig

from .evaluators import HashEvaluator, found, some_states

# One simulator for all games here: as many nodes as rows, few enough that levels share nothing that they run out of.
HARDWARE = MCTSConfig(
    fanout=9, levels=4, banks=12, rows=16, nodes=70, workers=6, group=3, slots=4, flits=3, reserve=2,
    policy="puct_visits",
)  # fmt: skip
CONFIG = SearchConfig(simulations=60, workers=5, levels=4)


class Crowded(HashEvaluator):
    """Values depend on how many positions are asked for at once, as those of floating-point networks do."""

    def evaluate(self, planes, legal):
        priors, values = super().evaluate(planes, legal)
        return priors, values * np.float32(1 - len(planes) / 1024)


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four"])
def test_rtl_and_host_in_lockstep(name):
    """Levels end, games end, workers meet, and noise is mixed in."""
    game = BoardGame(name)
    states = some_states(game, 3, 5)
    noise = list(np.random.default_rng(1).dirichlet(np.full(game.actions, 0.3), len(states)))
    evaluator = Crowded()
    search = open_search("lockstep", game, evaluator, CONFIG, hardware=HARDWARE)
    try:
        results = search.search(states, noise)
        counters = search.counters()
    finally:
        search.close()
    assert all(result.visits.sum() == CONFIG.simulations for result in results)
    assert search.names == ("host", "rtl")
    assert counters["lockstep_steps"] == counters["searches"] == len(states)
    assert counters["lockstep_equal"] == counters["lockstep_compared"] == counters["positions"] + len(states)
    assert counters["selections"] == len(states) * (CONFIG.simulations + 1)
    # Either is asked for all positions, the evaluator once for each.
    assert sum(evaluator.batches) <= counters["positions"]


def test_rtl_behind_a_link_of_ones_own():
    game = BoardGame("tic-tac-toe")
    states = some_states(game, 2, 8)
    search = open_search(
        "transport", game, HashEvaluator(), CONFIG, hardware=HARDWARE, transport=SimulationTransport(HARDWARE)
    )
    with search:
        results = search.search(states, simulations=30)
    expected = ReferenceSearch(game, HashEvaluator(), CONFIG).search(states, simulations=30)
    assert list(map(found, results)) == list(map(found, expected))


@pytest.mark.parametrize("backend", ["lockstep:reference,host", "lockstep:host,reference"])
@pytest.mark.parametrize(("scheme", "workers"), [("synchronous", 5), ("local", 1), ("shared", 1)])
def test_host_in_lockstep(backend, scheme, workers):
    game, config = BoardGame("gomoku-6"), SearchConfig(simulations=90, workers=workers)
    search = open_search(backend, game, Crowded(), config, scheme=scheme)
    search.search(some_states(game, 3, 5))
    assert search.counters()["lockstep_steps"] == 3
    search.close()


def test_what_is_opened():
    game = BoardGame("tic-tac-toe")
    for backend, kind in (("reference", ReferenceSearch), ("host", HostSearch), ("lockstep:host,host", LockstepSearch)):
        search = open_search(backend, game, UniformEvaluator(), CONFIG)
        assert type(search) is kind
        search.close()


def last_legal(search, node):
    return max(np.flatnonzero(node.legal).tolist())


def one_too_many(search, tree):
    result = right_result(search, tree)
    return dataclasses.replace(result, totals=result.totals + (result.visits == result.visits.max()))


right_result = ReferenceSearch._result


@pytest.mark.parametrize(
    ("method", "wrong", "words"),
    [
        ("_choose", last_legal, "Position 0, batch 1: reference differs from host in planes"),
        ("_result", one_too_many, r"Position 0, search: reference differs from host in totals\[[0-8]\]"),
    ],
)
def test_lockstep_sees_a_difference(monkeypatch, method, wrong, words):
    monkeypatch.setattr(ReferenceSearch, method, wrong)
    game = BoardGame("tic-tac-toe")
    search = open_search("lockstep:host,reference", game, HashEvaluator(), CONFIG)
    with pytest.raises(LockstepError, match=words):
        search.search(some_states(game, 1, 0))
    search.close()


@pytest.mark.parametrize(
    ("backend", "options", "words"),
    [
        ("torch", {}, "Backend must be host, reference, rtl, lockstep, uart.*, not 'torch'"),
        ("transport", {}, "is a device behind a link of your own: give transport="),
        ("host", {"hardware": HARDWARE}, "hardware= is for a device: the backend must have one, such as rtl, not"),
        ("reference", {"scheme": "local"}, "Scheme 'local' is for the host: the backend must be host, not 'reference'"),
        ("host", {"scheme": "global"}, "Scheme must be one of synchronous, shared, local, not 'global'"),
        ("lockstep:host,reference", {"scheme": "local"}, "Scheme must be synchronous in lockstep, not local: what 5"),
        ("rtl", {"hardware": "small"}, "Policy of the tree must be puct_visits for a search with a network, not uct"),
    ],
)
def test_what_cannot_be_opened_is_refused(monkeypatch, backend, options, words):
    # The tree is looked at before a simulator is built.
    monkeypatch.setattr("rewardware.sw.search.open_search.DeviceTree", lambda *_, **__: pytest.fail("opened"))
    with pytest.raises(ValueError, match=words):
        open_search(backend, BoardGame("tic-tac-toe"), UniformEvaluator(), CONFIG, **options)


class Given:
    """A tree that tells when it is given back."""

    config = HARDWARE

    def __init__(self, closed):
        self.closed = closed

    def close(self):
        self.closed.append(True)


def test_a_device_is_given_back_when_its_search_cannot_be_opened(monkeypatch):
    closed = []
    monkeypatch.setattr("rewardware.sw.search.open_search.DeviceTree", lambda *_, **__: Given(closed))
    monkeypatch.setattr(DeviceSearch, "__init__", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        open_search("rtl", BoardGame("tic-tac-toe"), UniformEvaluator(), CONFIG)
    assert closed == [True]
