"""The search in plain Python against OpenSpiel's, and what it says of positions."""

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import mcts

from rewardware.sw.core.environments.board_game import BoardGame
from rewardware.sw.search.position_evaluator import EvaluationError, UniformEvaluator
from rewardware.sw.search.reference_search import ReferenceSearch
from rewardware.sw.search.search_config import SearchConfig
from rewardware.sw.search.tree_search import SearchError

from .evaluators import HashEvaluator, some_states

# Their names there. Actions have the same numbers.
GAMES = {"tic-tac-toe": "tic_tac_toe", "connect-four": "connect_four"}


class OpenSpielEvaluator(mcts.Evaluator):
    """Ours for OpenSpiel: it looks at the position that the moves of a state lead to."""

    def __init__(self, game, own):
        self.game, self.own = game, own

    def _look(self, state):
        self.game.reset(0)
        for action in state.history():
            self.game.step(action)
        bits = self.game.legal_actions()
        legal = np.array([[bool(bits >> action & 1) for action in range(self.game.actions)]])
        priors, values = self.own.evaluate(self.game.observation()[None], legal)
        priors = np.where(legal, priors, 0)[0]
        return priors / priors.sum(), float(values[0])

    def evaluate(self, state):
        _, value = self._look(state)
        return np.array([value, -value]) * (1 if state.current_player() == 0 else -1)

    def prior(self, state):
        priors, _ = self._look(state)
        return [(action, priors[action]) for action in state.legal_actions()]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("moves", [0, 2])
def test_visits_are_those_of_openspiel(name, moves):
    """Real numbers there, integers here: of so few simulations from so early positions no two scores are close enough
    for another order, nor equal, which OpenSpiel decides at random."""
    simulations, exploration = 120, 1.5
    game, generator = BoardGame(name), np.random.default_rng(moves)
    state = pyspiel.load_game(GAMES[name]).new_initial_state()
    for _ in range(moves):
        state.apply_action(int(generator.choice(state.legal_actions())))
    bot = mcts.MCTSBot(
        state.get_game(),
        exploration,
        # There, the first simulation is the evaluation of the root.
        simulations + 1,
        OpenSpielEvaluator(BoardGame(name), HashEvaluator(0.9)),
        solve=False,
        random_state=np.random.RandomState(1),
        child_selection_fn=mcts.SearchNode.puct_value,
    )
    root = bot.mcts_search(state)
    theirs = np.zeros(game.actions, np.int64)
    totals = np.zeros(game.actions)
    for child in root.children:
        theirs[child.action], totals[child.action] = child.explore_count, child.total_reward
    for action in state.history():
        game.step(action)
    config = SearchConfig(simulations=simulations, workers=1, exploration=exploration)
    (ours,) = ReferenceSearch(game, HashEvaluator(0.9), config).search([game.save()])
    assert ours.visits.tolist() == theirs.tolist()
    # A reward is rounded by at most half of 2**-12.
    assert np.abs(ours.totals / 4096 - totals).max() <= theirs.max() / 8192


def test_a_win_is_found():
    game = BoardGame("tic-tac-toe")
    game.restore((0b000000011, 0b000011000))
    config = SearchConfig(simulations=200, workers=2)
    (result,) = ReferenceSearch(game, UniformEvaluator(), config).search([game.save()])
    assert result.best_action == 2
    assert result.values[2] == 1.0
    assert result.visits.sum() == 200
    assert result.policy.sum() == pytest.approx(1)


def test_noise_is_mixed_into_legal_priors_of_the_root():
    game = BoardGame("tic-tac-toe")
    game.step(4)
    noise = np.zeros(9)
    noise[0] = 1
    config = SearchConfig(simulations=1, workers=1, noise_fraction=0.5)
    (result,) = ReferenceSearch(game, UniformEvaluator(), config).search([game.save()], [noise])
    assert result.priors.tolist() == [36864, 4096, 4096, 4096, 0, 4096, 4096, 4096, 4096]


def test_roots_are_one_batch_and_then_rounds():
    game, evaluator = BoardGame("gomoku-6"), HashEvaluator()
    search = ReferenceSearch(game, evaluator, SearchConfig(simulations=10, workers=4))
    results = search.search(some_states(game, 3, 1))
    assert evaluator.batches == [3, 12, 12, 6]
    assert [result.evaluations for result in results] == [11, 11, 11]
    assert search.counters() == {"searches": 3, "batches": 4, "positions": 33}


class Wrong(UniformEvaluator):
    def __init__(self, priors=None, values=None):
        self.priors, self.values = priors, values

    def evaluate(self, planes, legal):
        priors, values = super().evaluate(planes, legal)
        return priors if self.priors is None else self.priors, values if self.values is None else self.values


@pytest.mark.parametrize(
    ("evaluator", "text"),
    [
        (Wrong(priors=np.ones((1, 8), np.float32)), r"Priors .* of shape \(1, 9\), not \(1, 8\)"),
        (Wrong(priors=[[1] * 9]), r"Priors .* not list"),
        (Wrong(priors=np.full((1, 9), -1.0)), "at least 0 and finite, not -1 for action 0"),
        (Wrong(priors=np.full((1, 9), np.nan)), "not nan for action 0"),
        (Wrong(priors=np.zeros((1, 9))), "must not be 0 for all legal actions"),
        (Wrong(values=np.array([np.inf])), "finite, not inf"),
        (Wrong(values=np.zeros((1, 1))), r"Values .* of shape \(1,\)"),
    ],
)
def test_no_evaluation(evaluator, text):
    game = BoardGame("tic-tac-toe")
    with pytest.raises(EvaluationError, match=text):
        ReferenceSearch(game, evaluator, SearchConfig(simulations=2, workers=1)).search([game.save()])


def test_an_evaluator_that_fails():
    class Fails(UniformEvaluator):
        def evaluate(self, planes, legal):
            raise OSError("gone")

    game = BoardGame("tic-tac-toe")
    with pytest.raises(SearchError, match="failed with OSError: gone"):
        ReferenceSearch(game, Fails(), SearchConfig()).search([game.save()])


def test_positions_that_cannot_be_searched():
    game = BoardGame("tic-tac-toe")
    search = ReferenceSearch(game, UniformEvaluator(), SearchConfig(simulations=2))
    full = (0b101101010, 0b010010101)
    with pytest.raises(ValueError, match="Position 1 has no legal action: its game of tic-tac-toe has ended"):
        search.search([(0, 0), full])
    with pytest.raises(ValueError, match="Simulations must be from 1 to 65534, not 0"):
        search.search([(0, 0)], simulations=0)
    with pytest.raises(ValueError, match="as much noise as there are positions, 1, not 2"):
        search.search([(0, 0)], [np.ones(9)] * 2)
    assert search.search([]) == []


def test_a_value_out_of_range():
    game = BoardGame("tic-tac-toe")
    with pytest.raises(ValueError, match=r"Reward must be in \[-8, 8\), not"):
        ReferenceSearch(game, HashEvaluator(100.0), SearchConfig(simulations=20)).search([game.save()])
