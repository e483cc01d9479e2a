"""Learning experiments whose runs are evaluated on the way: arms, seeds, table and picture."""

import argparse
import functools
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...hw.soc.limited_command import run_all
from ...hw.soc.under_way import PROGRESS
from ...hw.soc.written_file import write_text, writing
from ..core.tables import insert_table, markdown
from .experiment_check import check, kept_results
from .experiment_record import ArmRuns, merge, read_record, refuse_others
from .experiment_runs import chosen_arms, run_folders, summary_of, train
from .experiments import EXPERIMENTS, Arm, Experiment
from .results import show

__all__ = ["add_step_arguments", "run_step_experiment"]

logger = logging.getLogger(__name__)


def add_step_arguments(parser: argparse.ArgumentParser, system: str) -> None:
    """Arguments of the experiments of a system."""
    names = tuple(name for name, experiment in EXPERIMENTS.items() if experiment.system == system)
    parser.add_argument("name", choices=names, help="experiment")
    (counted,) = {experiment.counted for experiment in EXPERIMENTS.values() if experiment.system == system}
    words = {"steps": "environment steps", "iterations": "iterations"}[counted]
    parser.add_argument(f"--{counted}", type=int, dest="length", help=f"{words} of a run (default: the experiment's)")


def run_step_experiment(
    arguments: argparse.Namespace, more_options: Callable[[Arm], list[str]] = lambda arm: []
) -> int:
    """Run what has not ended yet, and write the results; 1 if an arm did not come out as it must.

    Parameters
    ----------
    arguments
        Arguments of the command.
    more_options
        Options of `rewardware train` for an arm.
    """
    experiment = EXPERIMENTS[arguments.name]
    arms = chosen_arms(arguments.name, experiment.arms, arguments.arms)
    root, length = arguments.out / arguments.name, arguments.length or experiment.length
    kept = kept_results(arguments.docs, arguments.name)["arms"] if arguments.check else {}
    seeds = arguments.seed if arguments.seed is not None else range(experiment.seeds)
    wanted = [
        (name, seed)
        for seed in seeds
        for name in arms
        if arguments.seed is not None or seed < (experiment.arms[name].seeds or experiment.seeds)
    ]
    if not arguments.collect:
        if not arguments.check:
            record = _record(arguments)
            refuse_others(record, _recorded(experiment, record), _played(experiment, root, length), wanted)
        runs = []
        # Arms of the same runs are played once.
        for name, seed in dict.fromkeys((experiment.arms[name].runs_of or name, seed) for name, seed in wanted):
            arm, directory = experiment.arms[name], root / name / str(seed)
            more = more_options(arm)
            runs.append(functools.partial(_train, experiment, arm, seed, length, directory, more, arguments.limit))
        run_all(arguments.jobs, runs)
    if arguments.check:
        curves = {key: arm["curves"] for key, arm in kept.items()}
        played = {key: arm.runs for key, arm in _played(experiment, root, length).items()}
        return check(arguments, curves, played)
    return _report(arguments, experiment, root, length)


def _train(
    experiment: Experiment, arm: Arm, seed: int, length: int, directory: Path, more: list[str], limit: float
) -> None:
    """One run, if it has not ended yet."""
    summary = summary_of(directory)
    if summary is not None and summary[experiment.counted] >= length:
        return
    options = [f"--{experiment.counted}", str(length), *experiment.options, *more]
    config = [] if experiment.config is None else ["--config", experiment.config]
    first = ["--env", experiment.env, *config, "--seed", str(seed), *arm.options]
    summary = train(directory, experiment.system, options, first, limit)
    logger.log(PROGRESS, "%s: return %.1f", directory, summary["return"])


def _played(experiment: Experiment, root: Path, length: int) -> dict[str, ArmRuns]:
    """Runs of every arm that have come so far, each as its means of evaluations by where they were, up to there."""
    from ..core.run_folder import read_metrics

    # A record's name of where it is: "step" of steps.
    played, place = {}, experiment.counted.removesuffix("s")
    for key, arm in experiment.arms.items():
        options = [*experiment.options, *arm.options]
        settings = {"env": experiment.env, "config": experiment.config, experiment.counted: length, "options": options}
        curves, evaluated = {}, arm.evaluated or experiment.evaluated
        for directory in run_folders(root / (arm.runs_of or key)):
            records = [record for record in read_metrics(directory) if record["kind"] == "evaluation"]
            curve = [(record[place], record[evaluated]) for record in records]
            # The last step of several environments may lie a few beyond.
            end = next((index for index, (step, _) in enumerate(curve) if step >= length), None)
            if end is not None:
                curves[directory.name] = curve[: end + 1]
        played[key] = ArmRuns(settings=settings, runs=curves)
    return played


def _recorded(experiment: Experiment, record: Path) -> dict[str, ArmRuns]:
    """The runs of each arm that an earlier report had."""
    found = read_record(record)
    common = {name: found.get(name) for name in ("env", "config", experiment.counted)}
    return {
        key: ArmRuns(
            settings=common | {"options": [*found.get("options", ()), *arm.get("options", ())]}, runs=arm["curves"]
        )
        for key, arm in found.get("arms", {}).items()
    }


def _record(arguments: argparse.Namespace) -> Path:
    path: Path = arguments.docs / "learning" / f"{arguments.name}.json"
    return path


def _report(arguments: argparse.Namespace, experiment: Experiment, root: Path, length: int) -> int:
    """Results as JSON, picture and table: of the runs that ended, and what the JSON has of others; 1 if an arm did not
    come out as it must."""
    from ..core.plots import plot_curves

    name, docs, record = arguments.name, arguments.docs, _record(arguments)
    played = _played(experiment, root, length)
    if not any(arm.runs for arm in played.values()):
        raise ValueError(f"{root} holds no run that ended after {length} {experiment.counted}")
    merged = merge(record, _recorded(experiment, record), played)
    results: dict[str, dict[str, Any]] = {}
    curves, failed = {}, []
    for key, seeds in merged.items():
        arm = experiment.arms[key]
        curves[arm.name] = list(seeds.values())
        final = {seed: curve[-1][1] for seed, curve in seeds.items()}
        mean = sum(final.values()) / len(final)
        results[key] = {"name": arm.name, "options": arm.options, "final": final, "mean": mean, "curves": seeds}
        if experiment.threshold is not None and arm.solved is not None:
            results[key]["solved"] = {seed: value > experiment.threshold for seed, value in final.items()}
            if any(solved != arm.solved for solved in results[key]["solved"].values()):
                failed.append(key)
    for folder in (docs / "learning", docs / "images"):
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
    about = {"experiment": name, "env": experiment.env, "config": experiment.config}
    about |= {experiment.counted: length}
    about |= {"options": experiment.options, "threshold": experiment.threshold}
    write_text(record, json.dumps({**about, "arms": results}, indent=1) + "\n")
    picture = docs / "images" / f"learning-{name}.png"
    counts = sorted({len(seeds) for seeds in curves.values()})
    several = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
    title = f"{experiment.title or experiment.env}: mean and span of {several} seed{'s' * (counts[-1] > 1)}"
    axis = {"steps": "environment step", "iterations": "iteration"}[experiment.counted]
    plot_curves(picture, curves, title, experiment.marks, axis)
    table = _table(results)
    insert_table(docs / experiment.page, name, table)
    misses = [f"{name}, {results[key]['name']}: not every seed came out as it must" for key in failed]
    content = {**about, "arms": results, "failed": failed}
    show(arguments, content, lambda: "\n".join([table, *misses]))
    return 1 if failed else 0


def _table(results: dict) -> str:
    seeds = sorted({seed for result in results.values() for seed in result["final"]}, key=lambda seed: seed.zfill(9))
    rows = [["return", *(f"seed {seed}" for seed in seeds), "mean"]]
    for result in results.values():
        values = [f"{result['final'][seed]:.1f}" if seed in result["final"] else "" for seed in seeds]
        rows.append([result["name"], *values, f"{result['mean']:.1f}"])
    return markdown(rows)
