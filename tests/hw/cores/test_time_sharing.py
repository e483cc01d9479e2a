"""Rows through one unit in turns: each lane gets its own value and the row's control, and the row leaves whole."""

import numpy as np
import pytest
from amaranth.hdl import Module, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.time_sharing import collect, hold, serialize
from rewardware.sim.cocotb import simulate

from .bench_play import Expected
from .stimulus import mixed, spaced

WIDTH = 9


class Scaler(wiring.Component):
    """Every value of a row times the row's factor, a cycle in each unit."""

    def __init__(self, lanes, interval):
        self._interval = interval
        super().__init__(
            {
                "valid": In(1),
                "factor": In(4),
                "row": In(signed(WIDTH)).array(lanes),
                "products": Out(signed(WIDTH + 5)).array(lanes),
            }
        )

    def elaborate(self, platform):
        m = Module()
        factor = hold(m, self.valid, self.factor, self._interval, "factor")
        results = []
        for unit, value in enumerate(serialize(m, self.valid, self.row, self._interval, "value")):
            result = Signal(signed(WIDTH + 5), name=f"result_{unit}")
            m.d.sync += result.eq(value * factor)
            results.append(result)
        row = collect(m, results, self._interval, "result")
        m.d.comb += [port.eq(value) for port, value in zip(self.products, row, strict=True)]
        return m


@pytest.mark.parametrize(("lanes", "interval"), [(3, 1), (6, 3), (5, 5)])
def test_every_lane_gets_its_turn(lanes, interval):
    rng = np.random.default_rng(lanes)
    cycles = 100 * interval
    valid = spaced(rng, cycles, 0.8, interval)
    valid[-1] = 0
    factor, row = rng.integers(0, 16, cycles), mixed(rng, (cycles, lanes), WIDTH)
    assert (np.diff(np.flatnonzero(valid)) == interval).sum() > 10
    simulate(
        Scaler(lanes, interval),
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": {"valid": valid, "factor": factor, "row": row},
            "outputs": {"products": Expected(row * factor[:, None], interval, valid == 1)},
        },
    )
