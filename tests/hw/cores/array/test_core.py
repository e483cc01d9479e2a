"""Adaptive array core (operand formers, processing elements, columns): equality with the reference."""

import numpy as np
import pytest

from rewardware.hw.cores.array.config import ArrayConfig
from rewardware.hw.cores.array.core import AdaptiveArrayCore
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.array.core import AdaptiveArrayCoreReference

from ..bench_play import Expected
from ..stimulus import WORD_CORNERS, flags, mixed


@pytest.mark.parametrize(("lanes", "activation_fraction"), [(2, 20), (6, 20), (10, 24)])
def test_equals_reference(lanes, activation_fraction):
    config = ArrayConfig(lanes=lanes, activation_fraction=activation_fraction)
    rng = np.random.default_rng(lanes)
    cycles = 600
    table = {
        "load__enable": flags(rng, cycles, 0.8),
        "load__transposed": flags(rng, cycles),
        "load__index": np.arange(cycles) % lanes,
        "load__words": mixed(rng, (cycles, lanes), 32, WORD_CORNERS),
        "swap": flags(rng, cycles, 0.15),
        "vectors__words": mixed(rng, (cycles, lanes), 32, WORD_CORNERS),
        "vectors__valid": flags(rng, cycles, 0.7),
        "vectors__enable": flags(rng, cycles, 0.9),
        "vectors__half": flags(rng, cycles),
        "vectors__zero_point": rng.choice([0, 1, 5000, 1 << 16], cycles),
        "vectors__constant": flags(rng, cycles, 0.05),
    }
    # All weights are known before the first check.
    table["load__enable"][:lanes] = 1
    table["load__transposed"][:lanes] = 0
    table["swap"][lanes] = 1

    core = AdaptiveArrayCoreReference(config)
    sums = np.zeros((2, cycles, lanes), np.int64)
    for cycle in range(cycles):
        row = {port: values[cycle] for port, values in table.items()}
        if row["swap"]:
            core.swap()
        sums[:, cycle] = core.sums(
            row["vectors__words"],
            half=row["vectors__half"],
            zero_point=row["vectors__zero_point"],
            constant=row["vectors__constant"],
            enable=row["vectors__enable"],
        )
        if row["load__enable"]:
            core.load(row["load__index"], row["load__words"], transposed=bool(row["load__transposed"]))
    component = AdaptiveArrayCore(config)
    known = np.arange(cycles) >= lanes
    latency = component.latency
    assert latency == 3 + config.tree_stages
    simulate(
        component,
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": table,
            "outputs": {
                "sums_valid": Expected(table["vectors__valid"], latency),
                "sums_low": Expected(sums[0], latency, known),
                "sums_high": Expected(sums[1], latency, known),
            },
        },
        after_noise=True,
    )


def test_bad_configuration_is_refused():
    with pytest.raises(ValueError, match="Lanes must be even, not 7"):
        ArrayConfig(lanes=7)
    with pytest.raises(ValueError, match="Activation fraction must be from 16 to 30, not 12"):
        ArrayConfig(activation_fraction=12)
    with pytest.raises(TypeError, match="Accumulator depth must be an integer, not '9'"):
        ArrayConfig(accumulator_depth="9")
