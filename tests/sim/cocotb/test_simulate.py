from pathlib import Path

import pytest

from rewardware.sim.cocotb import simulate

from .cores import Adder, Counter, Doubler

ROOT = Path(__file__).parents[3]
BENCH = "tests.sim.cocotb.bench_adder"


def fst_hierarchy(content: bytes) -> bytes:
    """The names in an FST file: its block of kind 6, one LZ4 sequence of literals."""
    position = 0
    while content[position] != 6:
        position += 1 + int.from_bytes(content[position + 1 : position + 9])
    size, block = int.from_bytes(content[position + 9 : position + 17]), content[position + 17 :]
    assert block[0] == 0xF0
    extension = next(index for index, byte in enumerate(block[1:]) if byte != 255)
    assert 15 + 255 * extension + block[1 + extension] == size
    return block[2 + extension : 2 + extension + size]


@pytest.mark.parametrize("stall", [0, 0.4])
def test_adder(stall):
    simulate(Adder(), bench=BENCH, parameters={"stall": stall, "count": 300})


def test_component_without_clock():
    simulate(Doubler(), bench="tests.sim.cocotb.bench_doubler", tests="doubles")
    simulate(Doubler(), bench="tests.sim.cocotb.bench_doubler", tests="doubles", after_noise=True)


def test_an_assertion_tells_the_values_that_it_compared():
    with pytest.raises(AssertionError, match=r"^triples: assert 10 == \(3 \* 5\)\n"):
        simulate(Doubler(), bench="tests.sim.cocotb.bench_doubler", tests="triples")


def test_what_failed_once_has_failed(tmp_path):
    """A second run, for the values that were compared, that passes."""
    with pytest.raises(AssertionError, match="^fails_the_first_time: Traceback"):
        simulate(
            Doubler(),
            bench="tests.sim.cocotb.bench_doubler",
            parameters={"ran": tmp_path / "ran"},
            tests="fails_the_first_time",
        )


def test_what_a_reset_forgets_shows_after_noise():
    bench, first = "tests.sim.cocotb.bench_counter", "counts_from_zero"
    simulate(Counter(), bench=bench, after_noise=True)
    simulate(Counter(reset_less=True), bench=bench, tests=first)
    with pytest.raises(AssertionError, match=f"^{first}: "):
        simulate(Counter(reset_less=True), bench=bench, tests=first, after_noise=True)
    with pytest.raises(AssertionError, match="has no test named nothing"):
        simulate(Counter(), bench=bench, tests="nothing", after_noise=True)


def test_waveform_is_written_and_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    with pytest.raises(AssertionError) as failure:
        simulate(Adder("value"), bench=BENCH, parameters={"stall": 0, "count": 0}, tests="adds", waveform=True)
    (waveform,) = tmp_path.glob("build/waveforms/*.fst")
    assert f"waveform {waveform}" in str(failure.value)
    assert b"results__payload" in fst_hierarchy(waveform.read_bytes())


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
