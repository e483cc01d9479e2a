"""Products with the vectors of the other agents against their reference."""

import pytest

from rewardware.hw.cores.attention.config import OthersProductConfig
from rewardware.hw.cores.attention.others_product import OthersProduct
from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, FloatLaneConfig
from rewardware.hw.cores.layer.config import BINARY32_LANE
from rewardware.sim.cocotb import simulate

HALF = FloatLaneConfig(format=BINARY16, adder_depth=3, multiplier_depth=1)
BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=5, multiplier_depth=2)


@pytest.mark.parametrize("product", ["scores", "sums"])
@pytest.mark.parametrize(
    ("agents", "heads", "size", "banks", "arithmetic"),
    [
        (4, 2, 5, 2, BINARY32_LANE),
        # One other agent: as many partial sums as the adder has stages.
        (2, 1, 6, 3, BINARY32_LANE),
        (8, 3, 2, 2, HALF),
        (3, 4, 1, 4, BRAIN),
    ],
    ids=["four agents", "two agents", "eight agents", "one element"],
)
def test_others_product(product, agents, heads, size, banks, arithmetic):
    config = OthersProductConfig(
        agents=agents, heads=heads, size=size, product=product, banks=banks, arithmetic=arithmetic
    )
    core = OthersProduct(config)
    simulate(
        core,
        bench="tests.hw.cores.attention.bench_others_product",
        parameters={"config": config, "latency": core.latency},
        after_noise=True,
    )
