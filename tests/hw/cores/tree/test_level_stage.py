"""Stages of the search one after another, against the reference of the whole tree."""

import pytest

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.sim.cocotb import simulate

from .stage_chain import StageChain

SHAPES = {
    "two_slots": {"fanout": 5, "levels": 3, "slots": 2, "group": 5, "banks": 9, "rows": 8, "nodes": 60, "reserve": 2},
    "pairs": {"fanout": 2, "levels": 4, "slots": 3, "group": 2, "banks": 8, "rows": 4, "nodes": 14, "reserve": 4},
    "six": {"fanout": 6, "levels": 3, "slots": 7, "banks": 6, "rows": 16, "nodes": 96, "reserve": 3},
    "eighteen": {"fanout": 18, "levels": 3, "slots": 3, "banks": 16, "rows": 32, "nodes": 400, "reserve": 8},
    "puct": {"fanout": 5, "levels": 3, "slots": 3, "group": 2, "banks": 12, "rows": 8, "nodes": 90, "policy": "puct"},
    "puct_root": {
        "fanout": 7, "levels": 2, "slots": 2, "group": 3, "banks": 4, "rows": 2, "nodes": 8, "policy": "puct_root",
        "flits": 3, "comparison": "lookup", "bank_assignment": "next_empty", "reserve": 1,
    },
    "one_flit": {
        "fanout": 6, "levels": 2, "slots": 3, "banks": 4, "rows": 4, "nodes": 9, "flits": 1, "reserve": 2,
        "policy": "puct_visits",
    },
}  # fmt: skip
# Without stalls, and with them.
REGISTERS = [
    {"exploration": 5793, "loss": 3000, "first_value": -700, "alternate": True},
    {"exploration": 65535, "loss": 65535, "first_value": -(1 << 19), "alternate": False},
]


@pytest.mark.parametrize("shape", SHAPES)
def test_equals_the_reference(shape):
    settings = {"workers": 11, "reserve": 4, "group": 6} | SHAPES[shape]
    config = TreeConfig(**settings)
    simulate(
        StageChain(config),
        bench="tests.hw.cores.tree.bench_level_stage",
        parameters={"config": config, "registers": REGISTERS, "count": 250},
        tests=["equals_the_reference", "equals_the_reference_with_stalls"],
    )


@pytest.mark.parametrize("fanout", [6, 18])
def test_interval(fanout):
    config = TreeConfig(fanout=fanout, levels=3, banks=8, nodes=900, workers=11, slots=8)
    simulate(
        StageChain(config),
        bench="tests.hw.cores.tree.bench_level_stage",
        parameters={"config": config, "registers": REGISTERS},
        tests="selects_every_two_cycles",
    )
