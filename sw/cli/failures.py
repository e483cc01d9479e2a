"""Failures in one line, and the exit code. Imported once something has failed: the command line starts without it."""

import sysconfig
import traceback
from pathlib import Path

from ...hw.soc.written_file import WriteError
from ..core.environments.failure import EnvironmentFailure
from ..core.lockstep import LockstepError
from ..core.run_folder import Interrupted
from ..device.errors import DeviceError
from .exit_codes import FAILURE, USAGE_ERROR

__all__ = ["explain"]

# A value that is none, or a file that was asked for and is not there, is none, or nobody's to read.
WRONG_INPUT = (ValueError, TypeError, FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)
# Errors for which the input is not to blame.
FAILURES = (FloatingPointError, EnvironmentFailure, OSError, RuntimeError, ImportError, DeviceError)


def explain(error: Exception) -> tuple[int, str] | None:
    """Exit code and one line; ``None`` for an error that nobody expects, of which all is to be seen."""
    if isinstance(error, Interrupted):
        return 128 + error.signal_number, str(error)
    if isinstance(error, LockstepError):
        return FAILURE, f"lockstep: {error}"
    # An environment's failure is reported as the error that it raised; notes say what became of the run.
    cause = error.__cause__ if isinstance(error, EnvironmentFailure) and error.__cause__ else error
    place = _place_outside(cause)
    wrong_input = (
        isinstance(error, WRONG_INPUT) and not isinstance(error, (EnvironmentFailure, WriteError)) and not place
    )
    if not (wrong_input or place or isinstance(error, FAILURES)):
        return None
    # A note of many lines is the traceback of another process.
    notes = getattr(error, "__notes__", ())
    short = [note for note in notes if "\n" not in note.strip()]
    text = " ".join("; ".join([str(cause if place else error), *short]).split())
    said = f"{type(cause).__name__} in {place}: {text}" if place else text
    if place or len(short) < len(notes):
        said += " (--traceback shows the way there)"
    return USAGE_ERROR if wrong_input else FAILURE, f"error: {said}"


def _place_outside(error: BaseException) -> str:
    """File and line of a user's module in which an error was raised; empty, if it was here or in a package."""
    frames = traceback.extract_tb(error.__traceback__)
    outside = [frame for frame in frames if not _is_installed(frame.filename)]
    return f"{outside[-1].filename}:{outside[-1].lineno}" if outside else ""


def _is_installed(filename: str) -> bool:
    """Whether a file is of this package, of Python, or of a package beside it; frames of C have no file."""
    own = Path(__file__).parents[2]
    folders = [own / "hw", own / "sw", own / "sim", *map(Path, set(sysconfig.get_paths().values()))]
    path = Path(filename)
    return not path.is_file() or any(path.resolve().is_relative_to(folder.resolve()) for folder in folders)
