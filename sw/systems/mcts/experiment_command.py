"""MCTS' experiment: returns with one worker and with many, for the same number of simulations."""

import argparse
import functools
import json
import logging
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....hw.soc.limited_command import run_all
from ....hw.soc.under_way import PROGRESS
from ....hw.soc.written_file import write_text, writing
from ...core.tables import insert_table, markdown
from ..experiment_check import Curves, check, kept_results
from ..experiment_record import ArmRuns, merge, read_record, refuse_others
from ..experiment_runs import chosen_arms, run_command, run_folders
from ..results import show
from .experiments import ARMS, GAMES, SEEDS, Arm, Game

__all__ = ["add_arguments", "run"]

logger = logging.getLogger(__name__)

PAGE = "mcts-planning.md"
RESULTS = "mcts-workers"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", choices=("workers",), help="experiment")
    parser.add_argument("--steps", type=int, help="limit of steps per episode (default: that of the game)")


def run(arguments: argparse.Namespace) -> int:
    arms = chosen_arms(arguments.name, [f"{game}-{arm}" for game in GAMES for arm in ARMS], arguments.arms)
    root, record = arguments.out / arguments.name, arguments.docs / "learning" / f"{RESULTS}.json"
    kept = kept_results(arguments.docs, RESULTS) if arguments.check else {}
    if not arguments.collect:
        # Seed by seed, so that what an interrupted experiment has is a fair part of all.
        wanted = [
            (key, seed) for seed in (arguments.seed if arguments.seed is not None else range(SEEDS)) for key in arms
        ]
        if not arguments.check:
            refuse_others(record, _recorded(record), _played(root, arguments.steps), wanted)
        runs = []
        for key, seed in wanted:
            game, arm = key.split("-")
            steps, directory = arguments.steps or GAMES[game].steps, root / key / str(seed)
            runs.append(functools.partial(_play, GAMES[game], ARMS[arm], seed, steps, directory, arguments.limit))
        run_all(arguments.jobs, runs)
    played = _played(root, arguments.steps)
    if not any(arm.runs for arm in played.values()):
        raise ValueError(f"{root} holds no episode that was played to its end")
    if arguments.check:
        results = _results({key: arm.runs for key, arm in played.items()}, arguments.steps)
        return check(arguments, _curves(kept["games"]), _curves(results))
    results = _results(merge(record, _recorded(record), played), arguments.steps)
    content = {"experiment": arguments.name, "games": results}
    tables = _report(content, record, arguments.docs)
    show(arguments, content, lambda: "\n\n".join(tables) + "\n")
    return 0


def _play(game: Game, arm: Arm, seed: int, steps: int, directory: Path, limit: float) -> None:
    """One episode, if it has not ended yet."""
    if _return_of(directory, steps) is None:
        options = ["--env", game.env, "--seed", str(seed), "--max-steps", str(steps), *game.options, *arm.options]
        run_command(directory, ["plan", "mcts", "--quiet", "--out", str(directory), *options], limit)
        logger.log(PROGRESS, "%s: return %g", directory, _return_of(directory, steps))


def _return_of(directory: Path, steps: int) -> float | None:
    """The return of an episode; `None` if it was not played to its end, or to so many steps."""
    from ...core.run_folder import read_metrics

    episodes = [record for record in read_metrics(directory) if record["kind"] == "episode"]
    for episode in episodes:
        if episode["length"] == steps or (episode["ended"] and episode["length"] < steps):
            return episode["return"]
    return None


def _played(root: Path, steps: int | None) -> dict[str, ArmRuns]:
    """Returns of every arm's episodes that were played to their end."""
    played = {}
    for game_key, game in GAMES.items():
        length = steps or game.steps
        for arm_key, arm in ARMS.items():
            key, options = f"{game_key}-{arm_key}", [*game.options, *arm.options]
            returns = {path.name: _return_of(path, length) for path in run_folders(root / key)}
            ended = {seed: value for seed, value in returns.items() if value is not None}
            played[key] = ArmRuns(settings={"env": game.env, "steps": length, "options": options}, runs=ended)
    return played


def _recorded(record: Path) -> dict[str, ArmRuns]:
    """The returns of each arm that an earlier report had."""
    games = {game.name: key for key, game in GAMES.items()}
    arms = {arm.name: key for key, arm in ARMS.items()}
    return {
        f"{games[name]}-{arms[arm]}": ArmRuns(
            settings={"env": game["env"], "steps": game["steps"], "options": [*game["options"], *options]},
            runs=game["returns"][arm],
        )
        for name, game in read_record(record).get("games", {}).items()
        for arm, options in game["arms"].items()
        if name in games and arm in arms
    }


def _results(returns: Mapping[str, Mapping[str, float]], steps: int | None) -> dict[str, Any]:
    """Returns by game, arm and seed, with those of random actions, from what was played by arm and seed."""
    results: dict[str, Any] = {}
    for key, game in GAMES.items():
        length = steps or game.steps
        shown = {arm.name: returns.get(f"{key}-{arm_key}", {}) for arm_key, arm in ARMS.items()}
        shown = {name: seeds for name, seeds in shown.items() if seeds}
        if shown:
            every = sorted({int(seed) for seeds in shown.values() for seed in seeds})
            options = {arm.name: arm.options for arm in ARMS.values() if arm.name in shown}
            shown["random actions"] = {str(seed): _random_return(game.env, seed, length) for seed in every}
            about = {"env": game.env, "steps": length, "options": game.options}
            results[game.name] = {**about, "arms": options, "returns": shown}
    return results


def _curves(results: dict[str, Any]) -> Curves:
    """Returns at the length of an episode, by game and arm in one."""
    return {
        f"{name}, {arm}": {seed: [(game["steps"], value)] for seed, value in returns.items()}
        for name, game in results.items()
        for arm, returns in game["returns"].items()
    }


def _report(content: dict[str, Any], record: Path, docs: Path) -> list[str]:
    """Write results as JSON, picture and tables; the tables."""
    from .plots import plot_groups

    results = content["games"]
    for folder in ("learning", "images"):
        with writing(docs / folder):
            (docs / folder).mkdir(parents=True, exist_ok=True)
    write_text(record, json.dumps(content, indent=1) + "\n")
    shown = {f"{name}, {game['steps']} steps": game["returns"] for name, game in results.items()}
    plot_groups(docs / "images" / "mcts-workers.png", shown, "return")
    tables = []
    for game in GAMES.values():
        if game.name in results:
            table = _table(results[game.name]["returns"])
            insert_table(docs / PAGE, game.name.lower(), table)
            tables.append(f"{game.name}\n{table}")
    return tables


def _random_return(name: str, seed: int, steps: int) -> float:
    """Return of an episode of actions drawn at random, as short, from the same beginning."""
    import numpy as np

    from ...core.environments.make_state_environment import state_environment

    environment, random = state_environment(name), np.random.default_rng(seed)
    environment.reset(seed)
    total, step, ended = 0.0, 0, False
    while not ended and step < steps:
        reward, ended = environment.step(int(random.integers(environment.actions)))
        total += reward
        step += 1
    return total


def _table(arms: dict[str, dict[str, float]]) -> str:
    """Returns by seed, mean, standard deviation; and how far the mean is from the first arm's, with standard error."""
    seeds = sorted({seed for returns in arms.values() for seed in returns}, key=int)
    rows = [["return", *(f"seed {seed}" for seed in seeds), "mean", "deviation", "less the first"]]
    first: tuple[float, float] | None = None
    for name, returns in arms.items():
        mean, count, deviation, difference = statistics.fmean(returns.values()), len(returns), "", ""
        if count > 1:
            variance = statistics.variance(returns.values())
            deviation, error = f"{variance**0.5:.1f}", variance / count
            if first is not None:
                difference = f"{mean - first[0]:+.1f} ± {(error + first[1]) ** 0.5:.1f}"
            elif not rows[1:]:
                first = mean, error
        cells = [f"{returns[seed]:g}" if seed in returns else "" for seed in seeds]
        rows.append([name, *cells, f"{mean:.1f}", deviation, difference])
    return markdown(rows)
