"""Where the processor's time goes in a run of the tests: the plugin behind ``pytest --processor-time=50``.

Time on the clock says how busy the machine was; processor time says what a test costs. Each test is charged with what
its process used from one of its reports to the next, and with all programs that ended in between, the compilers that
``make`` starts included. The first of several tests pays for what is made once for all of them.
"""

import functools
import importlib
import resource
import subprocess
import threading
from collections import Counter
from pathlib import Path

import pytest

PROPERTY = "processor_time"

PYTHON = "Python, and simulators loaded into it"
ELABORATION, VERILATOR, COMPILER = BUILDING = ("elaboration", "Verilator", "C++ compiler")
# Programs that simulators are built and run with; others go by their own names.
KINDS = {"verilator": VERILATOR, "make": COMPILER, "top": "simulators of cocotb"}
OTHERS = "processes started by Python"

# Where components become Verilog: the one place that all who call `emit` come through, whenever they imported it.
CONVERTING = "rewardware.hw.cores.verilog.emit", "convert"


class Meter:
    """Seconds of processor time since it was last read, by kind: of this process, and of those that it waited for."""

    def __init__(self):
        self._kind, self._spent, self._lock = PYTHON, Counter(), threading.Lock()
        # From the start of the process: Python's own start and pytest's are part of what a run costs.
        self._own, self._ended = 0.0, 0.0

    def charge(self, program=OTHERS):
        """Charge this process's time to what it has been doing, and that of ended ones to ``program``."""
        with self._lock:
            own, ended = _used()
            self._spent[self._kind] += own - self._own
            self._spent[program] += ended - self._ended
            self._own, self._ended = own, ended

    def read(self):
        """Processor time spent since the last call."""
        self.charge()
        with self._lock:
            spent, self._spent = self._spent, Counter()
        return {kind: seconds for kind, seconds in spent.items() if seconds > 0}

    def doing(self, kind, function):
        """The function, with the time that it takes charged to ``kind``; it may call itself."""

        @functools.wraps(function)
        def charged(*arguments, **options):
            self.charge()
            outer, self._kind = self._kind, kind
            try:
                return function(*arguments, **options)
            finally:
                self.charge()
                self._kind = outer

        return charged

    def ending(self, reap):
        """The method of :class:`subprocess.Popen` that is called when a program has ended, with its time charged."""

        @functools.wraps(reap)
        def charged(process, *arguments, **options):
            reap(process, *arguments, **options)
            self.charge(_program(process.args))

        return charged


def _used():
    """Seconds of this process, and of all that it has waited for."""
    spent = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return [usage.ru_utime + usage.ru_stime for usage in spent]


def _program(command):
    first = command if isinstance(command, str | Path) else next(iter(command), "")
    name = Path(str(first)).name
    return KINDS.get(name.removesuffix("_bin"), name or OTHERS)


class ProcessorTime:
    """The plugin: measures where tests run, which with xdist is in its workers, and prints where they are reported.

    Parameters
    ----------
    config : pytest.Config
    longest : int
        Tests and files that are listed; 0: all.
    """

    def __init__(self, config, longest):
        self._longest = longest
        self._tests, self._outside = {}, Counter()
        self._meter = None
        self._patch = pytest.MonkeyPatch()
        # The controller of xdist runs no tests.
        if getattr(config.option, "dist", "no") == "no" or hasattr(config, "workerinput"):
            self._measure()

    def _measure(self):
        self._meter = Meter()
        module, name = importlib.import_module(CONVERTING[0]), CONVERTING[1]
        self._patch.setattr(module, name, self._meter.doing(ELABORATION, getattr(module, name)))
        # Not `wait` and `poll`: programs end in either, and within `communicate`.
        reap = subprocess.Popen._handle_exitstatus
        self._patch.setattr(subprocess.Popen, "_handle_exitstatus", self._meter.ending(reap))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self):
        # Time that was spent before the first test, or between two, does not belong to the next one.
        self._outside.update(self._meter.read())
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self):
        report = yield
        # Into the report, not the test: those of the test come again in each of its reports.
        report.user_properties.append((PROPERTY, self._meter.read()))
        return report

    def pytest_runtest_logreport(self, report):
        for name, spent in report.user_properties:
            if name == PROPERTY:
                self._tests.setdefault(report.nodeid, Counter()).update(spent)

    def pytest_sessionfinish(self, session):
        if self._meter is None:
            # Its workers end later, and have said themselves what they used.
            self._outside[PYTHON] += _used()[0]
            return
        self._outside.update(self._meter.read())
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[PROPERTY] = dict(self._outside)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        # A worker that crashed has left none.
        self._outside.update(getattr(node, "workeroutput", {}).get(PROPERTY, {}))

    def pytest_unconfigure(self):
        self._patch.undo()

    def pytest_terminal_summary(self, terminalreporter):
        files = {}
        for test, spent in self._tests.items():
            files.setdefault(test.partition("::")[0], Counter()).update(spent)
        terminalreporter.section("processor time, seconds")
        for what, rows in (("tests", self._tests), ("files", files)):
            for line in _table(what, rows, self._longest):
                terminalreporter.line(line)
            terminalreporter.line("")
        for line in _kinds(self._tests.values(), self._outside):
            terminalreporter.line(line)


def _table(what, rows, longest):
    """The longest of some rows, builds apart from the rest, and the sum of the others."""
    ordered = sorted(rows.items(), key=lambda row: (-row[1].total(), row[0]))
    listed = ordered[: longest or None]
    yield "".join(f"{title:>13}" for title in ("all", *BUILDING, "run")) + f"  {what}"
    for name, spent in listed:
        yield _row(name, spent)
    if others := ordered[len(listed) :]:
        yield _row(f"{len(others)} others", sum((spent for _, spent in others), Counter()))


def _row(name, spent):
    building = [spent[kind] for kind in BUILDING]
    seconds = (spent.total(), *building, spent.total() - sum(building))
    return "".join(f"{value:13.2f}" for value in seconds) + f"  {name}"


def _kinds(tests, outside):
    """Sums of all tests by kind of process, and what was spent beside tests."""
    spent = sum(tests, Counter())
    whole = spent.total() + outside.total()
    rows = [*spent.most_common(), ("imports, collection and pytest itself", outside.total())]
    yield f"{'all':>13}{'share':>13}  kinds of process"
    for kind, seconds in [*rows, ("all", whole)]:
        yield f"{seconds:13.2f}{100 * seconds / max(whole, 1e-9):11.0f} %  {kind}"
