"""``pytest --processor-time``: what each test of the example used, with and without workers, and that sums are sums."""

import functools
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processor_time_example import SECONDS

ROOT = Path(__file__).parents[1]
EXAMPLE = "tests/processor_time_example.py"
OUTSIDE = "imports, collection and pytest itself"


@functools.cache
def run(*options):
    """The output of pytest on the example."""
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, EXAMPLE],
        cwd=ROOT,
        # A run within a worker of xdist is none of that worker's.
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def tables(output):
    """Rows of each table: a name, and the seconds before it."""
    section = output.partition(" processor time, seconds ")[2]
    rows = re.findall(r"^((?: +[\d.]+(?: %)?)+)  (\S.*)|^ .*  (tests|files|kinds of process)$", section, re.MULTILINE)
    found = {}
    for numbers, name, title in rows:
        if title:
            found[title] = {}
        else:
            list(found.values())[-1][name] = [float(number) for number in numbers.replace("%", "").split()]
    return found


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["one process", "two workers"])
def test_each_test_is_charged_with_what_it_used(workers):
    found = tables(run("--processor-time=0", *workers))
    tests = {name.rpartition("::")[2]: row for name, row in found["tests"].items()}
    for name in ("test_works", "test_starts_a_program"):
        used, *_, running = tests[name]
        assert SECONDS <= used < 2 * SECONDS
        assert running == used
    assert tests["test_rests"][0] < SECONDS / 2
    used, elaboration, verilator, compiler, running = tests["test_builds"]
    assert min(elaboration, verilator, compiler) > 0
    assert used == pytest.approx(elaboration + verilator + compiler + running, abs=0.05)

    kinds = {name: row[0] for name, row in found["kinds of process"].items()}
    program = Path(sys.executable).name
    assert SECONDS <= kinds[program] < 2 * SECONDS
    assert kinds["Python, and simulators loaded into it"] >= SECONDS
    # No other test builds.
    assert [kinds[name] for name in ("elaboration", "Verilator", "C++ compiler")] == [elaboration, verilator, compiler]
    whole = kinds.pop("all")
    assert whole == pytest.approx(sum(kinds.values()), abs=0.1)
    assert found["files"][EXAMPLE][0] == pytest.approx(whole - kinds[OUTSIDE], abs=0.1)


def test_each_process_imports_and_collects():
    alone, two = (
        tables(run("--processor-time=0", *workers))["kinds of process"][OUTSIDE][0] for workers in ((), ("-n", "2"))
    )
    assert alone > 0.1
    assert two > 1.5 * alone


def test_the_longest_are_listed_and_the_others_are_summed_up():
    tests = tables(run("--processor-time=2"))["tests"]
    *listed, others = tests
    assert len(listed) == 2
    assert others == "3 others"
    assert min(tests[name][0] for name in listed) >= SECONDS


def test_nothing_is_measured_unless_it_is_asked_for():
    assert "processor time" not in run()


def test_a_number_of_tests_is_a_number():
    with pytest.raises(AssertionError, match="--processor-time: must be a number of tests, 0 for all, not 'many'"):
        run("--processor-time=many")
