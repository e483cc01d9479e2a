"""How well a trained network plays against a plain search of as many simulations."""

from pathlib import Path
from typing import Any

from ....core.run_folder import CHECKPOINT
from ....core.threads import limited_threads
from ....measurement.bench import make_row, say
from ...experiment_runs import summary_of, train
from .configurations import BenchConfiguration

__all__ = ["run_folder", "strength"]

LIMIT_HOURS = 24.0


def strength(config: BenchConfiguration, folder: Path | None = None) -> dict[str, Any]:
    """Share of games won; a run that is not there, or has not ended, is trained first.

    Parameters
    ----------
    config : BenchConfiguration
    folder : Path or None
        Of a run of ``rewardware train alphazero`` with any game; None: that of the configuration.

    Raises
    ------
    RuntimeError
        Training failed: what it said.
    """
    from ....algorithms.alphazero.match import wilson_interval
    from ..agent import AlphaZero

    if folder is None:
        folder = run_folder(config)
        _train(config, folder)
    agent = AlphaZero.load(folder / CHECKPOINT)
    try:
        say(f"{config.match_games} games against a plain search")
        with limited_threads(agent.suited_threads):
            match = agent.evaluate(config.match_games)["rollouts"]
        about, games = agent.config, agent.games
        name = agent.environment.name
    finally:
        agent.close()
    share = match.wins / match.games
    low, high = (100 * bound for bound in wilson_interval(share, match.games))
    how = (
        f"{folder}: {name}, {games} games of self-play, {about.simulations} simulations a move on both sides, those of "
        f"the other one with random games; {match.wins} won, {match.draws} drawn, {match.losses} lost; "
        f"{about.opening_moves} random moves first, both colours; 95 % interval {low:.1f} to {high:.1f} %"
    )
    return make_row(round(100 * share, 1), "%", "measured", how)


def run_folder(config: BenchConfiguration) -> Path:
    """Where the run of a configuration is."""
    return Path("runs") / f"dnn_mcts-strength-{config.trained_env}-{config.trained_games}"


def _train(config: BenchConfiguration, folder: Path) -> None:
    summary = summary_of(folder)
    if summary is None or summary["games"] < config.trained_games:
        say(f"training in {folder}; it goes on where it was stopped")
        first = ["--env", config.trained_env, "--evaluate-every", "0", "--evaluation-episodes", "1"]
        train(folder, "alphazero", ["--games", str(config.trained_games)], first, LIMIT_HOURS)
