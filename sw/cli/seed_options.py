"""Options of commands that place: the placer's seed, or several of which the best is kept."""

import argparse

from ...hw.cores.checks import require_integer

__all__ = ["add_seed_options", "check_seed_options"]


def add_seed_options(parser: argparse.ArgumentParser, default: str) -> None:
    """Add ``--seed`` or ``--seeds``, and ``--jobs``.

    Parameters
    ----------
    parser
        Parser of the command.
    default
        The seed without either, in words: part of the help of ``--seed``.
    """
    seeds = parser.add_mutually_exclusive_group()
    seeds.add_argument("--seed", type=int, metavar="N", help=f"seed of the placer (default: {default})")
    seeds.add_argument("--seeds", type=int, metavar="N", help="place with seeds 1 to N and keep the best")
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="with --seeds: seeds to place at a time, a core each (default: 1)"
    )


def check_seed_options(arguments: argparse.Namespace) -> int:
    """Check what was given; how many seeds to place at a time.

    Raises
    ------
    ValueError
        No seed, a negative one, no job, or jobs without several seeds.
    """
    if arguments.seed is not None and arguments.seed < 0:
        raise ValueError(f"--seed must be at least 0, not {arguments.seed}")
    if arguments.seeds is not None:
        require_integer("--seeds", arguments.seeds, 1)
    if arguments.jobs is None:
        return 1
    if arguments.seeds is None:
        raise ValueError("--jobs is for several seeds, which need --seeds")
    require_integer("--jobs", arguments.jobs, 1)
    return arguments.jobs
