"""Parts that experiments share: runs in processes of their own, several at a time, and tables in pages."""

import json
import logging
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...hw.soc.under_way import PROGRESS

__all__ = ["chosen_arms", "run_command", "run_folders", "summary_of", "train"]

logger = logging.getLogger(__name__)

# For a run to end its step and to write its checkpoint.
STOP_SECONDS = 120


def chosen_arms(name: str, arms: Iterable[str], wanted: list[str] | None) -> list[str]:
    """The arms asked for, all if none are named.

    Raises
    ------
    ValueError
        One of them is not the experiment's.
    """
    arms = list(arms)
    unknown = [arm for arm in wanted or () if arm not in arms]
    if unknown:
        raise ValueError(f"Unknown arm {', '.join(unknown)}; {name} has {', '.join(arms)}")
    return wanted or arms


def summary_of(directory: Path) -> dict[str, Any] | None:
    """Outcome of a run; ``None`` if it has not ended yet."""
    path = directory / "summary.json"
    return json.loads(path.read_text()) if path.is_file() else None


def train(
    directory: Path, system: str, options: list[str], first_options: list[str], limit_hours: float
) -> dict[str, Any]:
    """`rewardware train` in a process of its own; goes on where an earlier one stopped. Its summary.

    Parameters
    ----------
    directory
        Directory of the run.
    system
        Which accelerator's.
    options, first_options
        Options and first options of the command; the second ones only if the run begins.
    limit_hours
        Longest that it may take.

    Raises
    ------
    RuntimeError
        As `run_command`.
    """
    arguments = ["train", system, "--quiet", *options]
    begun = (directory / "checkpoint.zip").is_file()
    arguments += ["--resume", str(directory)] if begun else ["--out", str(directory), *first_options]
    return run_command(directory, arguments, limit_hours)


def run_command(directory: Path, arguments: list[str], limit_hours: float) -> dict[str, Any]:
    """`rewardware` in a process of its own; the summary that it leaves in the folder.

    Raises
    ------
    RuntimeError
        It failed: what it said. It took longer than the limit: it was asked to stop, and its checkpoint is there.
    """
    command = [sys.executable, "-m", "rewardware.sw.cli", *arguments]
    logger.log(PROGRESS, "%s: begins", directory)
    logger.debug("%s", shlex.join(command))
    # One thread a run: more of them would fight for the cores, and these matrices are small.
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env={**os.environ, **threads}) as process:
        try:
            _, said = process.communicate(timeout=3600 * limit_hours)
        except subprocess.TimeoutExpired:
            _stop(process)
            raise RuntimeError(
                f"{directory}: took longer than its limit of {limit_hours:g} hours; the same command goes on with it, "
                "and --limit gives it more"
            ) from None
        except BaseException:
            process.kill()
            raise
    summary = summary_of(directory)
    if process.returncode or summary is None:
        raise RuntimeError(f"{directory}: {said.strip() or process.returncode}")
    return summary


def _stop(process: subprocess.Popen[str]) -> None:
    """Ask a run to stop, which writes its checkpoint; end it if it does not."""
    process.terminate()
    try:
        process.communicate(timeout=STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


def run_folders(root: Path) -> list[Path]:
    """The runs of an arm, by seed."""
    return sorted(root.glob("*"), key=lambda path: path.name.zfill(9))
