"""Graphs forward and back against their reference."""

import pytest

from rewardware.hw.cores.float.config import BINARY16, FloatLaneConfig
from rewardware.sim.cocotb import simulate

from .connected_graph import ConnectedGraph
from .critics import attention_critic

HALF = FloatLaneConfig(format=BINARY16, adder_depth=3, multiplier_depth=1)


@pytest.mark.parametrize(
    "config",
    [
        attention_critic(),
        attention_critic(agents=2, heads=1, observations=1, actions=2, hidden=5, units=1, arithmetic=HALF),
        # Heads one after the other would take more than twice the cycles of the slowest layer.
        attention_critic(agents=4, heads=4, hidden=8, units=8, arithmetic=HALF, parallel_heads=4),
        # The latency of attention is several experiences, and attention is nearly as slow as the slowest layer.
        attention_critic(heads=1, hidden=8, units=8),
        # The state's layer takes observations all the time, the embedding takes actions after them.
        attention_critic(
            agents=2, observations=8, actions=5, hidden=12, heads=1, units=(2, 1, 2, 2, 2, 4, 1), arithmetic=HALF
        ),
    ],
    ids=["three agents", "two agents", "all heads at once", "short experiences", "a slow state"],
)
def test_attention_critic(config):
    simulate(
        ConnectedGraph(config),
        bench="tests.hw.cores.graph.bench_graph",
        parameters={"config": config, "period": config.cycles},
        after_noise=True,
    )
