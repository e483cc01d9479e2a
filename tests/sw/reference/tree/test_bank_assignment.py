"""Assignment of banks against the source's own routing, and the plain heuristic."""

import random

import pytest

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.sw.reference.tree.bank_assignment import BankAssignmentReference

CONFIGS = [
    TreeConfig(levels=2, banks=2, rows=4, nodes=8, reserve=2),
    TreeConfig(levels=4, banks=8, rows=4, nodes=32, reserve=2),
    TreeConfig(levels=11, banks=37, rows=4, nodes=148, reserve=2),
    TreeConfig(levels=11, banks=37, concentration=4, rows=4, nodes=148, reserve=2),
    TreeConfig(levels=32, banks=128),
]


def wires(config, stage, bank):
    """Switches after each layer on the way from a stage to a bank: Algorithm 1 of the source, word by word."""
    y, passed = stage % config.ports, []
    for x in range((config.ports - 1).bit_length()):
        if (bank % config.ports) >> x & 1 == 0:
            if not 0 <= y % (1 << x + 1) < 1 << x:
                y -= 1 << x
        else:
            if not 1 << x <= y % (1 << x + 1) < 1 << x + 1:
                y += 1 << x
        passed.append((x, y))
    assert y == bank % config.ports
    return passed


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: f"{config.levels}-{config.banks}-{config.ports}")
def test_algorithm2(config):
    """The last of the free banks with the fewest shared wires, banks being given and taken back at random."""
    assignment, rng = BankAssignmentReference(config), random.Random(1)
    owners = {}
    for _ in range(300):
        stage = rng.randrange(config.levels)
        if rng.random() < 0.15:
            assert assignment.release(stage) == sorted(bank for bank, owner in owners.items() if owner == stage)
            owners = {bank: owner for bank, owner in owners.items() if owner != stage}
            continue
        best, fewest = None, None
        for bank in range(config.banks):
            if bank in owners:
                continue
            own = set(wires(config, stage, bank))
            shared = sum(
                len(own & set(wires(config, owner, other))) for other, owner in owners.items() if owner != stage
            )
            if fewest is None or shared <= fewest:
                best, fewest = bank, shared
        first = assignment.assign(stage)
        if best is None:
            assert first is None
        else:
            assert first == best * config.rows
            owners[best] = stage


@pytest.mark.parametrize("rows, block", [(2, 1), (4, 2), (64, 16)])
def test_next_empty(rows, block):
    config = TreeConfig(levels=3, banks=3, rows=rows, nodes=3 * rows, reserve=1, bank_assignment="next_empty")
    assignment = BankAssignmentReference(config)
    for _ in range(2):
        for first in range(0, 3 * rows, block):
            assert assignment.assign(first % 3) == first
        assert assignment.assign(0) is None
        assert assignment.release(0) == [] and assignment.assign(0) is None
        assignment.clear()


def test_clear_takes_everything_back():
    config = CONFIGS[1]
    assignment = BankAssignmentReference(config)
    first = [assignment.assign(stage % 4) for stage in range(9)]
    assert first[8] is None and sorted(first[:8]) == list(range(0, 32, 4))
    assignment.clear()
    assert [assignment.assign(stage % 4) for stage in range(9)] == first
