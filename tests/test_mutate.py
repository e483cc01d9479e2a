"""Mutation testing: what good tests kill, what weak ones let live, what nobody can kill, and that nothing hangs."""

import dataclasses
import json
import os
import time

import pytest

from rewardware.hw.cores.float.adder_tree import FloatAdderTree
from rewardware.hw.cores.float.adder_tree_config import FloatAdderTreeConfig
from rewardware.hw.cores.replicated import replicated
from rewardware.hw.cores.stream.skid_buffer import SkidBuffer
from rewardware.hw.cores.verilog.emit import emit
from tests.hw.cores.side_by_side import SideBySide
from tests.mutate.__main__ import main
from tests.mutate.equivalence import Comparison, compare
from tests.mutate.example import AroundSampled, Gate, LateCounter, Maximum, NamedAlike, Sampled, Square, Store
from tests.mutate.instances import instances, parts_of_others, places_of
from tests.mutate.mutants import mutate
from tests.mutate.report import CoreReport, say, table
from tests.mutate.run import MutationError, Session, wait
from tests.mutate.table import CORES

ALL = 300


def find(mutated, kind, place, port, bit=0):
    """The mutant of one bit of a cell's port, by a piece of the line that the cell stands in."""
    (found,) = (
        mutant
        for mutant in mutated.mutants
        if mutant.kind == kind and place in mutant.place and f" -port {port} -portbit {bit}" in mutant.options
    )
    return found


def faults(top="unit"):
    """Faults of the example: a bit inverted, a comparison that is constant, and a bit lost that is not needed."""
    mutated = mutate(emit(Maximum(), top), top, ALL, 1)
    return (
        find(mutated, "inv", "result = ", "Y"),
        find(mutated, "const1", " ? a : b", "S"),
        find(mutated, "const0", "result = ", "B"),
    )


def verdicts(test, *chosen, component=""):
    session = Session(tests=[f"tests/mutate/example.py::{test}"], component=component)
    ((design, tests),) = session.record().items()
    assert tests == [f"tests/mutate/example.py::{test}"]
    mutated = dataclasses.replace(mutate(design.verilog, design.top, ALL, 1), mutants=chosen)
    return session.run(design, tests, mutated, lambda verdict: None)


@pytest.mark.parametrize(
    ("test", "killed"),
    [("test_all_pairs", [True, True, False]), ("test_equal_numbers", [True, False, False])],
)
def test_a_weak_test_lets_a_fault_live(test, killed):
    found = verdicts(test, *faults())
    assert [bool(verdict.killed_by) for verdict in found] == killed
    assert found[0].killed_by.startswith(f"tests/mutate/example.py::{test}: ")
    assert all(verdict.in_time for verdict in found)


def test_benches_of_cocotb_run_on_mutants():
    inverted, _, unneeded = faults()
    found = verdicts("test_in_a_bench", inverted, unneeded)
    # All numbers are in the text: the bench's name, the transaction and what came instead.
    assert found[0].killed_by == "tests/mutate/example.py::test_in_a_bench: larger_of_all_pairs: result[0] differs"
    assert found[1].killed_by == ""


def test_what_amaranth_simulates_has_mutants():
    found = verdicts("test_with_amaranth", *faults("top"), component="tests.mutate.example:Maximum")
    assert found[0].killed_by.startswith("tests/mutate/example.py::test_with_amaranth: ")
    assert [bool(verdict.killed_by) for verdict in found] == [True, True, False]


def test_what_amaranth_simulates_has_memories():
    mutated = mutate(emit(Store(), "top"), "top", ALL, 1)
    lost = find(mutated, "const0", "<= write_0_data", "DATA")
    found = verdicts("test_memory_with_amaranth", lost, component="tests.mutate.example:Store")
    assert [bool(verdict.killed_by) for verdict in found] == [True]


def test_what_never_shows_is_equivalent():
    mutated = mutate(emit(Maximum(), "unit"), "unit", ALL, 1)
    _, always, unneeded = faults()
    assert compare(mutated, unneeded, "unit") == Comparison(equivalent=True)
    assert compare(mutated, always, "unit") == Comparison(shown=True)


@pytest.mark.parametrize("chosen", ["open ? a : b", "open ? b : a"], ids=["payload", "row"])
def test_what_leaves_counts_while_it_is_valid(chosen):
    mutated = mutate(emit(Gate(), "top"), "top", ALL, 1)
    unseen, seen = (find(mutated, "inv", chosen, port) for port in "AB")
    assert compare(mutated, unseen, "top") == Comparison(equivalent=True)
    assert compare(mutated, seen, "top") == Comparison(shown=True)


def test_state_that_is_never_used_is_equivalent():
    mutated = mutate(emit(SkidBuffer(2), "top"), "top", ALL, 1)
    # In reset the value that is held is another one, and goes nowhere.
    assert compare(mutated, find(mutated, "const1", "if (rst)", "B", 1), "top") == Comparison(equivalent=True)


def test_how_large_a_memory_is_does_not_matter():
    mutated = mutate(emit(Store(), "top"), "top", ALL, 1)
    assert compare(mutated, find(mutated, "const0", "write__data = b", "B", 2), "top") == Comparison(equivalent=True)


def test_what_shows_late_is_found_in_its_cycle():
    mutated = mutate(emit(LateCounter(21), "top"), "top", ALL, 1)
    late = find(mutated, "const0", "late = ", "Y")
    assert compare(mutated, late, "top") == Comparison(shown=True, cycles=21)


def test_what_is_too_hard_is_equal_up_to_a_bound(monkeypatch):
    """A product and the same product with its factors exchanged, of which one has a fault that changes nothing."""
    monkeypatch.setattr("tests.mutate.equivalence.PROOF_SECONDS", 1)
    # Enough for the first cycle on a busy machine.
    monkeypatch.setattr("tests.mutate.equivalence.SEARCH_SECONDS", 5)
    mutated = mutate(emit(Square(14), "top"), "top", ALL, 1)
    found = compare(mutated, find(mutated, "const0", "wrong = ", "Y"), "top")
    assert not found.equivalent and not found.shown and found.cycles > 0


def test_what_yosys_does_not_compare_survives(monkeypatch):
    """The checker knows no registers with an asynchronous reset."""
    mutated, refused = mutate(emit(Sampled(), "top"), "top", ALL, 1), {}
    mutant = find(mutated, "const0", "a & b", "Y")
    found = compare(mutated, mutant, "top", refused)
    assert found == Comparison(refusal=found.refusal)
    assert "cannot be legalized" in say(found)
    # No other mutant of the design is tried.
    monkeypatch.setattr("tests.mutate.equivalence.run_tool", None)
    assert compare(mutated, mutant, "top", refused) == found


def test_what_is_inside_other_parts_does_not_matter():
    """Two parts that the checker knows nothing of: what reaches them is compared, and what they answer is anything."""
    mutated = mutate(emit(AroundSampled(), "top"), "top", ALL, 1, ["part_0.", "part_1."])
    assert not any("part" in mutant.cell for mutant in mutated.mutants)
    unneeded, needed = (find(mutated, "const0", " = a | ", port) for port in "BA")
    assert compare(mutated, unneeded, "top") == Comparison(equivalent=True)
    # A difference that answers of a part may hide or show is none: here all is compared, which is refused.
    assert "cannot be legalized" in compare(mutated, needed, "top").refusal
    # With the parts, and with one of them, nothing is said of either.
    for beside in ([], ["part_1."]):
        mutated = mutate(emit(AroundSampled(), "top"), "top", ALL, 1, beside)
        unneeded = find(mutated, "const0", " = a | ", "B")
        assert "cannot be legalized" in compare(mutated, unneeded, "top").refusal


def test_same_seed_same_mutants():
    text = emit(Maximum(), "unit")
    first, same, other = (mutate(text, "unit", 10, seed).mutants for seed in (1, 1, 2))
    assert first == same != other
    assert len({mutant.options for mutant in first}) == len(first) == 10
    assert not [mutant for mutant in first if " -port CLK" in mutant.options]


def test_what_stands_beside_a_core_has_no_faults():
    # The name counts for the outermost instance alone.
    text = emit(SideBySide({"one": Maximum(), "other": SideBySide({"one": Maximum()})}), "top")
    cells = {
        beside: [mutant.options for mutant in mutate(text, "top", 10, 1, beside).mutants] for beside in ((), ("one",))
    }
    assert any("$flatten\\one." in options for options in cells[()])
    assert len(cells["one",]) == 10 and all("$flatten\\other.\\one." in options for options in cells["one",])
    assert not mutate(text, "top", 10, 1, ("one", "other.one")).mutants


def test_instances_have_paths_through_replicated_units():
    """Equal units are converted once, and each has its parts; a unit may hold others."""
    tree = FloatAdderTree(FloatAdderTreeConfig(terms=3))
    design = SideBySide({name: replicated(tree, key=()) for name in ("one", "other")})
    with instances(design) as found:
        text = emit(design, "top")
    adders = {"adder_0_0": "FloatAdder", "adder_1_0": "FloatAdder"}
    expected = {f"{tree}.{path}": kind for tree in ("one", "other") for path, kind in adders.items()}
    assert found == {"": "SideBySide", "one": "FloatAdderTree", "other": "FloatAdderTree", **expected}
    beside = parts_of_others(found, {"FloatAdderTree"}, {"FloatAdderTree", "FloatAdder"})
    of_adders = [".\\adder_" in mutant.options for mutant in mutate(text, "top", 10, 1, beside).mutants]
    assert of_adders == [False] * 10


def test_instances_of_other_cores_have_no_faults():
    buffers = {"one": SkidBuffer(8), "other": SideBySide({"one": SkidBuffer(8)})}
    design = SideBySide({"ones": Maximum(), **buffers})
    with instances(design) as found:
        text = emit(design, "top")
    inside = {"ones": "Maximum", "one": "SkidBuffer", "other": "SideBySide", "other.one": "SkidBuffer"}
    assert found == {"": "SideBySide", **inside}
    beside = parts_of_others(found, {"Maximum"}, {"Maximum", "SkidBuffer"})
    assert beside == ["one.", "other.one."]
    # The name counts to its end.
    mutants = mutate(text, "top", 10, 1, beside).mutants
    assert mutants and all("$flatten\\ones." in mutant.options for mutant in mutants)
    # An instance that holds the core itself is not left out.
    assert parts_of_others(found, {"SkidBuffer"}, {"SkidBuffer", "SideBySide"}) == []


def test_what_holds_a_core_has_no_faults():
    design = AroundSampled()
    with instances(design) as found:
        text = emit(design, "top")
    places = places_of(found, {"Sampled"})
    assert places == ["part_0.", "part_1."]
    mutants = mutate(text, "top", 5, 1, within=places).mutants
    assert len(mutants) == 5 and all("\\part_" in mutant.cell for mutant in mutants)
    # All of the core itself, and of what holds no instance.
    assert places_of(found, {"AroundSampled", "Sampled"}) == places_of(found, {"Maximum"}) == []


def test_an_instance_with_the_name_of_a_signal_has_no_faults():
    text = emit(SideBySide({"one": NamedAlike()}), "top")
    assert any(".\\part$" in mutant.options for mutant in mutate(text, "top", 10, 1).mutants)
    assert not mutate(text, "top", 10, 1, ("one.part.",)).mutants


def test_a_small_part_beside_large_ones_has_its_faults():
    others = {f"square_{index}": Square(40) for index in range(8)}
    text = emit(SideBySide({"one": Gate()} | others), "top")
    assert len(mutate(text, "top", 5, 1, ("square",)).mutants) == 5


def test_tests_that_fail_by_themselves_say_nothing():
    with pytest.raises(MutationError, match="(?s)^The tests fail without a mutant:.*test_that_fails"):
        Session(tests=["tests/mutate/example.py::test_that_fails"]).record()
    with pytest.raises(MutationError, match="^No simulator is built by tests/mutate/example.py::test_of_nothing$"):
        Session(tests=["tests/mutate/example.py::test_of_nothing"]).record()


def test_a_process_that_hangs_is_ended():
    process = os.fork()
    if process == 0:
        os.setsid()
        time.sleep(60)
        os._exit(0)
    begin = time.monotonic()
    assert wait(process, 0.3) is None
    assert time.monotonic() - begin < 10


@pytest.mark.parametrize(
    ("test", "seconds", "said"),
    [
        ("test_without_end_if_wrong", 1, "limit of time"),
        # The simulator is to meet its limit before pytest, which starts it, meets its own on a busy machine.
        ("test_without_end_in_a_bench", 5, "tests/mutate/example.py::test_without_end_in_a_bench: The simulation of "),
    ],
)
def test_a_mutant_that_computes_without_end_is_ended(monkeypatch, test, seconds, said):
    monkeypatch.setattr("tests.mutate.run.TIME_FACTOR", 0)
    monkeypatch.setattr("tests.mutate.run.TIME_ADDED_SECONDS", seconds)
    (verdict,) = verdicts(test, faults()[0])
    assert verdict.killed_by.startswith(said) and not verdict.in_time


def test_report():
    found = verdicts("test_equal_numbers", *faults())
    _, always, unneeded = found
    survivors = [(always, Comparison(shown=True, cycles=2)), (unneeded, Comparison(equivalent=True))]
    report = CoreReport(name="Maximum", designs=1, verdicts=found, survivors=survivors)
    assert table([report]).splitlines()[-1] == "| Maximum | 1 | 3 | 1 | 1 | 1 | 0 | 50 % |"
    (line,) = report.lines()
    assert always.mutant.options in line and "some input shows it in cycle 3 from power-on" in line
    assert [mutant["killed_by"] != "" for mutant in json.loads(json.dumps(report.as_dictionary()))["list"]] == [
        True,
        False,
        False,
    ]


def test_command_says_which_cores_there_are(capsys):
    with pytest.raises(SystemExit):
        main(["nowhere"])
    assert "No such core; the table has: cores/stream SkidBuffer" in capsys.readouterr().err


def test_every_core_of_the_table_has_its_tests():
    files = [path.partition("::")[0] for core in CORES for path in core.paths]
    assert not [file for file in files if not os.path.exists(file)]
