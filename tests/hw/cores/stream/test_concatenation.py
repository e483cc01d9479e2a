"""Streams one after the other, and apart again."""

import pytest
from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.stream.concatenation import StreamConcatenation, StreamSplit
from rewardware.hw.cores.stream.fork import StreamFork
from rewardware.sim.cocotb import simulate


class ThereAndBack(wiring.Component):
    """A concatenation, and its two parts split again."""

    def __init__(self, *sizes):
        self.parts = StreamConcatenation(5, *sizes), StreamSplit(5, *sizes)
        numbers, count = stream.Signature(5), len(sizes)
        super().__init__({"i": In(numbers).array(count), "all": Out(numbers), "split": Out(numbers).array(count)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.concatenation, m.submodules.split_apart = concatenation, split = self.parts
        m.submodules.fork = fork = StreamFork(5, 2)
        for outside, inside in zip(self.i, concatenation.i, strict=True):
            wiring.connect(m, wiring.flipped(outside), inside)
        wiring.connect(m, concatenation.o, fork.i)
        wiring.connect(m, fork.o[0], wiring.flipped(self.all))
        wiring.connect(m, fork.o[1], split.i)
        for inside, outside in zip(split.o, self.split, strict=True):
            wiring.connect(m, inside, wiring.flipped(outside))
        return m


@pytest.mark.parametrize("sizes", [(3, 2), (2, 1, 4, 1)], ids=str)
def test_there_and_back(sizes):
    component = ThereAndBack(*sizes)
    assert [part.sizes for part in component.parts] == [sizes] * 2
    simulate(
        component,
        bench="tests.hw.cores.stream.bench_concatenation",
        parameters={"sizes": sizes},
        after_noise=True,
    )


@pytest.mark.parametrize("component", [StreamConcatenation, StreamSplit])
@pytest.mark.parametrize(
    ("sizes", "error", "message"),
    [
        ((0, 1), ValueError, "Size must be at least 1, not 0"),
        ((1, 2, 0), ValueError, "Size must be at least 1, not 0"),
        ((1, "2"), TypeError, "Size must be an integer, not '2'"),
        ((3,), ValueError, "Sizes must be those of at least 2 streams, not of 1"),
    ],
)
def test_bad_sizes(component, sizes, error, message):
    with pytest.raises(error, match=f"^{message}$"):
        component(5, *sizes)
