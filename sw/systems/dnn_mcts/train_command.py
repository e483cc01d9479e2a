"""AlphaZero, which learns a board game from games of a tree search against itself."""

import argparse
from pathlib import Path
from typing import Any

from ...actors.places import PLACES
from ..options import add_hyper_parameters, add_run_options, given_hyper_parameters, lockstep_rows, print_result
from ..training import TrainingPlan, folder_name, plain, train

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ...algorithms.alphazero.alphazero_hyper_parameters import AlphaZeroHyperParameters

    parser.add_argument(
        "--env",
        help="game of two players: tic-tac-toe, connect-four, gomoku, gomoku-9, or one of OpenSpiel or PettingZoo, "
        "e.g. openspiel:othello or pettingzoo:go_v5(board_size=9)",
    )
    parser.add_argument(
        "--backend",
        help="where the search tree is: host (C++, the default), reference (plain Python), rtl (the tree accelerator, "
        "Verilated), lockstep (host and rtl, compared), or a device, e.g. uart:/dev/ttyUSB0",
    )
    parser.add_argument(
        "--evaluator",
        help="where the network is evaluated: torch (default), torch:cuda (where it learns as well), engine or "
        "engine:BACKEND (the convolution engine, 8 bits), or MODULE:NAME, a callable that gets network and environment",
    )
    parser.add_argument(
        "--config", help="preset of the tree accelerator, or path of a YAML file (default: one with room to spare)"
    )
    parser.add_argument(
        "--scheme",
        choices=("synchronous", "shared", "local"),
        help="parallelism of backend host: all games in step (default), or threads on a shared or a local tree, "
        "game by game",
    )
    parser.add_argument(
        "--self-play",
        choices=PLACES,
        help="where games are played: in this process, which is reproducible (default); in worker processes; or in "
        "those of a Ray cluster, the one of RAY_ADDRESS or a local one",
    )
    parser.add_argument("--self-play-workers", type=int, metavar="N", help="worker processes (default 2)")
    parser.add_argument(
        "--torch-threads", type=int, metavar="N", help="threads of PyTorch (default 1); their number changes last bits"
    )
    add_run_options(parser, "game", 1000, evaluate_every=200, statistics_every=10)
    add_hyper_parameters(parser, AlphaZeroHyperParameters)


def run(arguments: argparse.Namespace) -> None:
    from ...algorithms.alphazero.alphazero_hyper_parameters import AlphaZeroHyperParameters
    from ...core.environments.make_state_environment import board_environment
    from ...core.hardware import resolve_hardware
    from ..options import refuse_counts_below
    from .agent import AlphaZero
    from .network_evaluator import require_evaluator

    refuse_counts_below(1, arguments, "torch_threads", "self_play_workers")
    given = given_hyper_parameters(arguments, AlphaZeroHyperParameters)
    names = {"evaluator": "evaluator", "scheme": "scheme", "self_play": "self_play"}
    names |= {"self_play_workers": "workers", "torch_threads": "threads"}
    places = {to: getattr(arguments, name) for name, to in names.items() if getattr(arguments, name) is not None}
    if arguments.evaluator:
        require_evaluator(arguments.evaluator)

    def resume(checkpoint: Path) -> AlphaZero:
        return AlphaZero.load(checkpoint, arguments.env, backend=arguments.backend, **places)

    def begin() -> TrainingPlan:
        if not arguments.env:
            raise ValueError("--env is needed: a game of two players, such as connect-four")
        name, backend = board_environment(arguments.env).name, arguments.backend or "host"
        config = AlphaZeroHyperParameters.from_mapping({**AlphaZeroHyperParameters.suited_to(name), **given})
        hardware = resolve_hardware(arguments.config, "mcts") if arguments.config else None
        settings = {"backend": backend, "evaluator": "torch", **places}
        return TrainingPlan(
            make=lambda: AlphaZero(arguments.env, config, hardware=hardware, **settings),
            name=folder_name(
                name.translate(str.maketrans(":/", "--")), "alphazero",
                preset=arguments.config, backend=backend, seed=config.seed,
            ),
            about={"env": arguments.env, **settings, "config": config.to_mapping(), "hardware": plain(hardware)},
        )  # fmt: skip

    told = [*given, *(["config"] if arguments.config else [])]
    result = train("alphazero", arguments, told, resume, begin)
    if result is not None:
        summary, directory = result
        print_result(arguments, summary, _rows(summary), directory)


def _rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """The result of training, for people."""
    counters, evaluation, elo = summary["counters"], summary["evaluation"], summary["elo"]
    rows = [
        ("environment", f"{summary['env']}, {summary['games']} games, seed {summary['seed']}"),
        ("training", f"{counters['gradient_steps']} gradient steps, {counters['played_positions']} positions"),
    ]
    if evaluation:
        for name in ("rollouts", "random", "perfect", "previous"):
            if f"{name}_score" in evaluation:
                wins, draws, losses = (evaluation[f"{name}_{part}"] for part in ("wins", "draws", "losses"))
                score = f"{100 * evaluation[f'{name}_score']:.0f} % of the points"
                rows.append((f"against {name}", f"{wins} won, {draws} drawn, {losses} lost: {score}"))
    if str(summary["games"]) in elo:
        rows.append(("Elo", f"{elo[str(summary['games'])]:.0f} (random moves: 0, rollouts: {elo['rollouts']:.0f})"))
    if summary["games_per_second"]:
        rate = f"{summary['games_per_second']:.2f} games/s"
        rows.append(("speed", f"{rate} on backend {summary['backend']}, evaluator {summary['evaluator']}"))
    if counters.get("restarts"):
        rows.append(("workers", f"{counters['restarts']} started again"))
    return rows + lockstep_rows(counters, "searches on", "numbers")
