"""Learning experiments of agents that learn step by step: arms, seeds, table and picture."""

import argparse
import functools
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...hw.soc.under_way import PROGRESS
from ...hw.soc.written_file import write_text, writing
from ..core.tables import insert_table, markdown
from .experiment_check import check, kept_results
from .experiment_runs import chosen_arms, run_all, run_folders, summary_of, train
from .experiments import EXPERIMENTS, Arm, Experiment
from .results import show

__all__ = ["add_step_arguments", "run_step_experiment"]

logger = logging.getLogger(__name__)


def add_step_arguments(parser: argparse.ArgumentParser, system: str) -> None:
    """Arguments of the experiments of a system."""
    names = tuple(name for name, experiment in EXPERIMENTS.items() if experiment.system == system)
    parser.add_argument("name", choices=names, help="experiment")
    parser.add_argument("--steps", type=int, help="environment steps of a run (default: the experiment's)")


def run_step_experiment(
    arguments: argparse.Namespace, more_options: Callable[[Arm], list[str]] = lambda arm: []
) -> int:
    """Run what has not ended yet, and write the results; 1 if an arm did not come out as it must.

    Parameters
    ----------
    arguments
        Of the command.
    more_options
        Of `rewardware train` for an arm.
    """
    experiment = EXPERIMENTS[arguments.name]
    arms = chosen_arms(arguments.name, experiment.arms, arguments.arms)
    root, steps = arguments.out / arguments.name, arguments.steps or experiment.steps
    kept = kept_results(arguments.docs, arguments.name)["arms"] if arguments.check else {}
    if not arguments.collect:
        runs = []
        for seed in arguments.seed if arguments.seed is not None else range(experiment.seeds):
            for name in arms:
                arm = experiment.arms[name]
                if arguments.seed is None and arm.seeds is not None and seed >= arm.seeds:
                    continue
                directory, more = root / name / str(seed), more_options(arm)
                runs.append(functools.partial(_train, experiment, arm, seed, steps, directory, more, arguments.limit))
        run_all(arguments.jobs, runs)
    if arguments.check:
        return check(arguments, {key: arm["curves"] for key, arm in kept.items()}, _curves(experiment, root))
    return _report(arguments, experiment, root, steps)


def _train(
    experiment: Experiment, arm: Arm, seed: int, steps: int, directory: Path, more: list[str], limit: float
) -> None:
    """One run, if it has not ended yet."""
    summary = summary_of(directory)
    if summary is not None and summary["steps"] >= steps:
        return
    options = ["--steps", str(steps), *experiment.options, *more]
    first = ["--env", experiment.env, "--config", experiment.config, "--seed", str(seed), *arm.options]
    summary = train(directory, experiment.system, options, first, limit)
    logger.log(PROGRESS, "%s: return %.1f", directory, summary["return"])


def _curves(experiment: Experiment, root: Path) -> dict[str, dict[str, list[tuple[int, float]]]]:
    """Means of evaluations by step, of the runs of each arm by seed; arms and runs without any are left out."""
    from ..core.run_folder import read_metrics

    curves: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for key in experiment.arms:
        for directory in run_folders(root / key):
            records = [record for record in read_metrics(directory) if record["kind"] == "evaluation"]
            if records:
                curves.setdefault(key, {})[directory.name] = [(record["step"], record["mean"]) for record in records]
    return curves


def _report(arguments: argparse.Namespace, experiment: Experiment, root: Path, steps: int) -> int:
    """Results as JSON, picture and table; 1 if an arm did not come out as it must."""
    from ..core.plots import plot_curves

    name, docs = arguments.name, arguments.docs
    results: dict[str, dict[str, Any]] = {}
    curves, failed = {}, []
    for key, seeds in _curves(experiment, root).items():
        arm = experiment.arms[key]
        curves[arm.name] = list(seeds.values())
        final = {seed: curve[-1][1] for seed, curve in seeds.items()}
        results[key] = {"name": arm.name, "final": final, "mean": sum(final.values()) / len(final), "curves": seeds}
        if experiment.threshold is not None and arm.solved is not None:
            results[key]["solved"] = {seed: value > experiment.threshold for seed, value in final.items()}
            if any(solved != arm.solved for solved in results[key]["solved"].values()):
                failed.append(key)
    if not results:
        raise ValueError(f"{root} holds no finished evaluation")
    for folder in (docs / "learning", docs / "images"):
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
    about = {"experiment": name, "env": experiment.env, "steps": steps, "threshold": experiment.threshold}
    write_text(docs / "learning" / f"{name}.json", json.dumps({**about, "arms": results}, indent=1) + "\n")
    picture = docs / "images" / f"learning-{name}.png"
    counts = sorted({len(seeds) for seeds in curves.values()})
    several = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
    title = f"{experiment.env}: mean and span of {several} seed{'s' * (counts[-1] > 1)}"
    plot_curves(picture, curves, title, experiment.marks)
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
