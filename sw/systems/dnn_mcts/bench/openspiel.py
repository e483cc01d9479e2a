"""OpenSpiel's searches with the network of others: peers whose playouts a second are counted beside ours."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ....measurement.bench import comparison_library, drawn_from
from ....search.position_evaluator import PositionEvaluator

__all__ = ["OPENSPIEL_SEARCHES", "openspiel_search"]

ALGORITHMS = "open_spiel.python.algorithms"
SEED = 1


class SinglePositionModel:
    """A model as OpenSpiel asks it: one position at a time.

    Parameters
    ----------
    evaluator : PositionEvaluator
    shape : tuple of int
        Channels, rows and columns of a position.
    """

    def __init__(self, evaluator: PositionEvaluator, shape: tuple[int, int, int]):
        self._evaluator, self._shape = evaluator, shape

    def inference(self, observation: Any, legal: Any) -> tuple[float, np.ndarray]:
        """Value and policy."""
        planes = np.asarray(observation, np.float32).reshape(1, *self._shape)
        priors, values = self._evaluator.evaluate(planes, np.asarray(legal, np.bool_)[None])
        return float(values[0]), priors[0]


def _alpha_zero(game: Any, model: SinglePositionModel, workers: int, **settings: Any) -> Any:
    """The bot of `open_spiel.python.algorithms.alpha_zero`, with its evaluator and the cache of that."""
    mcts = comparison_library(f"{ALGORITHMS}.mcts")
    evaluator = comparison_library(f"{ALGORITHMS}.alpha_zero.evaluator").AlphaZeroEvaluator(game, model)
    return mcts.MCTSBot(game, evaluator=evaluator, child_selection_fn=mcts.SearchNode.puct_value, **settings)


class PriorsWithValues:
    """Evaluator for OpenSpiel's asynchronous search, which asks for one position at a time.

    Parameters
    ----------
    model : SinglePositionModel
    """

    def __init__(self, model: SinglePositionModel):
        self._model = model

    def prior_and_value(self, state: Any) -> tuple[list[tuple[int, float]], np.ndarray]:
        """Priors of legal actions, and the values that both players see."""
        value, policy = self._model.inference(state.observation_tensor(), state.legal_actions_mask())
        return [(action, policy[action]) for action in state.legal_actions()], np.array([value, -value])


def _asynchronous(game: Any, model: SinglePositionModel, workers: int, **settings: Any) -> Any:
    """The bot whose leaves are evaluated by as many threads as it selects in a batch."""
    mcts = comparison_library(f"{ALGORITHMS}.async_mcts")
    settings |= {"virtual_loss": 1, "batch_size": workers, "child_selection_fn": mcts.SearchNode.puct_value}
    return mcts.MCTSBot(game, evaluator=PriorsWithValues(model), **settings)


OPENSPIEL_SEARCHES: dict[str, Callable[..., Any]] = {"alpha_zero": _alpha_zero, "async_mcts": _asynchronous}


def openspiel_search(
    kind: str,
    game: str,
    evaluator: PositionEvaluator,
    shape: tuple[int, int, int],
    *,
    simulations: int,
    exploration: float,
    workers: int,
) -> Callable[[], Any]:
    """A search of a game's first position in a new tree at each call; nothing is remembered of the call before.

    Parameters
    ----------
    kind : str
        One of :data:`OPENSPIEL_SEARCHES`, by the module of `open_spiel.python.algorithms`.
    game : str
        By OpenSpiel's name.
    evaluator : PositionEvaluator
        Evaluator of positions as OpenSpiel's game shows them.
    shape : tuple of int
        Channels, rows and columns of a position for the evaluator.
    simulations : int
    exploration : float
        c of PUCT.
    workers : int
        Selections in a batch, where there are batches.

    Raises
    ------
    ValueError
        OpenSpiel is missing; how to install it.
    """
    loaded = comparison_library("pyspiel").load_game(game)
    model = SinglePositionModel(evaluator, shape)

    def search() -> Any:
        bot = OPENSPIEL_SEARCHES[kind](
            loaded,
            model,
            workers,
            uct_c=exploration,
            max_simulations=simulations,
            solve=False,
            random_state=np.random.RandomState(drawn_from(SEED)),
            dont_return_chance_node=True,
        )
        return bot.mcts_search(loaded.new_initial_state())

    return search
