"""The blocks between the array and their drain."""

from rewardware.hw.cores.array.block_queue import BlockQueue
from rewardware.hw.cores.array.engine_config import ArrayEngineConfig
from rewardware.sim.cocotb import simulate


def test_block_queue():
    config = ArrayEngineConfig(cores=2, lanes=6, weight_rows=6, activation_rows=6, error_rows=6)
    queue = BlockQueue(config, fill_latency=5)
    simulate(
        queue,
        bench="tests.hw.cores.array.bench_block_queue",
        parameters={"config": config, "latency": queue.fill_latency},
        after_noise=True,
    )
