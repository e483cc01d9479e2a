"""How often a trained network's search plays a move of connect-four that perfect play allows."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from ....core.environments.legal_actions import action_list
from ....core.run_folder import CHECKPOINT
from ....core.threads import limited_threads
from ....measurement.bench import drawn_from, make_row, say
from .configurations import BenchConfiguration
from .strength import trained_run

__all__ = ["GAME", "critical_positions", "perfect_moves"]

SEED = 1
# With fewer stones the solver takes seconds a position.
LEAST_STONES, MOST_STONES = 14, 28
GAME = "connect-four"


def perfect_moves(config: BenchConfiguration, folder: Path | None = None) -> dict[str, Any]:
    """Share of positions in which the move is a best one, of those in which not every move is.

    Parameters
    ----------
    config : BenchConfiguration
    folder : Path or None
        As of :func:`.strength.strength`.

    Raises
    ------
    ValueError
        The run is one of another game.
    """
    from ....algorithms.alphazero.match import wilson_interval
    from ....algorithms.alphazero.players import SearchPlayer, rollout_player
    from ....measurement.connect_four_solver import ConnectFourSolver
    from ..agent import AlphaZero

    folder = trained_run(config, folder)
    with closing(AlphaZero.load(folder / CHECKPOINT)) as agent:
        if agent.environment.name != GAME:
            raise ValueError(f"Perfect moves are known of {GAME}, not of {agent.environment.name} as in {folder}")
        solver, count = ConnectFourSolver(), config.match_games
        say(f"{count} positions of {GAME}")
        positions = critical_positions(agent.environment, solver, count, drawn_from(SEED))
        with (
            limited_threads(agent.suited_threads),
            closing(rollout_player(agent.environment, agent.config.plain_search, drawn_from(SEED))) as plain,
        ):
            found = [
                sum(move in solver.best_actions(state) for move, state in zip(moves, positions, strict=True)) / count
                for moves in (SearchPlayer(agent.search).choose(positions), plain.choose(positions))
            ]
        about, games = agent.config, agent.games
    low, high = (100 * bound for bound in wilson_interval(found[0], count))
    how = (
        f"{folder}: {games} games of self-play; {count} positions of random games with {LEAST_STONES} to {MOST_STONES} "
        f"stones, in which some moves win, or do not lose, and others do not; {about.simulations} simulations a move; "
        f"95 % interval {low:.1f} to {high:.1f} %; plain search with as many: {100 * found[1]:.1f} %"
    )
    return make_row(round(100 * found[0], 1), "%", "measured", how)


def critical_positions(environment: Any, solver: Any, count: int, seed: int) -> Sequence[Any]:
    """Positions of random games in which not all moves are best ones, no two the same.

    Parameters
    ----------
    environment : BoardGame
        Connect-four. Its state is not kept.
    solver : ConnectFourSolver
    count : int
    seed : int
    """
    generator, found = np.random.default_rng(seed), dict[Any, None]()
    while len(found) < count:
        environment.reset(0)
        for _ in range(int(generator.integers(LEAST_STONES, MOST_STONES + 1))):
            _, ended = environment.step(int(generator.choice(action_list(environment.legal_actions()))))
            if ended:
                break
        else:
            state = environment.save()
            if len(solver.best_actions(state)) < environment.legal_actions().bit_count():
                found[state] = None
    return list(found)
