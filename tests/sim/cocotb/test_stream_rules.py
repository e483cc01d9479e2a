"""The rule of streams finds who breaks it, in benches that do not look."""

import pytest
from amaranth.hdl import Module, ResetInserter, Signal
from amaranth.lib import wiring

from rewardware.hw.cores.stream.buffer import StreamBuffer
from rewardware.hw.cores.stream.buffer_config import StreamBufferConfig
from rewardware.sim.cocotb import simulate
from rewardware.sim.cocotb.stream_rules import SEEN, streams_of

from .cores import REQUEST, SUM, Adder

BENCH = "tests.sim.cocotb.bench_by_hand"
ADDER = "tests.sim.cocotb.cores:Adder"


class Inside(wiring.Component):
    """An adder of whose streams nothing reaches the outside but through buffers, and which is reset now and then."""

    def __init__(self, mistake=""):
        self.mistake = mistake
        super().__init__(Adder().signature)

    def elaborate(self, platform):
        m = Module()
        again = Signal(5)
        m.d.sync += again.eq(again + 1)
        m.submodules.adder = ResetInserter(again == 0)(adder := Adder(self.mistake))
        config = StreamBufferConfig(depth=2)
        m.submodules.before = before = StreamBuffer(REQUEST, config)
        m.submodules.behind = behind = StreamBuffer(SUM, config)
        wiring.connect(m, wiring.flipped(self.requests), before.i)
        wiring.connect(m, before.o, adder.requests)
        wiring.connect(m, adder.results, behind.i)
        wiring.connect(m, behind.o, wiring.flipped(self.results))
        return m


def run(component, tests="moves", faithless=False, **options):
    simulate(component, bench=BENCH, tests=tests, parameters={"faithless": faithless}, **options)


@pytest.mark.parametrize("component, place", [(Adder, ADDER), (Inside, ADDER)])
@pytest.mark.parametrize(
    "mistake, words",
    [
        ("unstable", "payload changed while it waited"),
        ("withdrawn", "valid withdrawn before the value was accepted"),
    ],
)
def test_broken_rules_are_found_wherever_the_component_stands(component, place, mistake, words):
    with pytest.raises(AssertionError, match=rf"^Stream rule broken: {place} results: {words}\n"):
        run(component(mistake))


@pytest.mark.parametrize("component", [Adder, Inside])
def test_those_who_keep_the_rules_pass_and_are_noted(component):
    SEEN.clear()
    run(component())
    assert SEEN[f"{ADDER} requests"] and SEEN[f"{ADDER} results"]


def test_a_bench_keeps_the_rules_too():
    with pytest.raises(AssertionError, match=rf"^Stream rule broken: {ADDER} requests: "):
        run(Adder(), faithless=True)


def test_nothing_is_checked_before_the_first_reset():
    run(Adder(), after_noise=True)


def test_who_takes_nothing_is_found():
    words = "nothing moved in 100 cycles in which all were willing"
    with pytest.raises(AssertionError, match=f"^Stream rule broken: {ADDER}: {words}\n"):
        run(Adder("stuck"), "waits", progress_cycles=100)
    run(Adder("stuck"), "waits", progress_cycles=500)
    run(Adder(), "waits", progress_cycles=100)


def test_streams_have_the_names_and_directions_of_their_ports():
    assert [(name, out) for name, out, _ in streams_of(Adder())] == [("requests", False), ("results", True)]
