"""Bursts end at multiples of their size, whatever becomes available when: proved, not sampled."""

import pytest
from amaranth.hdl import Assert, Assume, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from rewardware.hw.soc.bus.bursts import BurstGenerator
from rewardware.hw.soc.bus.data_mover_config import DataMoverConfig
from tests.hw.formal import prove, stays

CONFIG = DataMoverConfig(row_width=32, data_width=32, address_width=13, burst_beats=4, count_width=4)


class BurstProperties(wiring.Component):
    """A generator whose owner adds beats as the solver chooses."""

    def __init__(self, generator):
        self.generator = generator
        super().__init__(
            {"begin": In(1), "address": In(11), "more": In(3), "final": In(1), "room": In(1), "ready": In(1)}
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.generator = generator = self.generator
        bursts, burst = generator.bursts, generator.bursts.payload
        available, running, was_final = Signal(CONFIG.beat_count_width), Signal(), Signal()
        # After the burst that is offered, or the one before.
        next_address, taken = Signal(11), Signal()
        m.d.comb += [
            generator.begin.eq(self.begin),
            generator.address.eq(self.address),
            generator.available.eq(available),
            generator.final.eq(self.final),
            generator.room.eq(self.room),
            bursts.ready.eq(self.ready),
            taken.eq(bursts.valid & self.ready),
            # A run begins when the one before is over, and what is final stays so.
            Assume(~self.begin | ((available == 0) & ~bursts.valid)),
            Assume(self.begin | ~was_final | self.final),
            Assume(self.begin | ~self.final | (self.more == 0)),
            Assume(running | self.begin | (self.more == 0)),
            Assume(available + self.more <= 15),
        ]
        m.d.sync += [
            available.eq(available + self.more - Mux(taken, burst.beats, 0)),
            was_final.eq(self.final & ~self.begin),
        ]
        with m.If(self.begin):
            m.d.sync += [running.eq(1), next_address.eq(self.address)]
        with m.Elif(taken):
            m.d.sync += next_address.eq(next_address + burst.beats)
        stays(m, bursts, "bursts", Assert)
        with m.If(bursts.valid):
            end = Signal(4)
            m.d.comb += [
                end.eq(burst.address[:2] + burst.beats),
                Assert(burst.beats != 0),
                Assert(burst.beats <= available),
                Assert(burst.address == next_address),
                Assert(end <= 4),
                # A burst that ends early is the last one.
                Assert((end == 4) | (was_final & (burst.beats == available))),
            ]
        # For the induction: the generator stands where the next burst begins, unless the run is over.
        m.d.comb += Assert(running | (~bursts.valid & (available == 0)))
        with m.If(running & ~(was_final & (available == 0))):
            m.d.comb += Assert(generator.position == next_address)
        return m


def test_bursts_are_whole_and_in_their_pages(tmp_path):
    assert "successful proof by k-induction" in prove(BurstProperties(BurstGenerator(CONFIG)), tmp_path)


def test_configurations_are_checked():
    given = {"row_width": 96, "data_width": 128}
    assert DataMoverConfig(**given).row_bytes == 16
    assert DataMoverConfig(**given | {"row_width": 2048}).beats_per_row == 16
    assert DataMoverConfig(**given | {"row_width": 32}).rows_per_beat == 4
    for changed, words in (
        ({"row_width": 40}, "Row width must be at least 32 and a multiple of 32, not 40"),
        ({"data_width": 96}, "Data width must be a power of two, not 96"),
        ({"data_width": 2048}, "Data width must be from 32 to 1024, not 2048"),
        ({"address_width": 12}, "Address width must be from 13 to 64, not 12"),
        ({"count_width": 33}, "Count width must be from 2 to 32, not 33"),
        ({"burst_beats": 1}, "Beats of a burst must be from 2 to 256, not 1"),
        ({"burst_beats": 24}, "Beats of a burst must be a power of two, not 24"),
        ({"outstanding": 1}, "Outstanding bursts must be at least 2, not 1"),
        (
            {"burst_beats": 256, "data_width": 256},
            "A burst must have at most 4096 bytes, not 256 beats of 32",
        ),
    ):
        with pytest.raises(ValueError) as raised:
            DataMoverConfig(**given | changed)
        assert str(raised.value) == words
    with pytest.raises(TypeError, match="Row width must be an integer, not '96'"):
        DataMoverConfig(row_width="96")
