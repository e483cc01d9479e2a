"""The operand fetch against lists and memories in NumPy."""

import pytest

from rewardware.sim.cocotb import simulate

from .engine_parts import VARIANTS, engine_parts


@pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS)
def test_operand_fetch(config):
    simulate(
        engine_parts(config),
        bench="tests.hw.cores.vector.bench_operand_fetch",
        parameters={"config": config},
        after_noise=True,
    )
