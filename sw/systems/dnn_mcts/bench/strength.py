"""How well a trained network plays against a plain search of as many simulations."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from ....core.run_folder import CHECKPOINT
from ....core.threads import limited_threads
from ....measurement.bench import comparison_library, drawn_from, make_row, say
from ...experiment_runs import summary_of, train
from .configurations import BenchConfiguration

__all__ = ["plain_search", "strength", "trained_run"]

LIMIT_HOURS = 24.0
SEED, MEGABYTES = 1, 1000
# The same as in the bench of MCTS against OpenSpiel.
OPENSPIEL_EXPLORATION = 1.0


def strength(config: BenchConfiguration, folder: Path | None = None) -> dict[str, Any]:
    """Share of games won; a run that is not there, or has not ended, is trained first.

    Parameters
    ----------
    config : BenchConfiguration
    folder : Path or None
        Folder of a run of ``rewardware train alphazero`` with any game; None: that of the configuration.

    Raises
    ------
    RuntimeError
        Training failed: what it said.
    """
    from ....algorithms.alphazero.match import wilson_interval
    from ..agent import AlphaZero

    folder = trained_run(config, folder)
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


class OpenSpielPlayer:
    """OpenSpiel's UCT in C++ with random games.

    Parameters
    ----------
    environment : OpenSpielGame
        Environment of the game.
    simulations : int
    """

    def __init__(self, environment: Any, simulations: int):
        pyspiel = comparison_library("pyspiel")
        evaluator = pyspiel.RandomRolloutEvaluator(1, drawn_from(SEED))
        self._bot = pyspiel.MCTSBot(
            environment.game, evaluator, OPENSPIEL_EXPLORATION, simulations, MEGABYTES, False, drawn_from(SEED), False
        )

    def choose(self, states: Sequence[Any]) -> list[int]:
        """Search one state after the other."""
        return [self._bot.step(state) for state in states]

    def close(self) -> None:
        """Nothing is held."""


def plain_search(config: BenchConfiguration) -> dict[str, Any]:
    """Share of points of the plain search against OpenSpiel's of as many simulations: that it is no weak opponent."""
    from ....algorithms.alphazero.alphazero_hyper_parameters import AlphaZeroHyperParameters
    from ....algorithms.alphazero.match import play_match
    from ....algorithms.alphazero.players import rollout_player
    from ....core.environments.open_spiel_game import OpenSpielGame

    about = AlphaZeroHyperParameters.from_mapping(AlphaZeroHyperParameters.suited_to(config.trained_env))
    environment = OpenSpielGame(f"openspiel:{config.trained_env.replace('-', '_')}")
    say(f"{config.match_games} games of two plain searches")
    with closing(rollout_player(environment, about.plain_search, drawn_from(SEED))) as player:
        opponent = OpenSpielPlayer(environment, about.simulations)
        match = play_match(environment, player, opponent, config.match_games, about.opening_moves, drawn_from(SEED))
    low, high = (100 * bound for bound in match.summary()["score_interval"])
    how = (
        f"{environment.name}, the plain search of row strength against pyspiel.MCTSBot (UCT, C++, c = "
        f"{OPENSPIEL_EXPLORATION:g}, a random game an evaluation), {about.simulations} simulations a move each; "
        f"{match.wins} won, {match.draws} drawn, {match.losses} lost, a draw counting half; {about.opening_moves} "
        f"random moves first, both colours; 95 % interval {low:.1f} to {high:.1f} %"
    )
    return make_row(round(100 * match.score, 1), "%", "measured", how)


def trained_run(config: BenchConfiguration, folder: Path | None) -> Path:
    """The folder of a run; that of the configuration is trained if it is not there, or has not ended."""
    if folder is None:
        folder = Path("runs") / f"dnn_mcts-strength-{config.trained_env}-{config.trained_games}"
        _train(config, folder)
    return folder


def _train(config: BenchConfiguration, folder: Path) -> None:
    summary = summary_of(folder)
    if summary is None or summary["games"] < config.trained_games:
        say(f"training in {folder}; it goes on where it was stopped")
        first = ["--env", config.trained_env, "--evaluate-every", "0", "--evaluation-episodes", "1"]
        train(folder, "alphazero", ["--games", str(config.trained_games)], first, LIMIT_HOURS)
