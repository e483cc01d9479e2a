"""Games of a search against itself, many side by side, and the positions that are learned from."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.environments.board_environment import BoardEnvironment
from ...core.environments.legal_actions import action_list
from ...search.search_result import SearchResult
from ...search.search_roots import observed
from ...search.tree_search import TreeSearch
from .alphazero_hyper_parameters import AlphaZeroHyperParameters
from .position_buffer import Positions

__all__ = ["FinishedGame", "SelfPlay"]

# Games and batches have random numbers of their own.
GAMES = 1


@dataclass(frozen=True, kw_only=True, eq=False)
class FinishedGame:
    """A game that was played to its end.

    Parameters
    ----------
    number
        Number of the game.
    length
        Its moves.
    outcome
        Sum of the rewards, as the player had them who began.
    positions
        Before each move.
    """

    number: int
    length: int
    outcome: float
    positions: Positions


@dataclass
class _Game:
    """A game under way: all there is to go on from."""

    number: int
    moves: list[int] = field(default_factory=list)
    visits: list[NDArray[np.uint16]] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    state: Any = None


class SelfPlay:
    """Plays games in so many slots; where one ends, the next begins.

    Every move is searched with Dirichlet noise on the priors of the root. The first ``temperature_moves`` of a game are
    drawn by their shares of visits, later ones are the most visited. Random numbers are a function of the
    seed, the number of the game and the move, so that no generator has to be kept.

    Parameters
    ----------
    environment
        Environment of the game. Its state is not kept.
    search
        Chooses; it stays open.
    config
        Hyper-parameters.
    stream
        Part of the seed: no two who play for the same learner have the same one.

    Members
    -------
    moves
        Made so far.
    """

    def __init__(
        self,
        environment: BoardEnvironment,
        search: TreeSearch,
        config: AlphaZeroHyperParameters,
        stream: int = 0,
    ):
        self._environment, self._search, self._config, self._stream = environment, search, config, stream
        self._begun = self.moves = 0
        self._games = [self._begin() for _ in range(config.parallel_games)]

    def _begin(self) -> _Game:
        self._environment.reset(0)
        self._begun += 1
        return _Game(self._begun - 1, state=self._environment.save())

    def round(self) -> list[FinishedGame]:
        """A move in every game; the games that ended with it, in the order of the slots."""
        generators = [self._generator(game) for game in self._games]
        noise = [self._noise(game, generator) for game, generator in zip(self._games, generators, strict=True)]
        results = self._search.search([game.state for game in self._games], noise)
        finished = []
        for slot, (game, generator, result) in enumerate(zip(self._games, generators, results, strict=True)):
            if self._move(game, self._choose(game, result, generator), result):
                finished.append(self._finished(game))
                self._games[slot] = self._begin()
        self.moves += len(results)
        return finished

    def _generator(self, game: _Game) -> np.random.Generator:
        place = GAMES, self._stream, game.number, len(game.moves)
        return np.random.default_rng(np.random.SeedSequence(self._config.seed, spawn_key=place))

    def _noise(self, game: _Game, generator: np.random.Generator) -> NDArray[np.float64]:
        """Noise for the legal actions; 0 elsewhere."""
        self._environment.restore(game.state)
        legal = action_list(self._environment.legal_actions())
        noise = np.zeros(self._environment.actions)
        noise[legal] = generator.dirichlet(np.full(len(legal), self._config.noise_alpha))
        return noise

    def _choose(self, game: _Game, result: SearchResult, generator: np.random.Generator) -> int:
        if len(game.moves) < self._config.temperature_moves:
            return int(generator.choice(len(result.visits), p=result.policy))
        return result.best_action

    def _move(self, game: _Game, action: int, result: SearchResult) -> bool:
        """Make a move; whether the game has ended."""
        self._environment.restore(game.state)
        reward, ended = self._environment.step(action)
        game.moves.append(action)
        game.visits.append(result.visits.astype(np.uint16))
        game.rewards.append(reward)
        game.state = self._environment.save()
        return ended

    def _finished(self, game: _Game) -> FinishedGame:
        """The positions of a game, seen once more."""
        self._environment.reset(0)
        states = []
        for action in game.moves:
            states.append(self._environment.save())
            self._environment.step(action)
        planes, legal = observed(self._environment, states)
        outcomes = _outcomes(game.rewards)
        if np.abs(outcomes).max() > 1:
            raise ValueError(
                f"Rewards of {self._environment.name} must sum to at most 1 on either side, as the value of the "
                f"network is in [-1, 1], not to {outcomes[np.abs(outcomes).argmax()]:g}"
            )
        positions = Positions(planes=planes, legal=legal, visits=np.stack(game.visits), outcomes=outcomes)
        return FinishedGame(number=game.number, length=len(states), outcome=float(outcomes[0]), positions=positions)

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Arrays and plain numbers of a checkpoint: the games under way as their moves, with the visits of each."""
        actions = self._environment.actions
        visits = [row for game in self._games for row in game.visits]
        arrays = {"visits": np.array(visits, np.uint16).reshape(len(visits), actions)}
        games = [[game.number, game.moves] for game in self._games]
        return arrays, {"begun": self._begun, "moves": self.moves, "games": games}

    def restore(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Takes back what `state` gave."""
        self._begun, self.moves = rest["begun"], rest["moves"]
        rows = iter(arrays["visits"])
        self._games = [self._replayed(number, moves, rows) for number, moves in rest["games"]]

    def _replayed(self, number: int, moves: Sequence[int], visits: Any) -> _Game:
        self._environment.reset(0)
        rewards = [self._environment.step(action)[0] for action in moves]
        own = [next(visits) for _ in moves]
        return _Game(number, list(moves), own, rewards, self._environment.save())

    def close(self) -> None:
        """Nothing is held: the search is somebody else's."""


def _outcomes(rewards: Sequence[float]) -> NDArray[np.float32]:
    """The sum of the rewards from each position on, as the player had them whose turn it was."""
    found, after = [], 0.0
    for reward in reversed(rewards):
        after = reward - after
        found.append(after)
    return np.array(found[::-1], np.float32)
