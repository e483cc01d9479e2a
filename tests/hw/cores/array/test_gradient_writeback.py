"""Gradient write-back together with its memory: equality with the reference, words revisited as early as allowed."""

import numpy as np
import pytest
from amaranth.hdl import Module, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.array.config import ACCUMULATOR_WIDTH, WORD_WIDTH
from rewardware.hw.cores.array.gradient_writeback import GradientWriteback, gradient_control
from rewardware.hw.cores.memory.config import TransposableConfig
from rewardware.hw.cores.memory.transposable import TransposableMemory
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.array.gradient_writeback import write_back_gradients
from rewardware.sw.reference.memory.transposable import TransposableMemoryReference

from ..bench_play import Expected
from ..stimulus import mixed, spaced


class GradientStore(wiring.Component):
    """A gradient write-back, its memory, and what passes between them."""

    def __init__(self, config, interval):
        self.writeback = GradientWriteback(config, interval=interval)
        self.memory = TransposableMemory(config)
        super().__init__(
            {
                "valid": In(1),
                "control": In(gradient_control(config)),
                "low": In(signed(ACCUMULATOR_WIDTH)).array(config.lanes),
                "high": In(signed(ACCUMULATOR_WIDTH)).array(config.lanes),
                "read_enable": Out(1),
                "write_enable": Out(1),
                "write_data": Out(data.ArrayLayout(WORD_WIDTH, config.lanes)),
                "saturations": Out(range(2 * config.lanes + 1)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.writeback = writeback = self.writeback
        m.submodules.memory = memory = self.memory
        for name in ("valid", "control"):
            m.d.comb += getattr(writeback, name).eq(getattr(self, name))
        for name in ("low", "high"):
            for given, taken in zip(getattr(self, name), getattr(writeback, name), strict=True):
                m.d.comb += taken.eq(given)
        # Somebody else reads in all other cycles: what was read stays for one cycle only.
        m.d.comb += [memory.read.enable.eq(1), writeback.read.data.eq(memory.read.data)]
        for name in ("row", "index", "column", "lane"):
            m.d.comb += getattr(memory.read, name).eq(getattr(writeback.read, name))
        wiring.connect(m, writeback.write, memory.write)
        m.d.comb += [
            self.read_enable.eq(writeback.read.enable),
            self.write_enable.eq(writeback.write.enable.all()),
            self.write_data.eq(writeback.write.data),
            self.saturations.eq(writeback.saturations),
        ]
        return m


@pytest.mark.parametrize(("lanes", "interval"), [(4, 1), (6, 1), (4, 2), (4, 4), (6, 3)])
def test_equals_reference(lanes, interval):
    config = TransposableConfig(lanes=lanes, rows=2 * lanes)
    component = GradientStore(config, interval)
    writeback = component.writeback
    layout = gradient_control(config)
    rng = np.random.default_rng(lanes)
    assert (writeback.latency, writeback.revisit) == (7 + interval, 3 + interval)
    filling = config.rows * interval
    cycles = filling + 300 + 300 * interval
    valid = np.concatenate([spaced(rng, filling, 1, interval), spaced(rng, cycles - filling, 0.9, interval)])
    # The last inputs stay while the pipeline empties.
    valid[-1] = 0
    low, high = mixed(rng, (2, cycles, lanes), 57) >> rng.integers(0, 30, (2, cycles, 1))
    controls, data, saturations, reads = [], [], [], []
    memory = TransposableMemoryReference(config)
    touched = np.full((config.rows, lanes), -writeback.revisit)
    for cycle in range(cycles):
        fill = cycle < filling
        row = cycle // interval if fill else int(rng.integers(config.rows))
        rescaling = {
            "half_rule": int(rng.integers(2)),
            "select_high": int(rng.integers(2)),
            "scale": int(rng.integers(1 << 32)) >> int(rng.integers(32)),
            "shift": int(rng.integers(1, 32)),
        }
        accumulate = int(not fill and rng.random() < 0.8)
        column, lane = int(not fill and rng.random() < 0.5), int(rng.integers(lanes))
        if column:
            row -= row % lanes
        place = {"column": column, "lane": lane, "row": row, "index": row % lanes}
        controls.append(layout.const(rescaling | place | {"accumulate": accumulate}).as_bits())
        words = touched[row : row + lanes, lane] if column else touched[row]
        if not fill and (cycle - words < writeback.revisit).any():
            valid[cycle] = 0
        reads.append(valid[cycle] & accumulate)
        stored = memory.read_column(row, lane) if column else memory.read_row(row)
        result, count = write_back_gradients(stored, low[cycle], high[cycle], accumulate=accumulate, **rescaling)
        data.append(result)
        saturations.append(count)
        if valid[cycle]:
            words[...] = cycle
            if column:
                memory.write_column(row, lane, result)
            else:
                memory.write_row(row, result)
    wanted = valid == 1
    assert np.array(saturations)[wanted].sum() > 50
    simulate(
        component,
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": {"valid": valid, "control": np.array(controls, object), "low": low, "high": high},
            "outputs": {
                "read_enable": Expected(np.array(reads), writeback.read_latency),
                "write_enable": Expected(valid, writeback.latency),
                "write_data": Expected(np.array(data), writeback.latency, wanted),
                "saturations": Expected(np.array(saturations), writeback.latency, wanted),
            },
        },
        after_noise=True,
    )


def test_width_of_the_memory_is_checked():
    with pytest.raises(ValueError, match="Width of the gradient memory must be 32, not 16"):
        GradientWriteback(TransposableConfig(lanes=4, rows=8, width=16))


def test_interval_is_checked():
    with pytest.raises(ValueError, match="^Interval must be a divisor of lanes, not 3$"):
        GradientWriteback(TransposableConfig(lanes=4, rows=8), interval=3)
    with pytest.raises(TypeError, match="^Interval must be an integer, not 2.0$"):
        GradientWriteback(TransposableConfig(lanes=4, rows=8), interval=2.0)
