"""Calls that run side by side, each of which mostly waits for a process."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

__all__ = ["run_all"]


def run_all(jobs: int, runs: Sequence[Callable[[], None]]) -> None:
    """Calls all, so many at a time; the first failure stops the rest."""
    with ThreadPoolExecutor(jobs) as pool:
        under_way = [pool.submit(run) for run in runs]
        try:
            for finished in under_way:
                finished.result()
        except BaseException:
            # Runs under way got the same Ctrl-C, or end by themselves; no other begins.
            pool.shutdown(cancel_futures=True)
            raise
