"""A host's rows of the cores' memories: every write an insertion, every read from the memory it names."""

from rewardware.hw.cores.array.engine_config import ArrayEngineConfig
from rewardware.sim.cocotb import simulate

from .mapped_rows import MappedRows


def test_rows():
    config = ArrayEngineConfig(cores=3, lanes=6, weight_rows=6, activation_rows=18, error_rows=12)
    simulate(
        MappedRows(config),
        bench="tests.hw.cores.array.bench_host_rows",
        parameters={"config": config},
        after_noise=True,
    )
