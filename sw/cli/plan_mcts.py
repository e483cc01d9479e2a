"""Tree-parallel Monte-Carlo tree search: the tree on a device or its reference, simulations in processes."""

import argparse
import dataclasses
import importlib
import sys
from pathlib import Path
from typing import Any

from .train_options import print_rows, refuse_counts_below

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--env", help="environment that can save its state, as ALE/Pong-v5, CartPole-v1, tic-tac-toe")
    parser.add_argument(
        "--backend",
        default="reference",
        help="where the tree is: reference (NumPy), rtl (Verilated), lockstep (both, every answer compared), "
        "or a device as uart:/dev/ttyUSB0 (default %(default)s)",
    )
    parser.add_argument("--config", help="preset of the tree, or path of a YAML file (default: a tree for the actions)")
    parser.add_argument(
        "--evaluator",
        metavar="MODULE:NAME",
        help="callable that gives priors and value of a state, in a rollout's place; an object of it, if it is a class",
    )
    parser.add_argument("--episodes", type=int, default=1, help="default %(default)s")
    parser.add_argument(
        "--max-steps", type=int, default=1000, metavar="STEPS", help="of an episode (default %(default)s)"
    )
    parser.add_argument("--keep-tree", action="store_true", help="search on in the tree below the action taken")
    parser.add_argument("-o", "--out", type=Path, help="folder for metrics and plots (default runs/ENV-mcts-SEED)")
    parser.add_argument("--draw-step", type=int, metavar="N", help="draw the tree of step N of the first episode")
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help="keep the tree's requests and answers in an .npz file"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    _add_hyper_parameters(parser)


def _add_hyper_parameters(parser: argparse.ArgumentParser) -> None:
    from ..systems.mcts.planner_config import SCHEDULES, PlannerConfig

    group = parser.add_argument_group("search (defaults are those that suit the environment, where it has some)")
    for field in dataclasses.fields(PlannerConfig):
        option = "--" + field.name.replace("_", "-")
        if field.name == "schedule":
            group.add_argument(option, choices=SCHEDULES, help=f"default {field.default}")
        else:
            kind = int if field.type is int else float
            group.add_argument(option, type=kind, metavar="N" if kind is int else "X", help=f"default {field.default}")


def run(arguments: argparse.Namespace) -> None:
    from ..core.environments.make_state_environment import state_environment
    from ..core.run_folder import METRICS
    from ..systems.mcts.backends import open_tree
    from ..systems.mcts.defaults import planner_config, tree_config
    from ..systems.mcts.driver import MCTSDevice
    from ..systems.mcts.planner import MCTSPlanner
    from ..systems.mcts.planner_config import PlannerConfig
    from ..systems.mcts.planning_run import PlanningRun
    from ..systems.mcts.recorder import RecordingTree

    if not arguments.env:
        raise ValueError("--env is needed: an environment that can save its state, as ALE/Pong-v5")
    refuse_counts_below(1, arguments, "episodes", "max_steps")
    refuse_counts_below(0, arguments, "draw_step")
    names = [field.name for field in dataclasses.fields(PlannerConfig)]
    given = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    environment = state_environment(arguments.env)
    config = planner_config(environment, given)
    evaluator = _evaluator(arguments.evaluator) if arguments.evaluator else None
    shape = _tree(arguments.config) or tree_config(environment, "puct_root" if evaluator else "uct")
    directory = arguments.out or Path("runs") / f"{environment.name}-mcts-{config.seed}"
    if (directory / METRICS).exists():
        raise ValueError(f"{directory} holds a run already: choose another folder with --out")
    tree: Any = open_tree(arguments.backend, shape)
    if arguments.record:
        tree = RecordingTree(tree)
    with MCTSPlanner(environment, config, device=MCTSDevice(tree), evaluator=evaluator) as planner:
        try:
            summary = PlanningRun(
                planner,
                environment,
                directory,
                episodes=arguments.episodes,
                max_steps=arguments.max_steps,
                keep_tree=arguments.keep_tree,
                draw_step=arguments.draw_step,
                progress=not arguments.quiet,
            ).run()
        finally:
            if arguments.record:
                tree.recording.save(arguments.record)
    _print_summary(summary, directory)


def _tree(source: str | None):
    """The tree of a preset or file."""
    from ...hw.soc.presets import load_preset

    return load_preset(source, "mcts") if source else None


def _evaluator(source: str) -> Any:
    """The callable of a name; modules are looked for in the current folder, too."""
    module, colon, name = source.partition(":")
    if not colon or not module or not name:
        raise ValueError(f"--evaluator must be MODULE:NAME, not {source!r}")
    if "" not in sys.path:
        sys.path.append("")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"There is no evaluator {source!r}: {error}") from error
    evaluator = found() if isinstance(found, type) else found
    if not callable(evaluator):
        raise ValueError(f"Evaluator {source!r} must be callable, not {type(evaluator).__name__}")
    return evaluator


def _print_summary(summary: dict[str, Any], directory: Path) -> None:
    """What a run came to, for people."""
    config, tree = summary["config"], summary["tree"]
    where = "in this process" if not config["processes"] else f"in {config['processes']} processes"
    returns = ", ".join(f"{value:g}" for value in summary["returns"])
    rows = [
        ("environment", f"{summary['environment']}, seed {config['seed']}"),
        ("search", f"{config['simulations']} simulations a step, {config['workers']} workers, {config['schedule']}"),
        (
            "tree",
            f"{tree['levels']} levels, {tree['fanout']} children, {tree['nodes']} nodes; deepest {summary['deepest']}",
        ),
        ("return", f"{returns} in {', '.join(map(str, summary['lengths']))} steps"),
        ("selections", ", ".join(f"{count} {name}" for name, count in summary["statuses"].items())),
        (
            "speed",
            f"{summary['simulations'] / summary['seconds']:.0f} simulations/s {where}, "
            f"{summary['simulated_steps'] / summary['seconds']:.0f} steps/s",
        ),
    ]
    if "lockstep_steps" in summary["counters"]:
        steps, compared, equal = (summary["counters"][f"lockstep_{name}"] for name in ("steps", "compared", "equal"))
        rows.append(("lockstep", f"{steps} packets of requests to the RTL, too"))
        rows.append(("", f"{compared} answers compared, {equal} equal"))
    rows.append(("files", str(directory)))
    print_rows(rows)
