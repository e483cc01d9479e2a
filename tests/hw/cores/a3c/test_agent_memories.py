"""The memories of all agents, and what synthesis makes of them."""

from dataclasses import replace

import pytest

from rewardware.hw.cores.a3c.agent_memories import AgentBanks, AgentMemories
from rewardware.hw.cores.a3c.agent_memories_config import AgentBanksConfig, AgentMemoriesConfig
from rewardware.hw.cores.verilog.emit import emit
from rewardware.sim.cocotb import simulate
from rewardware.sw.measurement.tool_cache import synthesise_once

from .configurations import CONFIGURATIONS


@pytest.mark.parametrize(
    "config",
    [
        AgentMemoriesConfig(
            a3c=replace(CONFIGURATIONS["binary32"], agents=3),
            parameter_readers=3,
            activation_readers=2,
            activation_writers=2,
            sign_readers=1,
            sign_writers=3,
            error_readers=4,
            error_writers=2,
        ),
        AgentMemoriesConfig(a3c=CONFIGURATIONS["bfloat16"]),
    ],
    ids=["several users", "one agent"],
)
def test_agent_memories(config):
    simulate(
        AgentMemories(config),
        bench="tests.hw.cores.a3c.bench_agent_memories",
        parameters={"config": config},
    )


def test_synthesis_makes_block_memories():
    """A bank's rows of 64 bits are one memory of 36 kbit, with no row in registers or LUTs."""
    config = AgentBanksConfig(agents=3, depth=500, readers=2, writers=2)
    total = synthesise_once(emit(AgentBanks(64, config), "banks"), "banks", "xc7", depth=0).result.total
    assert total.bram == 3
    # The data that come out of each crossbar, and who asked.
    assert total.ff <= 2 * (64 + 4)
