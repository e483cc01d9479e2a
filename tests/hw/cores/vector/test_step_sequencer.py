"""The steps of rounds, cycle by cycle."""

import pytest

from rewardware.sim.cocotb import simulate

from .engine_parts import VARIANTS, engine_parts


@pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS)
def test_step_sequencer(config):
    simulate(
        engine_parts(config),
        bench="tests.hw.cores.vector.bench_step_sequencer",
        parameters={"config": config},
        after_noise=True,
    )
