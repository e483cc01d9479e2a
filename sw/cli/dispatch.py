"""Finds the subcommand, runs it, and says what went wrong in one line."""

import argparse
import contextlib
import errno
import importlib
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from ...hw.soc.written_file import WriteError, writing
from ..core.versions import package_version
from .exit_codes import FAILURE, INTERRUPTED
from .lazy_parser import LazyParser, first_line_of
from .messages import add_message_options, messages

__all__ = ["COMMANDS", "dispatch"]

# Each is a module next to this one, with `add_arguments(parser)` and `run(arguments)`, which may return an exit code;
# the first line of its docstring is its help. Heavy imports belong inside `run`.
COMMANDS = (
    "train", "plan", "play", "eval", "experiment", "bench", "explore", "compose", "map", "infer", "package", "build",
    "probe", "report", "list", "cache", "completion",
)  # fmt: skip


def _parser() -> LazyParser:
    parser = LazyParser(
        prog="rewardware",
        description="Reinforcement learning on open RTL, bit-identical in NumPy, in simulation and on a board.",
    )
    parser.add_argument("--version", action="version", version=f"rewardware {package_version()}")
    add_message_options(parser)
    parser.set_defaults(verbose=0, quiet=False, traceback=False)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = f"{__package__}.{name}"
        command: LazyParser = commands.add_parser(name, help=first_line_of(module))
        command.fill_with(module)
    return parser


def dispatch(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; the exit code: 0 well, 1 something failed, 2 wrong input, 130 interrupted."""
    # Amaranth's reminder; some components are made only to be asked for their latency.
    warnings.filterwarnings("ignore", message=".* created but never used")
    parsed = argparse.Namespace(traceback=False)
    try:
        parser = _parser()
        if "_ARGCOMPLETE" in os.environ:
            # A shell asks what may come next.
            from .completion import answer

            answer(parser)
        parsed = parser.parse_args(arguments)
        if getattr(parsed, "threads", None) is not None:
            _set_threads(parsed.threads)
        output = _Output(sys.stdout)
        # One JSON object, and nothing that a library prints.
        parsed.results, others = output, sys.stderr if getattr(parsed, "json", False) else output
        with messages(parsed.verbose, parsed.quiet), contextlib.redirect_stdout(others):
            code = importlib.import_module(f"{__package__}.{parsed.command}").run(parsed) or 0
            # Here and not at Python's exit, where no error is reported.
            output.flush()
        return code
    except KeyboardInterrupt:
        print("rewardware: interrupted", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:
        from .failures import explain

        explained = explain(error)
        if explained is None or (parsed.traceback and explained[1].startswith("error: ")):
            raise
        code, said = explained
        print(f"rewardware: {said}", file=sys.stderr)
        return code


def _set_threads(count: int) -> None:
    """Set the threads of simulators, in this process and in those that it starts."""
    if count < 1:
        raise ValueError(f"--threads must be at least 1, not {count}")
    os.environ["REWARDWARE_THREADS"] = str(count)


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
        # Unwritten text stays in the stream, and Python would try it again at its exit.
        _drop_output()
        if error.errno == errno.EPIPE:
            # Whoever read our output has enough; nothing more can be said to them.
            raise SystemExit(FAILURE) from None
        raise


def _drop_output() -> None:
    """Send what is still in the output, and what comes after it, nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
