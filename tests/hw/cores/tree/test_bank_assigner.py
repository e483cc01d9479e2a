"""Blocks of rows for stages, in gateware, against the reference."""

import pytest

from rewardware.hw.cores.tree.bank_assigner import BankAssigner
from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize(
    ("levels", "banks", "assignment", "concentration"),
    [
        (2, 5, "algorithm2", 1),
        (3, 12, "algorithm2", 1),
        (5, 5, "algorithm2", 1),
        (8, 12, "algorithm2", 1),
        (11, 37, "algorithm2", 4),
        (32, 128, "algorithm2", 2),
        (5, 12, "next_empty", 1),
    ],
)
def test_equals_the_reference(levels, banks, assignment, concentration):
    shape = {"levels": levels, "banks": banks, "concentration": concentration}
    config = TreeConfig(**shape, rows=16, nodes=20, reserve=4, bank_assignment=assignment)
    simulate(
        BankAssigner(config),
        bench="tests.hw.cores.tree.bench_bank_assigner",
        parameters={"config": config, "count": 300},
        after_noise=True,
    )
