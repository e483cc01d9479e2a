"""Who plays a match: a search, random moves, or nobody who could do better."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ...core.environments.board_environment import BoardEnvironment
from ...core.environments.legal_actions import action_list
from ...search.host_search import HostSearch
from ...search.rollouts import RolloutEnvironment, RolloutEvaluator
from ...search.search_config import SearchConfig
from ...search.tree_search import TreeSearch

__all__ = ["PerfectPlayer", "Player", "RandomPlayer", "SearchPlayer", "rollout_player"]

# Positions that a perfect player keeps: those of tic-tac-toe are 5478.
MOST_POSITIONS = 1_000_000


class Player(Protocol):
    """Chooses moves, in many games at once."""

    def choose(self, states: Sequence[Any]) -> list[int]:
        """An action for each state; in none the game has ended."""
        ...

    def close(self) -> None:
        """Give back what is held."""
        ...


class SearchPlayer:
    """Plays the most visited action of a search without noise.

    Parameters
    ----------
    search
        It is closed with the player.
    """

    def __init__(self, search: TreeSearch):
        self.search = search

    def choose(self, states: Sequence[Any]) -> list[int]:
        """Search all states side by side."""
        return [result.best_action for result in self.search.search(states)]

    def close(self) -> None:
        """Close the search."""
        self.search.close()


def rollout_player(environment: BoardEnvironment, config: SearchConfig, seed: int) -> SearchPlayer:
    """Plain Monte-Carlo tree search with random games, which makes as many simulations as a search with a network.

    Parameters
    ----------
    environment
        Environment of the game.
    config
        Configuration of the search.
    seed
        Seed of the random games.
    """
    return SearchPlayer(HostSearch(RolloutEnvironment(environment, seed), RolloutEvaluator(), config))


class RandomPlayer:
    """Plays any legal action, all as likely.

    Parameters
    ----------
    environment
        Environment of the game. Its state is not kept.
    seed
        Seed of the moves.
    """

    def __init__(self, environment: BoardEnvironment, seed: int):
        self._environment, self._generator = environment, np.random.default_rng(seed)

    def choose(self, states: Sequence[Any]) -> list[int]:
        """Draw."""
        found = []
        for state in states:
            self._environment.restore(state)
            found.append(int(self._generator.choice(action_list(self._environment.legal_actions()))))
        return found

    def close(self) -> None:
        """Nothing is held."""


class PerfectPlayer:
    """Plays a best action, the first of several, by playing small games out in all ways.

    Parameters
    ----------
    environment
        Environment of the game. Its state is not kept; states can be keys of a dictionary.
    """

    def __init__(self, environment: BoardEnvironment):
        self._environment = environment
        self._known: dict[Any, tuple[float, int]] = {}

    def choose(self, states: Sequence[Any]) -> list[int]:
        """Play out.

        Raises
        ------
        ValueError
            The game has too many positions.
        """
        return [self.solve(state)[1] for state in states]

    def solve(self, state: Any) -> tuple[float, int]:
        """Sum of the rewards from a state on where both play their best, as the player has it whose turn it is; and
        the first action that leads there."""
        if state not in self._known:
            if len(self._known) >= MOST_POSITIONS:
                raise ValueError(f"{self._environment.name} has more positions than the {MOST_POSITIONS} played out")
            self._environment.restore(state)
            # The greatest value, of equal ones the first action.
            self._known[state] = max(
                ((self._value(state, action), action) for action in action_list(self._environment.legal_actions())),
                key=lambda found: (found[0], -found[1]),
            )
        return self._known[state]

    def _value(self, state: Any, action: int) -> float:
        self._environment.restore(state)
        reward, ended = self._environment.step(action)
        return reward if ended else reward - self.solve(self._environment.save())[0]

    def close(self) -> None:
        """Nothing is held."""
