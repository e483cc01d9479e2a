"""Rescaler: equality with the reference."""

import numpy as np

from rewardware.hw.cores.array.rescaler import Rescaler
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.array.rescaler import rescale

from ..bench_play import Expected
from ..stimulus import flags, mixed


def test_equals_reference():
    rng = np.random.default_rng(0)
    cycles = 4000
    table = {
        "low": mixed(rng, cycles, 57),
        "high": mixed(rng, cycles, 57),
        "half_rule": flags(rng, cycles),
        "select_high": flags(rng, cycles),
        "scale": mixed(rng, cycles, 33) & 0xFFFF_FFFF,
        "bias": mixed(rng, cycles, 32),
        "bias_shift": rng.integers(0, 16, cycles),
        "shift": rng.integers(1, 32, cycles),
    }
    x, saturated = np.zeros((2, cycles), np.int64)
    for half_rule in range(2):
        for select_high in range(2):
            rows = (table["half_rule"] == half_rule) & (table["select_high"] == select_high)
            arguments = {port: values[rows] for port, values in table.items()}
            arguments |= {"half_rule": half_rule, "select_high": select_high}
            x[rows], saturated[rows] = rescale(**arguments)
    assert 0.1 < saturated.mean() < 0.9
    component = Rescaler()
    simulate(
        component,
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": table,
            "outputs": {"x": Expected(x, component.latency), "saturated": Expected(saturated, component.latency)},
        },
        after_noise=True,
    )
