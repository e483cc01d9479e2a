"""Run the learning experiments of a system and write their results to docs/."""

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..agents.experiments import EXPERIMENTS, Arm, Experiment

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("system", choices=("fixar",), help="accelerator")
    parser.add_argument("name", choices=tuple(EXPERIMENTS), help="experiment")
    parser.add_argument(
        "--arms", type=lambda text: text.split(","), help="only these, as 32-bit,float32 (default: all)"
    )
    parser.add_argument("--seed", type=int, action="append", help="only this seed; may be repeated (default: all)")
    parser.add_argument("--steps", type=int, help="environment steps of a run (default: the experiment's)")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time, each a process (default %(default)s)")
    parser.add_argument("--out", type=Path, default=Path("runs"), help="folder of the runs; they resume from there")
    parser.add_argument("--docs", type=Path, default=Path("docs"), help="where results and picture go")
    parser.add_argument("--array", choices=("numpy", "cupy"), help="what the reference computes with")
    parser.add_argument("--collect", action="store_true", help="run nothing, only collect what the folder holds")


def run(arguments: argparse.Namespace) -> int:
    experiment = EXPERIMENTS[arguments.name]
    arms = arguments.arms or list(experiment.arms)
    unknown = [arm for arm in arms if arm not in experiment.arms]
    if unknown:
        raise ValueError(f"Unknown arm {', '.join(unknown)}; {arguments.name} has {', '.join(experiment.arms)}")
    if arguments.jobs < 1:
        raise ValueError(f"--jobs must be at least 1, not {arguments.jobs}")
    seeds = arguments.seed if arguments.seed is not None else list(range(experiment.seeds))
    steps = arguments.steps or experiment.steps
    root = arguments.out / arguments.name
    if not arguments.collect:
        with ThreadPoolExecutor(arguments.jobs) as pool:
            runs = [
                pool.submit(
                    _train, experiment, experiment.arms[arm], seed, steps, root / arm / str(seed), arguments.array
                )
                for seed in seeds
                for arm in arms
            ]
            try:
                for finished in runs:
                    finished.result()
            except BaseException:
                # Those under way got the same Ctrl-C, or end by themselves; no other begins.
                pool.shutdown(cancel_futures=True)
                raise
    return _report(arguments.name, experiment, root, arguments.docs, steps)


def _train(experiment: Experiment, arm: Arm, seed: int, steps: int, directory: Path, array: str | None) -> None:
    """One run, in a process of its own; goes on where an earlier one stopped."""
    summary = directory / "summary.json"
    if summary.is_file() and json.loads(summary.read_text())["steps"] >= steps:
        return
    command = [sys.executable, "-m", "rewardware.sw.cli", "train", "fixar", "--steps", str(steps), "--quiet"]
    command += experiment.options
    if (directory / "checkpoint.zip").is_file():
        command += ["--resume", str(directory)]
    else:
        command += [
            "--env",
            experiment.env,
            "--config",
            experiment.config,
            "--seed",
            str(seed),
            "--out",
            str(directory),
        ]
        command += arm.options
    if array and "torch" not in arm.options:
        command += ["--array", array]
    print(f"{directory}: begins", flush=True)
    # One thread a run: more of them would fight for the cores, and these matrices are small.
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **threads})
    if result.returncode:
        raise RuntimeError(f"{directory}: {result.stderr.strip() or result.returncode}")
    print(f"{directory}: return {json.loads(summary.read_text())['return']:.1f}", flush=True)


def _report(name: str, experiment: Experiment, root: Path, docs: Path, steps: int) -> int:
    """Results as JSON, picture and table; 1 if an arm did not come out as it must."""
    from ..agents.plots import plot_curves
    from ..agents.run_folder import read_metrics

    results, curves, failed = {}, {}, []
    for key, arm in experiment.arms.items():
        seeds = {}
        for directory in sorted((root / key).glob("*"), key=lambda path: path.name.zfill(9)):
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
    _insert(docs / "learning.md", name, table)
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


def _insert(page: Path, name: str, table: str) -> None:
    """Puts the table between the page's marks for this experiment, if it has any."""
    if page.is_file():
        begin, end = f"<!-- table: {name} -->", f"<!-- end: {name} -->"
        text = page.read_text()
        if begin in text and end in text:
            before, _, rest = text.partition(begin)
            page.write_text(f"{before}{begin}\n{table}\n{end}{rest.partition(end)[2]}")
