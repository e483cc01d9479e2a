"""Tree-parallel Monte-Carlo tree search: the tree on a device or its reference, simulations in processes."""

import argparse
import contextlib
from pathlib import Path
from typing import Any

from ..options import (
    add_hyper_parameters,
    add_output_options,
    evaluator_callable,
    given_hyper_parameters,
    lockstep_rows,
    print_result,
    refuse_counts_below,
)
from ..results import add_out_option

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .planner_config import SCHEDULES, PlannerConfig

    parser.add_argument(
        "--env",
        help="environment that can save its state, e.g. ALE/Pong-v5, CartPole-v1, tic-tac-toe, openspiel:connect_four",
    )
    parser.add_argument(
        "--backend",
        default="reference",
        help="where the tree is: reference (NumPy), rtl (Verilated), lockstep (both, every answer compared), "
        "or a device, e.g. uart:/dev/ttyUSB0 (default %(default)s)",
    )
    parser.add_argument("--config", help="preset of the tree, or path of a YAML file (default: a tree for the actions)")
    parser.add_argument(
        "--evaluator",
        metavar="MODULE:NAME",
        help="callable that gives priors and value of a state instead of a rollout; a class is instantiated",
    )
    parser.add_argument("--episodes", type=int, default=1, help="number of episodes (default %(default)s)")
    parser.add_argument(
        "--max-steps", type=int, default=1000, metavar="STEPS", help="limit of steps per episode (default %(default)s)"
    )
    parser.add_argument("--keep-tree", action="store_true", help="reuse the subtree below the action taken")
    add_out_option(parser, "metrics and plots (default runs/ENV-mcts-SEED)")
    parser.add_argument("--draw-step", type=int, metavar="N", help="draw the tree of step N of the first episode")
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help="keep the tree's requests and answers in an .npz file"
    )
    add_output_options(parser)
    parser.add_argument("--hyper", type=Path, metavar="FILE", help="YAML or JSON file of these; options go before it")
    add_hyper_parameters(parser, PlannerConfig, choices={"schedule": SCHEDULES})


def run(arguments: argparse.Namespace) -> None:
    from ....hw.soc.presets import read_preset
    from ...core.environments.make_state_environment import state_environment
    from ...core.run import Run
    from ...core.run_folder import METRICS
    from ...device.search_tree import MCTSDevice
    from ...device.search_tree_backends import open_tree
    from .defaults import planner_config, tree_config
    from .planned_episodes import PlannedEpisodes
    from .planner import MCTSPlanner
    from .planner_config import PlannerConfig
    from .recorder import RecordingTree

    if not arguments.env:
        raise ValueError("--env is needed: an environment that can save its state, such as ALE/Pong-v5")
    refuse_counts_below(1, arguments, "episodes", "max_steps")
    refuse_counts_below(0, arguments, "draw_step")
    given = given_hyper_parameters(arguments, PlannerConfig)
    preset = read_preset(arguments.config, "mcts") if arguments.config else None
    environment = state_environment(arguments.env)
    config = planner_config(environment, {**(preset.training if preset else {}), **given})
    evaluator = _evaluator(arguments.evaluator) if arguments.evaluator else None
    shape = preset.config if preset else tree_config(environment, "puct_root" if evaluator else "uct")
    directory = arguments.out or Path("runs") / f"{environment.name}-mcts-{config.seed}"
    if (directory / METRICS).exists():
        raise ValueError(f"{directory} holds a run already: choose another folder with --out")
    tree: Any = open_tree(arguments.backend, shape)
    if arguments.record:
        tree = RecordingTree(tree)
    with contextlib.ExitStack() as opened:
        opened.callback(tree.close)
        planner = MCTSPlanner(environment, config, device=MCTSDevice(tree), evaluator=evaluator)
        opened.callback(planner.close)
        episodes = PlannedEpisodes(
            planner,
            environment,
            max_steps=arguments.max_steps,
            keep_tree=arguments.keep_tree,
            draw_step=arguments.draw_step,
            directory=directory,
        )
        try:
            run = Run(
                episodes,
                directory,
                arguments.episodes,
                saves=False,
                log=arguments.log,
                progress=not arguments.quiet,
            )
            summary = run.run()
        finally:
            if arguments.record:
                tree.recording.save(arguments.record)
    print_result(arguments, summary, _rows(summary), directory)


def _evaluator(source: str) -> Any:
    """The evaluator of a name; an object of it, if it is a class."""
    found = evaluator_callable(source, "--evaluator must be MODULE:NAME")
    evaluator = found() if isinstance(found, type) else found
    if not callable(evaluator):
        raise ValueError(f"Evaluator {source!r} must be callable, not {type(evaluator).__name__}")
    return evaluator


def _rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Results of a run, for people."""
    config, tree = summary["config"], summary["hardware"]
    where = "in this process" if not config["processes"] else f"in {config['processes']} processes"
    returns = ", ".join(f"{value:g}" for value in summary["returns"])
    rows = [
        ("environment", f"{summary['env']}, seed {config['seed']}"),
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
    return rows + lockstep_rows(summary["counters"], "packets of requests to", "answers")
