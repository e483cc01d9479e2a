"""Configurations that the tests of what updates a core share; small, and no powers of two where that is allowed."""

from rewardware.hw.cores.float.config import BINARY16, BINARY32
from rewardware.hw.cores.optimizer.rms_prop_config import RMSpropConfig
from rewardware.hw.cores.sparse.config import SparseConfig

# Sparse data and the lane of RMSprop.
PARTS = {
    "binary16": (
        SparseConfig(
            cores=2, rows=37, core_columns=32, groups=5, parameter_words=93, grouping_words=61, weight_words=150,
            row_list=75, column_list=75, tuples=9,
        ),
        RMSpropConfig(format=BINARY16),
    ),
    "binary32": (
        SparseConfig(
            cores=3, rows=20, core_columns=8, groups=7, lanes=8, banks=8, format=BINARY32, parameter_words=29,
            grouping_words=47, weight_words=131, row_list=43, column_list=43, tuples=11, parameter_latency=3,
        ),
        RMSpropConfig(format=BINARY32),
    ),
}  # fmt: skip
