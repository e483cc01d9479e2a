import numpy as np
import pytest
from cocotb.types import Logic, LogicArray

from rewardware.sim.cocotb import bench, compare, compare_all


@pytest.fixture(autouse=True)
def run(tmp_path, monkeypatch):
    file = tmp_path / "run"
    bench.Run(waveform="waves.fst").save(file)
    monkeypatch.setenv(bench.RUN_VARIABLE, str(file))
    bench.current_run.cache_clear()
    yield
    bench.current_run.cache_clear()


def message(*arguments, **options):
    with pytest.raises(AssertionError) as failure:
        compare(*arguments, **options)
    return str(failure.value)


def test_equal_values_of_any_kind_pass():
    compare({"a": np.int64(-3), "b": np.array([1, 2])}, {"a": -3, "b": [1, 2]}, "results", 0)


def test_values_of_ports_compare_as_integers_and_fractions_do_not():
    compare(5, LogicArray("101"), "results", 0)
    compare(1, Logic("1"), "results", 0)
    assert "expected 1.5" in message(1.5, 1, "results", 0)


def test_message_has_everything():
    assert message(-2, 5, "results", 17) == (
        "results[17] differs\n  expected 0xfffffffffffffffe (-2)\n  got      0x5 (5)\n  waveform waves.fst"
    )


def test_message_has_the_meaning_if_there_is_one():
    assert "got      0x5 (5: 1.25)" in message(4, 5, "results", 0, fmt=lambda value: f"{value / 4}")


@pytest.mark.parametrize(
    "expected, got, place",
    [
        ({"a": 1, "b": [1, 2, 3]}, {"a": 1, "b": [1, 9, 3]}, "results[0].b[1] differs\n  expected 0x2 (2)"),
        ([1, 2], [1, 2, 3], "results[0] length differs\n  expected 0x2 (2)"),
        ({"a": 1}, {"b": 1}, "results[0] fields differs\n  expected ['a']"),
        (None, 1, "results[0] differs\n  expected None"),
    ],
)
def test_first_difference_is_named(expected, got, place):
    assert message(expected, got, "results", 0).startswith(place)


def test_several_transactions():
    compare_all([1, 2], np.array([1, 2]), "results")
    with pytest.raises(AssertionError, match=r"^results\[1\] differs"):
        compare_all([1, 2], [1, 3], "results")
    with pytest.raises(AssertionError, match="^results: expected 2 transactions, got 1$"):
        compare_all([1, 2], [1], "results")
