"""Configurations that the tests of this room share; small, and no powers of two where that is allowed."""

from rewardware.hw.cores.sparse.config import SparseConfig

CONFIGS = {
    "four lanes": SparseConfig(
        cores=3, rows=29, core_columns=20, groups=5, lanes=4, banks=8, tuples=13, row_list=70, column_list=45,
        index_words=60, grouping_words=200, weight_words=200, parameter_words=300,
    ),
    "two lanes": SparseConfig(
        cores=2, rows=11, core_columns=14, groups=7, lanes=2, banks=2, tuples=16, row_list=30, column_list=33,
        index_words=60, grouping_words=300, weight_words=300, parameter_words=200, weight_width=9,
        parameter_latency=3, format="binary32",
    ),
}  # fmt: skip
