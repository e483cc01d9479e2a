"""LearningGroup's learning experiment: IC3Net over groups, agents, and ways to be sparse."""

import argparse
import functools
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....hw.soc.limited_command import run_all
from ....hw.soc.under_way import PROGRESS
from ....hw.soc.written_file import write_text, writing
from ...core.tables import insert_table, markdown
from ..experiment_check import Curves, check, kept_results
from ..experiment_record import ArmRuns, merge, read_record, refuse_others
from ..experiment_runs import chosen_arms, run_folders, summary_of, train
from ..results import show
from .experiments import ITERATIONS, SWEEP, TABLES, Arm

__all__ = ["add_arguments", "run"]

logger = logging.getLogger(__name__)

PAGE = "learninggroup-learning.md"
RESULTS = "learninggroup"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", choices=("sweep",), help="experiment")
    parser.add_argument(
        "--iterations", type=int, default=ITERATIONS, help="updates of a run (default %(default)s, the paper's)"
    )


def run(arguments: argparse.Namespace) -> int:
    arms = chosen_arms(arguments.name, SWEEP, arguments.arms)
    root = arguments.out / arguments.name
    kept = kept_results(arguments.docs, RESULTS)["arms"] if arguments.check else {}
    if not arguments.collect:
        # Seed by seed, so that what an interrupted sweep has is a fair part of all.
        seeds = arguments.seed if arguments.seed is not None else range(max(SWEEP[arm].seeds for arm in arms))
        wanted = [
            (arm, seed) for seed in seeds for arm in arms if arguments.seed is not None or seed < SWEEP[arm].seeds
        ]
        if not arguments.check:
            record = _record(arguments.docs)
            refuse_others(record, _recorded(record), _played(root, arguments.iterations), wanted)
        runs = [
            functools.partial(_train, SWEEP[arm], seed, arguments.iterations, root / arm / str(seed), arguments.limit)
            for arm, seed in wanted
        ]
        run_all(arguments.jobs, runs)
    if arguments.check:
        before = _curves({key: arm["seeds"] for key, arm in kept.items()})
        played = _played(root, arguments.iterations)
        return check(arguments, before, _curves({key: arm.runs for key, arm in played.items()}))
    content, tables = _report(root, arguments.docs, arguments.iterations)
    show(arguments, content, lambda: "\n\n".join(tables) + "\n")
    return 0


def _train(arm: Arm, seed: int, iterations: int, directory: Path, limit: float) -> None:
    """One run, if it has not ended yet."""
    summary = summary_of(directory)
    if summary is not None and summary["iterations"] >= iterations:
        return
    options, first = ["--iterations", str(iterations)], ["--seed", str(seed), *arm.options]
    summary = train(directory, "learninggroup", options, first, limit)
    logger.log(PROGRESS, "%s: success %.1f %%", directory, 100 * summary["success"])


def _played(root: Path, iterations: int) -> dict[str, ArmRuns]:
    """Runs of every arm that ended after so many iterations."""
    from ...core.run_folder import read_metrics
    from .report import smoothed

    played = {}
    for key, arm in SWEEP.items():
        seeds = {}
        for directory in run_folders(root / key):
            summary = summary_of(directory)
            if summary is not None and summary["iterations"] == iterations:
                curve = [(step, round(share, 5)) for step, share in smoothed(read_metrics(directory), "success")]
                outcome = {name: summary[name] for name in ("success", "arrived", "sparsity")}
                seeds[directory.name] = {**outcome, "curve": curve}
        played[key] = ArmRuns(settings={"iterations": iterations, "options": list(arm.options)}, runs=seeds)
    return played


def _curves(runs: Mapping[str, Mapping[str, Any]]) -> Curves:
    return {key: {seed: run["curve"] for seed, run in seeds.items()} for key, seeds in runs.items()}


def _report(root: Path, docs: Path, iterations: int) -> tuple[dict[str, Any], list[str]]:
    """Results as JSON, pictures and tables: of the runs that ended, and what the JSON has of others; the first and
    the last of these."""
    from ...core.plots import plot_shares
    from .report import WINDOW

    record, results, played = _record(docs), {}, _played(root, iterations)
    if not any(arm.runs for arm in played.values()):
        raise ValueError(f"{root} holds no run that ended after {iterations} iterations")
    merged = merge(record, _recorded(record), played)
    for key, seeds in merged.items():
        mean = sum(run["success"] for run in seeds.values()) / len(seeds)
        results[key] = {"name": SWEEP[key].name, "options": SWEEP[key].options, "mean": mean, "seeds": seeds}
    for folder in (record.parent, docs / "images"):
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
    about = {"experiment": "sweep", "iterations": iterations, "window": WINDOW}
    content, tables = {**about, "arms": results}, []
    write_text(record, json.dumps(content) + "\n")
    for name, group in TABLES.items():
        shown = {key: results[key] for key in group.arms if key in results}
        if not shown:
            continue
        curves = {result["name"]: [run["curve"] for run in result["seeds"].values()] for result in shown.values()}
        plot_shares(docs / "images" / f"learninggroup-{name}.png", curves, f"{group.title}: success", of_seeds=True)
        table = _table(shown)
        insert_table(docs / PAGE, name, table)
        tables.append(f"{group.title}\n{table}")
    return content, tables


def _record(docs: Path) -> Path:
    return docs / "learning" / f"{RESULTS}.json"


def _recorded(record: Path) -> dict[str, ArmRuns]:
    """The runs of each arm that an earlier report had."""
    found = read_record(record)
    return {
        key: ArmRuns(settings={"iterations": found["iterations"], "options": arm["options"]}, runs=arm["seeds"])
        for key, arm in found.get("arms", {}).items()
    }


def _table(results: dict[str, Any]) -> str:
    seeds = sorted({seed for result in results.values() for seed in result["seeds"]}, key=int)
    rows = [["success, %", *(f"seed {seed}" for seed in seeds), "mean", "sparsity, %"]]
    for result in results.values():
        runs = result["seeds"]
        values = [f"{100 * runs[seed]['success']:.1f}" if seed in runs else "" for seed in seeds]
        sparsity = 100 * sum(run["sparsity"] for run in runs.values()) / len(runs)
        rows.append([result["name"], *values, f"{100 * result['mean']:.1f}", f"{sparsity:.1f}"])
    return markdown(rows)
