"""The tests of a core on each of its mutants, every one in a process of its own with limits."""

import contextlib
import os
import resource
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from rewardware.sim.cocotb.streams import WAIT_LIMIT_VARIABLE

from .build import Build, Design
from .mutants import MUTANT_VARIABLE, Mutant, MutatedDesign

# A mutant has this many times as long as the design itself, of processor time, and some seconds for what starts.
TIME_FACTOR = 3
TIME_ADDED_SECONDS = 10
# By the clock on the wall, for a process that waits and computes nothing; long, for machines that are busy.
WALL_FACTOR = 10
# How long a bench waits for a stream: a lost transaction is common among mutants.
WAIT_CYCLES = 10_000
_OPTIONS = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", "--tb=short"]


class MutationError(RuntimeError):
    """The tests say nothing about mutants: they fail without any, or build nothing."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Verdict of the tests on a mutant.

    Parameters
    ----------
    mutant : Mutant
    design : MutatedDesign
        Where it stands.
    top : str
        The design's top module.
    killed_by : str
        Test that failed, with the last line of what it said; empty if all passed.
    in_time : bool
        False if a limit of time ended the test.
    """

    mutant: Mutant
    design: MutatedDesign
    top: str
    killed_by: str = ""
    in_time: bool = True


@dataclass(kw_only=True)
class Session:
    """The tests of one core and the designs that they build.

    Parameters
    ----------
    tests : sequence of str
        As pytest takes them.
    component : str
        Class that is elaborated with its mutants where the tests build no simulator, as :class:`.build.Build` takes it.
    """

    tests: Sequence[str]
    component: str = ""
    _plain: Build = field(init=False)

    def __post_init__(self):
        self._plain = Build(component=self.component)

    def record(self) -> dict[Design, list[str]]:
        """Run the tests as they are; for each design the tests that build it, quick ones first.

        Raises
        ------
        MutationError
            A test fails, or no test builds anything.
        """
        self._pytest(self.tests, self._plain)
        tests: dict[Design, list[str]] = {}
        for name, designs in self._plain.designs.items():
            for design in designs:
                tests.setdefault(design, []).append(name)
        if not tests:
            raise MutationError(f"No simulator is built by {' '.join(self.tests)}")
        return {
            design: sorted(names, key=lambda name: self._plain.seconds.get(name, 0)) for design, names in tests.items()
        }

    def instances(self, design: Design) -> dict[str, str]:
        """The classes of the instances in a design that was recorded, by their paths."""
        return self._plain.instances.get(design.verilog, {})

    def run(
        self, design: Design, tests: Sequence[str], mutated: MutatedDesign, tell: Callable[[Verdict], None]
    ) -> list[Verdict]:
        """The verdicts on mutants of one design.

        Parameters
        ----------
        design : Design
        tests : sequence of str
            Tests that build it.
        mutated : MutatedDesign
            The design with its mutants.
        tell : callable
            Called with each verdict.

        Raises
        ------
        MutationError
            The tests fail on the text that holds the mutants while none is chosen.
        """

        def new_build(**options: Any) -> Build:
            return Build(component=self.component, mutated={design: mutated}, known=self._plain.emitted, **options)

        self._pytest(tests, new_build())
        # Once more, now that everything is built, for the time that it takes.
        measured = new_build()
        self._pytest(tests, measured)
        seconds = sum(measured.seconds.values())
        verdicts = []
        for mutant in mutated.mutants:
            killed_by, in_time = self._run_mutant(mutant, tests, new_build(), seconds)
            verdict = Verdict(mutant=mutant, design=mutated, top=design.top, killed_by=killed_by, in_time=in_time)
            tell(verdict)
            verdicts.append(verdict)
        return verdicts

    def _pytest(self, tests: Sequence[str], build: Build) -> None:
        os.environ[WAIT_LIMIT_VARIABLE] = str(WAIT_CYCLES)
        code = self._pytest_quietly(tests, build)
        if code != pytest.ExitCode.OK:
            raise MutationError("The tests fail without a mutant:\n" + "\n".join(build.failed or [str(code)]))

    def _pytest_quietly(self, tests: Sequence[str], build: Build) -> int:
        with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
            return int(pytest.main([*_OPTIONS, *tests], plugins=[build]))

    def _run_mutant(self, mutant: Mutant, tests: Sequence[str], build: Build, seconds: float) -> tuple[str, bool]:
        """Who killed a mutant, if somebody did, and whether in time.

        A forked process has everything imported, and its simulators inherit its limit.
        """
        with tempfile.TemporaryDirectory(prefix="rewardware-") as folder:
            said = Path(folder) / "said"
            process = os.fork()
            if process == 0:
                self._be_mutant(mutant, tests, build, _limit(seconds), said)
            status = wait(process, WALL_FACTOR * (seconds + TIME_ADDED_SECONDS))
            text = said.read_text() if said.exists() else ""
        if status == pytest.ExitCode.OK:
            return "", True
        if status is None or status == -signal.SIGXCPU:
            return "limit of time", False
        if status < 0:
            return f"signal {-status}", True
        if status != pytest.ExitCode.TESTS_FAILED:
            raise MutationError(f"Mutant {mutant.number} ended pytest with {status}:\n{text}")
        return _first_words(text), "ended without results" not in text

    def _be_mutant(self, mutant: Mutant, tests: Sequence[str], build: Build, limit_seconds: int, said: Path) -> None:
        """In the forked process; does not return."""
        code = int(pytest.ExitCode.INTERNAL_ERROR)
        try:
            os.setsid()
            # At the first limit a process is told, at the second killed.
            resource.setrlimit(resource.RLIMIT_CPU, (limit_seconds, limit_seconds + 1))
            os.environ[MUTANT_VARIABLE] = str(mutant.number)
            # One test of a bench that fails kills a mutant: those behind it are not run.
            os.environ["COCOTB_MAX_FAILURES"] = "1"
            code = self._pytest_quietly(tests, build)
            said.write_text("\n".join(build.failed))
        finally:
            os._exit(code)


def _limit(seconds: float) -> int:
    """Processor time of a mutant, by how long the tests take without one."""
    return int(TIME_FACTOR * seconds + TIME_ADDED_SECONDS)


def wait(process: int, limit_seconds: float) -> int | None:
    """How a process ended: its exit status, the signal as a negative number, or None where the limit ended it."""
    end = time.monotonic() + limit_seconds
    pause = 0.01
    while time.monotonic() < end:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            _end_group(process)
            return os.waitstatus_to_exitcode(status)
        time.sleep(pause)
        pause = min(0.2, pause * 1.5)
    _end_group(process)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return None


def _end_group(process: int) -> None:
    """Simulators that the process left behind; the group is its own."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def _first_words(failure: str) -> str:
    """The test, and the first line of what it said."""
    test = failure.partition("\n")[0]
    errors = [line.removeprefix("E").strip() for line in failure.splitlines() if line.startswith("E ")]
    return f"{test}: {errors[0].removeprefix('AssertionError: ')}" if errors else test
