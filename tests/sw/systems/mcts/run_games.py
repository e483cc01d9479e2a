"""Tic-tac-toe by search against random moves: wins, draws and losses, and every move held against the game played out.

python -m tests.sw.systems.mcts.run_games --games 200
"""

import argparse
from collections import Counter

import numpy as np

from rewardware.sw.core.environments.make_state_environment import state_environment
from rewardware.sw.systems.mcts.planner import MCTSPlanner
from rewardware.sw.systems.mcts.planner_config import SCHEDULES, PlannerConfig

RESULTS = {1: "won", 0: "drawn", -1: "lost"}


def solve(game, state, known):
    """Value of a position for who is to move, and the actions that keep it: all of the game played out."""
    if state not in known:
        game.restore(state)
        legal = game.legal_actions()
        values = {}
        for action in (action for action in range(game.actions) if legal >> action & 1):
            game.restore(state)
            reward, ended = game.step(action)
            values[action] = reward if ended else -solve(game, game.save(), known)[0]
        best = max(values.values())
        known[state] = best, {action for action, value in values.items() if value == best}
    return known[state]


def play_games(games, config, seed=0):
    """The search moves first in every other game.

    Returns
    -------
    Counter
        Games that were ``won``, ``drawn`` and ``lost``; ``moves`` of the search, and those ``below`` the value of
        their position.
    """
    game = state_environment("tic-tac-toe")
    generator, known, counts = np.random.default_rng(seed), {}, Counter()
    with MCTSPlanner(game, config) as planner:
        for number in range(games):
            game.reset()
            ended, planned = False, number % 2
            while not ended:
                state, player = game.save(), game.player()
                if player == planned:
                    action = planner.act(state).action
                    counts["moves"] += 1
                    counts["below"] += action not in solve(game, state, known)[1]
                else:
                    legal = game.legal_actions()
                    action = int(generator.choice([action for action in range(game.actions) if legal >> action & 1]))
                game.restore(state)
                reward, ended = game.step(action)
            counts[RESULTS[int(reward) if player == planned else -int(reward)]] += 1
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=200, help="default %(default)s")
    parser.add_argument("--simulations", type=int, default=256, help="of each move (default %(default)s)")
    parser.add_argument("--workers", type=int, default=4, help="default %(default)s")
    parser.add_argument("--schedule", choices=SCHEDULES, default="synchronous", help="default %(default)s")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    search = {name: getattr(arguments, name) for name in ("simulations", "workers", "schedule", "seed")}
    counts = play_games(arguments.games, PlannerConfig(exploration=1.4, **search), arguments.seed)
    results = ", ".join(f"{counts[result]} {result}" for result in RESULTS.values())
    print(f"{arguments.games} games: {results}; {counts['moves']} moves, {counts['below']} below the known value")


if __name__ == "__main__":
    main()
