"""Choose the parallel scheme (shared or local tree) and the batch size of a search with a network."""

import argparse
from typing import Any

from ...core.tables import aligned
from ..options import refuse_counts_below, sizes
from ..results import add_json_option, add_out_option, make_folder, show

__all__ = ["add_arguments", "run"]

MICROSECONDS = 1e6
EVALUATOR_HELP = (
    "evaluator of an untrained network: torch, torch:cuda, engine, engine:BACKEND or MODULE:NAME, as for "
    "rewardware train alphazero; or emulated:LATENCY,POSITION, an accelerator's times in microseconds"
)
PARTS = "selection", "backup", "position", "access", "shared_handover", "local_handover"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--env", default="gomoku", help="game, e.g. gomoku-9 or openspiel:othello (default %(default)s)"
    )
    parser.add_argument(
        "--workers",
        type=sizes,
        default="1,2,4,8,16",
        metavar="N,...",
        help="numbers of workers to explore (default %(default)s)",
    )
    parser.add_argument("--evaluator", default="torch", metavar="NAME", help=f"{EVALUATOR_HELP} (default %(default)s)")
    parser.add_argument(
        "--simulations", type=int, default=1600, metavar="N", help="simulations per search (default %(default)s)"
    )
    parser.add_argument(
        "--repeats",
        type=int,
        default=5,
        metavar="N",
        help="searches per configuration, of which the median counts (default %(default)s)",
    )
    add_out_option(parser, "exploration.json and its plots")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> None:
    make_folder(arguments.out)
    report = explore(arguments)
    if arguments.out is not None:
        from .exploration_plots import plot_batches, plot_workers

        plot_batches(arguments.out / "batches.png", report)
        plot_workers(arguments.out / "workers.png", report)
    show(arguments, report, lambda: as_table(report), "exploration.json")


def explore(arguments: argparse.Namespace) -> dict[str, Any]:
    """Profile, models, trials and choices, as plain data."""
    from ...core.environments.make_state_environment import board_environment
    from ...core.threads import limited_threads
    from ...search.search_config import SearchConfig
    from .evaluators import evaluator_by_name
    from .exploration import as_data, explore_searches
    from .timed_searches import TimedSearches

    refuse_counts_below(1, arguments, "repeats")
    if min(arguments.workers) < 1:
        raise ValueError(f"--workers must be at least 1, not {min(arguments.workers)}")
    environment = board_environment(arguments.env)
    config = SearchConfig(simulations=arguments.simulations, workers=max(arguments.workers))
    evaluator = evaluator_by_name(arguments.evaluator, environment)
    try:
        # Evaluators, not PyTorch, spread work over the cores.
        with (
            limited_threads(1),
            TimedSearches(environment, evaluator, config) as searches,
        ):
            found = explore_searches(searches, arguments.workers, arguments.repeats)
    finally:
        evaluator.close()
    return {
        "env": environment.name,
        "evaluator": arguments.evaluator,
        "simulations": config.simulations,
        **as_data(found),
        "how": f"wall clock, the median of {arguments.repeats} searches of {config.simulations} simulations from the "
        "first position, no evaluation remembered, one thread of PyTorch an evaluator; models of profiled times; "
        "trials by their ratio to the shared tree beside them",
    }


def as_table(report: dict[str, Any]) -> str:
    """Microseconds a simulation, for people."""
    profile, every = report["profile"], report["workers"]
    parts = "  ".join(f"{name.replace('_', ' ')} {MICROSECONDS * profile[name]:.1f}" for name in PARTS)
    evaluations = "  ".join(
        f"{batch}: {MICROSECONDS * seconds:.0f}" for batch, seconds in profile["evaluation"].items()
    )
    rows = [["N", "scheme", "B", "of 5.4", "of the machine", "5.3, 5.4", "machine", "measured", "chosen", "faster"]]
    for one in every:
        for scheme in ("shared", "local"):
            batches = [str(one["paper"]["batch"]), str(one["machine"]["batch"])] if scheme == "local" else ["", ""]
            seconds = one["paper"][scheme], one["machine"][scheme], one["seconds"][scheme]
            rows.append(
                [
                    str(one["workers"]),
                    scheme,
                    str(one["trials"]["batch"] if scheme == "local" else one["workers"]),
                    *batches,
                    *(f"{MICROSECONDS * value / one['workers']:.1f}" for value in seconds),
                    "*" * (one["scheme"] == scheme),
                    "*" * (one["faster"] == scheme),
                ]
            )
    agreed = sum(one["scheme"] == one["faster"] for one in every)
    trials = ", ".join(f"{len(one['trials']['seconds'])} for N = {one['workers']}" for one in every)
    return "\n".join(
        [
            f"dnn_mcts, {report['env']}, evaluator {report['evaluator']}, which keeps "
            f"{profile['evaluation_cores']:.2f} of {profile['cores']} cores busy",
            f"us of a simulation: {parts}",
            f"us of an evaluation by its batch: {evaluations}",
            "",
            "Scheme and batch; us a simulation",
            *aligned(rows, left=(1,)),
            "",
            f"The model chooses the faster scheme for {agreed} of {len(every)} numbers of workers",
            f"Trials of batches: {trials}",
            report["how"],
        ]
    )
