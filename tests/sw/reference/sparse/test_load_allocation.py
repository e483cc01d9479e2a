"""Workloads against dealing the rows out one by one."""

from fractions import Fraction

import numpy as np
import pytest

from rewardware.sw.reference.sparse.load_allocation import deviation, row_based, threshold_based


def one_by_one(workloads, cores):
    """Both ways, as the paper tells them."""
    rows, total = len(workloads), sum(workloads)
    by_row, by_threshold, core = [0] * cores, [0] * cores, 0
    for row, workload in enumerate(workloads):
        by_row[int(Fraction(row * min(cores, rows), rows))] += workload
        by_threshold[core] += workload
        if by_threshold[core] > Fraction(total, cores) and core < cores - 1:
            core += 1
    return by_row, by_threshold


@pytest.mark.parametrize(("rows", "cores"), [(1, 1), (1, 3), (2, 3), (2, 4), (5, 7), (128, 3), (9, 3), (50, 7)])
def test_equals_dealing(rows, cores):
    rng = np.random.default_rng(rows)
    for high in (1, 2, 60):
        workloads = rng.integers(0, high, rows)
        by_row, by_threshold = one_by_one(workloads.tolist(), cores)
        assert row_based(workloads, cores).tolist() == by_row
        assert threshold_based(workloads, cores).tolist() == by_threshold
        ideal = Fraction(int(workloads.sum()), cores)
        assert Fraction(deviation(np.array(by_row)), cores) == max(abs(part - ideal) for part in by_row)


def test_even_rows():
    assert row_based(np.ones(128), 3).tolist() == [43, 43, 42]
