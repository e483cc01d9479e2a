"""The gradients of the grouping against their reference, and that against the one of the whole system."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BINARY16
from rewardware.hw.cores.sparse.config import SparseConfig
from rewardware.hw.cores.sparse.lists import table_entry
from rewardware.hw.cores.sparse_update.grouping_gradient import GroupingGradient
from rewardware.hw.cores.sparse_update.grouping_gradient_config import GroupingGradientConfig
from rewardware.hw.cores.sparse_update.grouping_sums import GroupingSums, grouping_word
from rewardware.hw.soc.learninggroup.config import Layer
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.learninggroup.arithmetic import ARITHMETICS
from rewardware.sw.reference.learninggroup.grouping import Grouping
from rewardware.sw.reference.sparse.compression import decompress
from rewardware.sw.reference.sparse_update.grouping_gradient import aggregate, column_sums, row_sums
from tests.hw.cores.sparse.variants import CONFIGS
from tests.hw.cores.sparse_update.grouped_cores import grouped_cores

VARIANTS = {
    "eight banks": GroupingGradientConfig(sparse=CONFIGS["four lanes"], adder_depth=3, multiplier_depth=2),
    "two banks": GroupingGradientConfig(
        sparse=SparseConfig(
            cores=2, rows=11, core_columns=14, groups=7, lanes=2, banks=2, tuples=16, row_list=30, column_list=33,
            weight_words=300,
        ),
        adder_depth=2, multiplier_depth=1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS)
def test_gradients(config):
    simulate(
        GroupingGradient(config),
        bench="tests.hw.cores.sparse_update.bench_grouping_gradient",
        parameters={
            "config": config,
            "layers": 8,
            "latency": GroupingSums(config).latency,
            "table_layout": table_entry(config.sparse),
            "word_layout": grouping_word(config),
        },
        after_noise=True,
    )


def numbers(bits):
    return np.asarray(bits).astype(np.uint16).view(np.float16).astype(np.float32)


@pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS)
def test_reference(config):
    """The selected entries of what the reference of the whole system has."""
    arithmetic, cores = ARITHMETICS["binary16"], config.sparse.cores
    for layer in grouped_cores(config, np.random.default_rng(2), 12):
        widths = [len(own) for own in layer.columns]
        whole = Layer(name="encoder", rows=len(layer.rows), columns=sum(widths))
        labels = np.asarray(layer.rows), np.concatenate(layer.columns)
        grouping = Grouping(whole, *labels, layer.groups, cores, whole.columns)
        # Here the columns are dealt in other shares.
        grouping.owners = np.repeat(np.arange(cores), widths)
        dense = np.zeros((2, len(layer.rows), sum(widths)), np.int64)
        starts = np.cumsum([0, *widths])
        row_list = np.concatenate([np.zeros(layer.row_base, np.int64), layer.row_list])
        lists = [np.concatenate([np.zeros(layer.column_base, np.int64), own]) for own in layer.column_lists]
        for core in range(cores):
            for banks, matrix in zip((layer.weights[core], layer.gradients[core]), dense, strict=True):
                own = matrix[:, starts[core] : starts[core + 1]]
                decompress(banks, layer.forward[core], row_list, lists[core], own)
        weights, gradients = numbers(dense)
        inputs, outputs = grouping.grouping_gradients(arithmetic, gradients, weights)
        parts = list(zip(layer.forward, layer.weights, layer.gradients, strict=True))
        totals = aggregate(BINARY16, [row_sums(BINARY16, *part) for part in parts])
        for place, group in enumerate(layer.forward[0].group):
            rows = row_list[layer.forward[0].inner_start[place] :][: len(totals[place])]
            np.testing.assert_array_equal(numbers(totals[place]), inputs[rows, group])
        for core, part in enumerate(parts):
            for place, sums in enumerate(column_sums(BINARY16, *part)):
                own = lists[core][part[0].outer_start[place] :][: len(sums)]
                np.testing.assert_array_equal(numbers(sums), outputs[part[0].group[place], own + starts[core]])


def test_bad_configuration():
    with pytest.raises(TypeError, match="^Sparse must be of the kind SparseConfig, not 3$"):
        GroupingGradientConfig(sparse=3)
    with pytest.raises(ValueError, match="^Format must have the 16 bits of the banks, not 32$"):
        GroupingGradientConfig(format="binary32")
    with pytest.raises(ValueError, match="^Adder depth must be from 1 to 7, not 0$"):
        GroupingGradientConfig(adder_depth=0)
