"""Two streams side by side, and apart again."""

import pytest
from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.stream.concatenation import StreamConcatenation, StreamSplit
from rewardware.hw.cores.stream.fork import StreamFork
from rewardware.sim.cocotb import simulate


class ThereAndBack(wiring.Component):
    """What a concatenation makes, and both parts of it."""

    def __init__(self, first, second):
        self.parts = StreamConcatenation(5, first, second), StreamSplit(5, first, second)
        numbers = stream.Signature(5)
        super().__init__(
            {"i": In(numbers).array(2), "both": Out(numbers), "tail": Out(numbers), "split": Out(numbers).array(2)}
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.concatenation, m.submodules.split_apart = concatenation, split = self.parts
        m.submodules.fork = fork = StreamFork(5, 2)
        for outside, inside in zip(self.i, concatenation.i, strict=True):
            wiring.connect(m, wiring.flipped(outside), inside)
        wiring.connect(m, concatenation.o, fork.i)
        wiring.connect(m, fork.o[0], wiring.flipped(self.both))
        wiring.connect(m, fork.o[1], split.i)
        for inside, outside in zip(split.o, self.split, strict=True):
            wiring.connect(m, inside, wiring.flipped(outside))
        return m


def test_there_and_back():
    component = ThereAndBack(3, 2)
    concatenation, split = component.parts
    assert (concatenation.first, concatenation.second, split.first, split.second) == (3, 2, 3, 2)
    simulate(
        component,
        bench="tests.hw.cores.stream.bench_concatenation",
        parameters={"first": 3, "second": 2},
        after_noise=True,
    )


@pytest.mark.parametrize(
    ("component", "numbers", "message"),
    [
        (StreamConcatenation, (0, 1), "First must be at least 1, not 0"),
        (StreamConcatenation, (1, 0), "Second must be at least 1, not 0"),
        (StreamSplit, (0, 1), "First must be at least 1, not 0"),
        (StreamSplit, (1, 0), "Second must be at least 1, not 0"),
    ],
)
def test_bad_numbers(component, numbers, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        component(5, *numbers)
