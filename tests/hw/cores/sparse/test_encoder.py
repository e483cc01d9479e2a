"""The sparse data encoder against its reference, with and without caching."""

import pytest

from rewardware.hw.cores.sparse.bit_vector_generator import tuple_layout
from rewardware.hw.cores.sparse.config import SparseConfig
from rewardware.hw.cores.sparse.encoder import SparseDataEncoder
from rewardware.sim.cocotb import simulate

SMALL = {"index_words": 40, "tuples": 16, "row_list": 60, "column_list": 40}


@pytest.mark.parametrize(
    "config",
    [
        SparseConfig(cores=3, rows=29, core_columns=12, groups=5, lanes=4, banks=8, **SMALL),
        SparseConfig(cores=2, rows=21, core_columns=14, groups=7, lanes=2, caching=False, **SMALL),
        SparseConfig(cores=1, rows=4, core_columns=4, groups=3, lanes=4, **SMALL),
    ],
    ids=["three cores", "two cores without caching", "one word"],
)
def test_encoder(config):
    simulate(
        SparseDataEncoder(config),
        bench="tests.hw.cores.sparse.bench_encoder",
        parameters={
            "config": config,
            "layers": 25,
            "tuple_layout": tuple_layout(config),
        },
        after_noise=True,
    )
