"""Play a board game against a trained network and its search, or against a plain search."""

import argparse
import contextlib
import sys
from pathlib import Path
from typing import Any

__all__ = ["add_arguments", "run"]

# Defaults of the plain search: the number of simulations, and its c.
SIMULATIONS, EXPLORATION = 1000, 5.0
# Moves that a hint names.
HINTS = 5
HELP = """a move as {example}
hint    what the search would play, with its shares of visits
undo    take back your last move
board   show the board
quit    leave the game, as Ctrl-D"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "directory",
        type=Path,
        nargs="?",
        metavar="DIR",
        help="folder of a run of rewardware train alphazero (default: a plain search with random games plays)",
    )
    parser.add_argument("--env", help="game, e.g. connect-four, gomoku-9, openspiel:othello (default: that of the run)")
    parser.add_argument("--first", action="store_true", help="make the first move yourself (default: the search does)")
    parser.add_argument(
        "--simulations",
        type=int,
        metavar="N",
        help=f"simulations per move (default: as in the run; {SIMULATIONS} for a plain search)",
    )
    parser.add_argument("--backend", help="where the search tree is (default: as in the run, else host)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of random games (default %(default)s)")


def run(arguments: argparse.Namespace) -> None:
    from ..core.threads import limited_threads
    from ..systems.options import refuse_counts_below

    refuse_counts_below(1, arguments, "simulations")
    refuse_counts_below(0, arguments, "seed")
    with contextlib.ExitStack() as opened:
        if arguments.directory is None:
            environment, search = _plain(arguments, opened)
        else:
            environment, search, threads = _trained(arguments, opened)
            opened.enter_context(limited_threads(threads))
        _Game(environment, search, arguments.simulations or search.config.simulations).play(int(not arguments.first))


def _plain(arguments: argparse.Namespace, opened: contextlib.ExitStack) -> tuple[Any, Any]:
    """Random games in a network's place."""
    from ..core.environments.make_state_environment import board_environment
    from ..search.open_search import open_search
    from ..search.rollouts import RolloutEnvironment, RolloutEvaluator
    from ..search.search_config import SearchConfig

    if not arguments.env:
        raise ValueError("--env or the folder of a run is needed: a game, such as connect-four")
    environment = board_environment(arguments.env)
    config = SearchConfig(simulations=arguments.simulations or SIMULATIONS, workers=1, exploration=EXPLORATION)
    shown = RolloutEnvironment(environment, arguments.seed)
    search = open_search(arguments.backend or "host", shown, RolloutEvaluator(), config)
    opened.callback(search.close)
    return environment, search


def _trained(arguments: argparse.Namespace, opened: contextlib.ExitStack) -> tuple[Any, Any, int | None]:
    """The agent of a run."""
    from ..core.run_folder import CHECKPOINT
    from ..systems.agents import load_agent

    agent = opened.enter_context(load_agent(arguments.directory / CHECKPOINT, backend=arguments.backend))
    if not hasattr(agent, "search"):
        raise ValueError(f"{arguments.directory} is a run of {agent.name}, which plays no board game")
    if arguments.env not in (None, agent.environment.name):
        raise ValueError(
            f"{arguments.directory} is a run in {agent.environment.name}, not in {arguments.env}: omit --env"
        )
    return agent.environment, agent.search, agent.suited_threads


class _Game:
    """A game of a person against a search.

    Parameters
    ----------
    environment
        Environment of the game.
    search
        Plays.
    simulations
        Simulations of each of its moves.
    """

    def __init__(self, environment: Any, search: Any, simulations: int):
        from .board_view import board_view

        environment.reset(0)
        self._environment, self._search, self._simulations = environment, search, simulations
        self._view = board_view(environment)
        # States before each move of the person.
        self._before: list[Any] = []
        # Points of the person.
        self._points = 0.0

    def play(self, person: int) -> None:
        """Until the game has ended, or the person leaves it."""
        environment = self._environment
        print(f"You are {'XO'[person]}. help says what you can do.")
        ended = False
        if person:
            ended = self._answer()
        self._show()
        while not ended:
            word = self._ask()
            if word in ("quit", "exit", ""):
                print("You have left the game." if word else "\nYou have left the game.")
                return
            if word == "undo":
                self._undo()
            elif word == "hint":
                self._hint()
            elif word == "help":
                print(HELP.format(example=self._view.example))
            elif word == "board":
                self._show()
            else:
                action = self._view.action(word)
                if action is None or not environment.legal_actions() >> action & 1:
                    what = "no move here" if action is None else "not free"
                    print(f"{word!r} is {what}: a move is as {self._view.example}; help says what else there is.")
                    continue
                self._before.append((environment.save(), self._points))
                reward, ended = environment.step(action)
                self._points += reward
                ended = ended or self._answer()
                self._show()
        print("You have won." if self._points > 0 else "You have lost." if self._points < 0 else "Nobody has won.")

    def _ask(self) -> str:
        """The line that the person types, in lower case; empty at the end of the input."""
        while True:
            print("> ", end="", flush=True)
            line = sys.stdin.readline()
            if not line:
                return ""
            if word := line.strip().lower():
                return word

    def _answer(self) -> bool:
        """The search's move; whether the game has ended."""
        state = self._environment.save()
        (result,) = self._search.search([state], simulations=self._simulations)
        self._environment.restore(state)
        action = result.best_action
        share, value = 100 * result.policy[action], result.values[action]
        print(f"The search plays {self._view.name(action)}: {share:.0f} % of its visits, value {value:+.2f}")
        reward, ended = self._environment.step(action)
        self._points -= reward
        return bool(ended)

    def _undo(self) -> None:
        if not self._before:
            print("There is no move of yours to take back.")
            return
        state, self._points = self._before.pop()
        self._environment.restore(state)
        self._show()

    def _hint(self) -> None:
        state = self._environment.save()
        (result,) = self._search.search([state], simulations=self._simulations)
        self._environment.restore(state)
        for action in (-result.visits).argsort(kind="stable")[:HINTS].tolist():
            if result.visits[action]:
                share, value = 100 * result.policy[action], result.values[action]
                print(f"{self._view.name(action):8} {share:3.0f} % of the visits, value {value:+.2f}")

    def _show(self) -> None:
        print(self._view.text())
