import pytest

from rewardware.sim.cocotb import simulate

from .cores import Adder, Doubler

BENCH = "tests.sim.cocotb.bench_adder"


@pytest.mark.parametrize("stall", [0, 0.4])
def test_adder(stall):
    simulate(Adder(), bench=BENCH, parameters={"stall": stall, "count": 300})


def test_component_without_clock():
    simulate(Doubler(), bench="tests.sim.cocotb.bench_doubler")


def test_difference_names_transaction_seed_and_command():
    with pytest.raises(AssertionError) as failure:
        simulate(Adder("value"), bench=BENCH, parameters={"stall": 0.2, "count": 0}, seed=7, tests="adds")
    text = str(failure.value)
    assert "adds: results[2] differs\n  expected 0x" in text
    assert "REWARDWARE_SEED=7 pytest" in text
    assert "test_simulate.py::test_difference_names_transaction_seed_and_command" in text


@pytest.mark.parametrize(
    "mistake, words",
    [
        ("unstable", "payload changed while it waited, from 0x"),
        ("withdrawn", "valid withdrawn before the value was accepted"),
        ("lost", "results[0]: nothing came within 100000 cycles"),
    ],
)
def test_broken_stream_is_noticed(mistake, words):
    with pytest.raises(AssertionError) as failure:
        simulate(Adder(mistake), bench=BENCH, parameters={"stall": 0.4, "count": 50}, tests="adds")
    assert words in str(failure.value)


def test_time_limit():
    with pytest.raises(AssertionError, match=r"bench_endless ended without results \(limit 3 s\)(.|\n)*never_ends"):
        simulate(Doubler(), bench="tests.sim.cocotb.bench_endless", timeout_s=3)


def test_bench_without_tests():
    with pytest.raises(AssertionError, match="No tests were discovered in any module"):
        simulate(Doubler(), bench="tests.sim.cocotb.cores")
