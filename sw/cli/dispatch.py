"""Finds the subcommand, runs it, and says what went wrong in one line."""

import argparse
import contextlib
import errno
import importlib
import os
import sys
import sysconfig
import traceback
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...hw.soc.under_way import telling
from ...hw.soc.written_file import WriteError, writing
from ..core.environments.failure import EnvironmentFailure
from ..core.lockstep import LockstepError
from ..core.run_folder import Interrupted
from ..core.versions import package_version
from ..device.errors import DeviceError
from .lazy_parser import USAGE_ERROR, LazyParser, first_line_of

__all__ = ["COMMANDS", "dispatch"]

# Each is a module beside this one, with `add_arguments(parser)` and `run(arguments)`, which may return an exit code;
# the first line of its docstring is its help. Heavy imports belong inside `run`.
COMMANDS = ("train", "plan", "eval", "experiment", "bench", "explore", "compose", "verilog", "build", "report", "list")

FAILURE = 1


def _parser() -> argparse.ArgumentParser:
    parser = LazyParser(prog="rewardware", description="Reinforcement learning on open RTL, the same bits everywhere.")
    parser.add_argument("--version", action="version", version=f"rewardware {package_version()}")
    parser.add_argument("--traceback", action="store_true", help="show where in the program an error came from")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = f"{__package__}.{name}"
        command: LazyParser = commands.add_parser(name, help=first_line_of(module))
        command.fill_with(module)
    return parser


def dispatch(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; the exit code: 0 well, 1 a check failed, 2 wrong input, 130 interrupted."""
    parsed = _parser().parse_args(arguments)
    # Amaranth's reminder; some components are made only to be asked for their latency.
    warnings.filterwarnings("ignore", message=".* created but never used")
    try:
        with telling(), contextlib.redirect_stdout(_Output(sys.stdout)) as output:
            code = importlib.import_module(f"{__package__}.{parsed.command}").run(parsed) or 0
            # Here and not at Python's exit, where nobody says what is wrong with it.
            output.flush()
        return code
    except Interrupted as interruption:
        print(f"rewardware: {interruption}", file=sys.stderr)
        return 128 + interruption.signal_number
    except KeyboardInterrupt:
        print("rewardware: interrupted", file=sys.stderr)
        return 130
    except LockstepError as error:
        print(f"rewardware: lockstep: {error}", file=sys.stderr)
        return FAILURE
    except Exception as error:
        # Of an environment's failure the error that it raised is told; notes say what became of the run.
        cause = error.__cause__ if isinstance(error, EnvironmentFailure) and error.__cause__ else error
        place = _place_outside(cause)
        known = isinstance(error, (ValueError, TypeError, OSError, RuntimeError, ImportError, DeviceError))
        failed = isinstance(error, (FloatingPointError, EnvironmentFailure, WriteError))
        failed = (failed and not isinstance(error, ValueError)) or bool(place)
        if parsed.traceback or not (known or failed):
            raise
        text = " ".join("; ".join([str(cause if place else error), *getattr(error, "__notes__", ())]).split())
        said = f"{type(cause).__name__} in {place}: {text} (--traceback shows the way there)" if place else text
        print(f"rewardware: error: {said}", file=sys.stderr)
        return FAILURE if failed else USAGE_ERROR


class _Output:
    """Standard output whose errors name it; whatever else it has is that of the stream."""

    def __init__(self, stream: Any):
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Print a text."""
        with _printing():
            return self._stream.write(text)

    def flush(self) -> None:
        """Hand what was printed to the system."""
        with _printing():
            self._stream.flush()


@contextlib.contextmanager
def _printing() -> Iterator[None]:
    try:
        with writing("standard output"):
            yield
    except WriteError as error:
        # What could not be written stays in the stream, and would be tried again at Python's exit.
        _drop_output()
        if error.errno == errno.EPIPE:
            # Whoever read our output has enough; nothing more can be said to them.
            raise SystemExit(FAILURE) from None
        raise


def _drop_output() -> None:
    """Send what is still in the output, and what comes behind it, nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
