"""The rows of the bench: what is measured is a search, and what is said of it is right."""

import json

import numpy as np
import pytest

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.core.environments.board_game import BoardGame
from rewardware.sw.mapping.tree_parallelism import BatchSearch, ParallelismChoice
from rewardware.sw.search.emulated_evaluator import EmulatedEvaluator
from rewardware.sw.systems.dnn_mcts.bench import playouts, schemes
from rewardware.sw.systems.dnn_mcts.bench.configurations import configuration_of
from rewardware.sw.systems.dnn_mcts.bench.figures import DnnMCTSBench
from rewardware.sw.systems.dnn_mcts.evaluators import evaluator_by_name
from rewardware.sw.systems.dnn_mcts.exploration import Exploration, WorkersExploration
from rewardware.sw.systems.dnn_mcts.timed_searches import local_tree, shared_tree

SMALL = configuration_of("small")
# The rows of the specification's table, in its order.
SPECIFIED = ["adaptive_speedup", "model_choice", "vsearch_gap", "playouts_vs_peer", "strength"]


def test_rows_of_the_specification():
    known = list(DnnMCTSBench().ids())
    assert [name for name in known if name in SPECIFIED] == SPECIFIED
    # Names are separated by commas.
    assert not [name for name in known if "," in name]


def found(workers, scheme, shared, local, single):
    """A possible result of an exploration; the batch of the trials is 2."""
    choice = ParallelismChoice(workers=workers, scheme=scheme, batch=2, local_batch=2, shared=1.0, local=1.0)
    timed = {shared_tree(workers): [shared], local_tree(workers, 2): [local], local_tree(workers, 1): [single]}
    return WorkersExploration(
        workers=workers, paper=choice, machine=choice, trials=BatchSearch(batch=2, tried={1: 2.0, 2: 1.0}), timed=timed
    )


@pytest.fixture
def explorations(monkeypatch):
    """The choice is right, right but for noise, right, and wrong."""
    by_evaluator = {
        SMALL.evaluators[0]: [found(4, "local", 3e-4, 1e-4, 2e-4), found(8, "local", 1.00e-4, 1.04e-4, 2.6e-4)],
        SMALL.evaluators[1]: [found(4, "shared", 1e-4, 2e-4, 4e-4), found(8, "shared", 2e-4, 1e-4, 4e-4)],
    }
    monkeypatch.setattr(
        schemes, "explored", lambda config, name: Exploration(profile=None, by_workers=by_evaluator[name])
    )


def test_speedup_is_over_the_worse_fixed_scheme(explorations):
    row = schemes.adaptive_speedup(SMALL, SMALL.evaluators[0])
    assert row["value"] == pytest.approx((3 + 2.5) / 2)
    assert "N = 4: 3.00 (local, B = 2, 100 us a playout; over shared 3.00, local, B = 1 2.00)" in row["how"]


def test_choices_within_the_noise_are_right(explorations):
    row = schemes.model_choice(SMALL)
    assert row["value"] == 75
    assert "3 of 4 choices take at most 5 % longer than the other scheme (2 no longer at all), 2 of them" in row["how"]
    assert f"wrong: {SMALL.evaluators[1]}, N = 8: shared takes 2.00 of the other" in row["how"]


def test_gap_is_measured_again(explorations, monkeypatch):
    """Batch 3 seemed the best of all; compared with it the batch found takes 1.25 times as long."""
    seconds = {1: [5.0], 2: [3.0, 2.5, 5.0], 3: [1.0, 2.0, 4.0]}

    class Searches:
        def seconds(self, setting):
            return seconds[setting.batch].pop(0)

    class Opened:
        def __enter__(self):
            return Searches()

        def __exit__(self, *_):
            pass

    monkeypatch.setattr(schemes, "opened", lambda *_: Opened())
    gap, told = schemes._gap(SMALL, SMALL.evaluators[0])
    assert gap == 1.25
    assert told == "1.250, B = 2 by 2 trials, 3 the best of 3"


def test_playouts_are_over_the_fastest_peer(explorations, monkeypatch):
    times = {name: [1e-3] for name in playouts.PEERS} | {playouts.MCTX: [4e-4], "adaptive": [1e-4]}
    monkeypatch.setattr(playouts, "_measured", lambda config: times)
    monkeypatch.setattr(playouts, "explored", schemes.explored)
    row = playouts.playouts_against_peers(SMALL)
    assert row["value"] == 4
    assert "10000 playouts/s; over the fastest of " in row["how"] and "one tree 2500/s" in row["how"]
    assert playouts.playouts_per_second(SMALL, playouts.MCTX)["value"] == 2500


def test_no_such_configuration(capsys):
    assert dispatch(["bench", "dnn_mcts", "--config", "huge"]) == 2
    assert "Configuration must be one of paper, small, not 'huge'" in capsys.readouterr().err


# The searches of other projects follow.


@pytest.mark.parametrize("kind", ["alpha_zero", "async_mcts"])
def test_openspiel_s_search_makes_its_playouts(kind):
    from rewardware.sw.systems.dnn_mcts.bench.openspiel import openspiel_search

    asked = []

    class Counted(EmulatedEvaluator):
        def evaluate(self, planes, legal):
            asked.append((planes.shape, int(legal.sum())))
            return super().evaluate(planes, legal)

    settings = {"simulations": 30, "exploration": 1.5, "workers": 4}
    search = openspiel_search(kind, SMALL.peer_game, Counted(0, 0), (3, 5, 5), **settings)
    for _ in range(2):
        asked.clear()
        assert search().explore_count == 30
        # Nothing is remembered of the search before.
        assert {shape for shape, _ in asked} == {(1, 3, 5, 5)} and asked[0][1] == 25
        assert 25 <= len(asked) <= 31


def test_mctx_has_the_same_network_and_the_rules():
    from rewardware.sw.systems.dnn_mcts.bench.mctx_search import _inference, _lines, mctx_search

    game = BoardGame("gomoku-5")
    evaluator = evaluator_by_name("torch", game)
    planes = np.random.default_rng(0).integers(2, size=(3, 3, 5, 5)).astype(np.float32)
    scores, values = _inference(evaluator.module)(planes)
    priors, expected = evaluator.evaluate(planes, np.ones((3, 25), np.bool_))
    np.testing.assert_allclose(np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True), priors, atol=1e-6)
    np.testing.assert_allclose(values, expected, atol=1e-6)
    # Rows, columns and two diagonals.
    assert _lines(5).shape == (25, 12) and (_lines(5).sum(axis=0) == 5).all()
    assert _lines(15).shape == (225, 2 * 15 * 11 + 2 * 11 * 11)
    weights = np.asarray(mctx_search(evaluator.module, 5, simulations=12, exploration=1.5, trees=2)())
    assert weights.shape == (2, 25)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(weights[0], weights[1])


def test_small_bench(capsys):
    """Every row of the schemes, and playouts beside all peers, measured once; no figure is judged."""
    only = "adaptive_speedup,adaptive_speedup_emulated_50_10,model_choice,vsearch_gap,playouts_vs_peer"
    assert dispatch(["bench", "dnn_mcts", "--config", "small", "--json", "--only", only]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["id"] for row in rows] == only.split(",")
    assert all(row["value"] > 0 and row["kind"] == "measured" and SMALL.env in row["how"] for row in rows)
