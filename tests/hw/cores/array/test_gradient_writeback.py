"""Gradient write-back with a gradient memory: equality with the reference."""

import numpy as np
import pytest

from rewardware.hw.cores.array.gradient_writeback import GradientWriteback, gradient_control
from rewardware.hw.cores.memory.config import TransposableConfig
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.array.gradient_writeback import write_back_gradients
from rewardware.sw.reference.memory.transposable import TransposableMemoryReference

from ..bench_play import Expected
from ..stimulus import WORD_CORNERS, flags, mixed


@pytest.mark.parametrize("lanes", [4, 6])
def test_equals_reference(lanes):
    config = TransposableConfig(lanes=lanes, rows=2 * lanes)
    component = GradientWriteback(config)
    layout = gradient_control(config)
    rng = np.random.default_rng(lanes)
    cycles = 500
    valid = flags(rng, cycles, 0.8)
    low, high = mixed(rng, (2, cycles, lanes), 57) >> rng.integers(0, 30, (2, cycles, 1))
    controls, expected = [], {"write_data": [], "saturations": []}
    position = {"column": [], "row": [], "index": [], "lane": []}
    memory = TransposableMemoryReference(config)
    read_data = np.zeros((cycles, lanes), np.int64)
    touched = np.full((config.rows, lanes), -9)
    for cycle in range(cycles):
        row = int(rng.integers(config.rows))
        control = {
            "half_rule": int(rng.integers(2)),
            "select_high": int(rng.integers(2)),
            "scale": int(rng.integers(1 << 32)) >> int(rng.integers(32)),
            "shift": int(rng.integers(1, 32)),
            "accumulate": int(rng.random() < 0.8),
            "column": int(rng.integers(2)),
            "lane": int(rng.integers(lanes)),
        }
        if control["column"]:
            row -= row % lanes
        control |= {"row": row, "index": row % lanes}
        words = touched[row : row + lanes, control["lane"]] if control["column"] else touched[row]
        # As early as allowed, not earlier.
        if (cycle - words < component.revisit).any():
            valid[cycle] = 0
        controls.append(layout.const(control).as_bits())
        for name, values in position.items():
            values.append(control[name])
        stored = memory.read_column(row, control["lane"]) if control["column"] else memory.read_row(row)
        if cycle % 7 == 0:
            stored = rng.choice(WORD_CORNERS, lanes)
        read_data[cycle] = stored
        rescaling = {name: control[name] for name in ("half_rule", "select_high", "scale", "shift")}
        data, count = write_back_gradients(
            stored, low[cycle], high[cycle], accumulate=control["accumulate"], **rescaling
        )
        if valid[cycle]:
            words[...] = cycle
            if control["column"]:
                memory.write_column(row, control["lane"], data)
            else:
                memory.write_row(row, data)
        expected["write_data"].append(data)
        expected["saturations"].append(count)

    # The memory answers one cycle after the read request.
    answer = component.read_latency + 1
    late = np.concatenate([np.zeros((answer, lanes), np.int64), read_data])[:cycles]
    wanted = valid == 1
    outputs = {
        "write_enable": Expected(valid, component.latency),
        "read_enable": Expected(valid, component.read_latency),
    }
    for name, values in expected.items():
        outputs[name] = Expected(np.array(values), component.latency, wanted & (np.arange(cycles) < cycles - answer))
    for name, values in position.items():
        outputs[f"read_{name}"] = Expected(np.array(values), component.read_latency, wanted)
        outputs[f"write_{name}"] = Expected(np.array(values), component.latency, wanted)
    simulate(
        component,
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": {
                "valid": valid,
                "control": np.array(controls, object),
                "low": low,
                "high": high,
                "read_data": late,
            },
            "outputs": outputs,
        },
    )


def test_width_of_the_memory_is_checked():
    with pytest.raises(ValueError, match="Width of the gradient memory must be 32, not 16"):
        GradientWriteback(TransposableConfig(lanes=4, rows=8, width=16))
