"""FIXAR's learning experiments: Pendulum and HalfCheetah."""

import argparse
import functools
import json
from pathlib import Path

from ..agents.experiments import EXPERIMENTS, Arm, Experiment
from .experiment_runs import chosen_arms, insert_table, run_all, run_folders, summary_of, train

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", choices=tuple(EXPERIMENTS), help="experiment")
    parser.add_argument("--steps", type=int, help="environment steps of a run (default: the experiment's)")
    parser.add_argument("--array", choices=("numpy", "cupy"), help="what the reference computes with")


def run(arguments: argparse.Namespace) -> int:
    experiment = EXPERIMENTS[arguments.name]
    arms = chosen_arms(arguments.name, experiment.arms, arguments.arms)
    seeds = arguments.seed if arguments.seed is not None else list(range(experiment.seeds))
    steps = arguments.steps or experiment.steps
    root = arguments.out / arguments.name
    if not arguments.collect:
        runs = [
            functools.partial(
                _train, experiment, experiment.arms[arm], seed, steps, root / arm / str(seed), arguments.array
            )
            for seed in seeds
            for arm in arms
        ]
        run_all(arguments.jobs, runs)
    return _report(arguments.name, experiment, root, arguments.docs, steps)


def _train(experiment: Experiment, arm: Arm, seed: int, steps: int, directory: Path, array: str | None) -> None:
    """One run, if it has not ended yet."""
    summary = summary_of(directory)
    if summary is not None and summary["steps"] >= steps:
        return
    options = ["--steps", str(steps), *experiment.options]
    if array and "torch" not in arm.options:
        options += ["--array", array]
    first = ["--env", experiment.env, "--config", experiment.config, "--seed", str(seed), *arm.options]
    summary = train(directory, "fixar", options, first)
    print(f"{directory}: return {summary['return']:.1f}", flush=True)


def _report(name: str, experiment: Experiment, root: Path, docs: Path, steps: int) -> int:
    """Results as JSON, picture and table; 1 if an arm did not come out as it must."""
    from ..agents.plots import plot_curves
    from ..agents.run_folder import read_metrics

    results, curves, failed = {}, {}, []
    for key, arm in experiment.arms.items():
        seeds = {}
        for directory in run_folders(root / key):
            records = read_metrics(directory)
            curve = [(record["step"], record["mean"]) for record in records if record["kind"] == "evaluation"]
            if curve:
                seeds[directory.name] = curve
        if not seeds:
            continue
        curves[arm.name] = list(seeds.values())
        final = {seed: curve[-1][1] for seed, curve in seeds.items()}
        results[key] = {"name": arm.name, "final": final, "mean": sum(final.values()) / len(final), "curves": seeds}
        if experiment.threshold is not None and arm.solved is not None:
            results[key]["solved"] = {seed: value > experiment.threshold for seed, value in final.items()}
            if any(solved != arm.solved for solved in results[key]["solved"].values()):
                failed.append(key)
    if not results:
        raise ValueError(f"{root} holds no finished evaluation")
    (docs / "learning").mkdir(parents=True, exist_ok=True)
    (docs / "images").mkdir(parents=True, exist_ok=True)
    about = {"experiment": name, "env": experiment.env, "steps": steps, "threshold": experiment.threshold}
    (docs / "learning" / f"{name}.json").write_text(json.dumps({**about, "arms": results}, indent=1) + "\n")
    picture = docs / "images" / f"learning-{name}.png"
    title = f"{experiment.env}: mean and span of {max(map(len, curves.values()))} seeds"
    plot_curves(picture, curves, title, {"quantisation": experiment.quantization_delay})
    table = "\n".join(_table(results))
    insert_table(docs / "learning.md", name, table)
    print(table)
    for key in failed:
        print(f"{name}, {results[key]['name']}: not every seed came out as it must")
    return 1 if failed else 0


def _table(results: dict) -> list[str]:
    seeds = sorted({seed for result in results.values() for seed in result["final"]}, key=lambda seed: seed.zfill(9))
    lines = [f"| | {' | '.join(f'seed {seed}' for seed in seeds)} | mean |", "| --- |" + " ---: |" * (len(seeds) + 1)]
    for result in results.values():
        values = [f"{result['final'][seed]:.1f}" if seed in result["final"] else "" for seed in seeds]
        lines.append(f"| {result['name']} | {' | '.join(values)} | {result['mean']:.1f} |")
    return lines
