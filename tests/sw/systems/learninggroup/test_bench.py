"""The rows of LearningGroup's bench, on a small device."""

import json

import pytest

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.systems.learninggroup.bench import figures as bench_learninggroup
from rewardware.sw.systems.learninggroup.bench.figures import LearningGroupBench
from tests.hw.soc.learninggroup.test_system import HARDWARE

SIZES = {
    "AGENTS": 3,
    "EPISODES": 5,
    "STEPS": 2,
    "OBSERVED": 11,
    "GROUPS": (2, 4),
    "WATCHED": 3,
    "DRAWN": 5,
    "MATRIX": (24, 40),
}
FIGURES = [
    *(f"{figure}{ending}" for figure in ("gflops_dense", "util_dense", "util_sparse", "gflops_g16")
      for ending in ("", "_s8", "_s32")),
    *(f"speedup_{what}_g{groups}" for what in ("inf", "train") for groups in (2, 4, 8, 16)),
    *(f"osel_{what}_g{groups}" for what in ("cycles", "memory") for groups in (2, 4, 8, 16, 32)),
    *(f"workload_dev_{scheme}_g{groups}" for scheme in ("row", "threshold") for groups in (2, 4, 8, 16)),
    *("osel_share", "iteration_ms_a8_g1", "iteration_ms_a8_g4", "lut_per_vpu", "dsp_per_vpu"),
]  # fmt: skip


@pytest.fixture
def bench(monkeypatch):
    for name, value in SIZES.items():
        monkeypatch.setattr(bench_learninggroup, name, value)
    monkeypatch.setattr(bench_learninggroup, "VECTORS", {"full": 21, "s32": 4, "s8": 1})
    found = LearningGroupBench("small")
    found.hardware, found.config, found.hidden_size = HARDWARE, HARDWARE.device, 13
    return found


def test_every_figure_of_the_specification_is_there():
    assert set(FIGURES) <= set(LearningGroupBench("paper").ids())


def test_an_unknown_figure_is_named(capsys):
    assert dispatch(["bench", "learninggroup", "--only", "gflops_g17"]) == 2
    assert "must name figures of gflops_dense" in capsys.readouterr().err


def test_rows(bench):
    names = ["speedup_inf_g2", "speedup_train_g4", "util_dense", "util_sparse_s8", "osel_share", "iteration_ms_a8_g4"]
    names += ["util_limit_g2", "util_limit_g2_s32", "osel_cycles_g4", "osel_memory_g4", "workload_dev_row_g2"]
    names += ["device_cycles", "dsp_per_vpu"]
    rows = bench.rows(names)
    assert [row["id"] for row in rows] == names
    values = {row["id"]: row["value"] for row in rows}
    # Products of a vector in two steps by hand: forward, backward and gradient, but that no error goes back through the
    # encoder, nor through the first communication.
    products = 4 * 11 * 13 + 5 * 13 * 13 + 6 * 13 * (4 * 13 + 4 * 13 + 5 + 2 + 1)
    dense = bench.counts(1)
    assert dense.products == dense.dense_products == products
    assert values["util_dense"] == round(100 * products * 21 / (15 * dense.matrix), 2)
    assert values["iteration_ms_a8_g4"] == round(bench.counts(4).iteration / 175e3, 2)
    assert values["speedup_train_g4"] == round(dense.iteration / bench.counts(4).iteration, 2)
    assert 1 < values["speedup_inf_g2"] < 2 and 1 < values["speedup_train_g4"] < 4
    assert 0 < values["util_sparse_s8"] < values["util_dense"] < 100
    assert 0 < values["util_limit_g2_s32"] < 100 and 0 < values["util_limit_g2"] < 100
    assert values["osel_cycles_g4"] > 1 and values["osel_memory_g4"] > 1
    # A multiplier.
    assert values["dsp_per_vpu"] == 1
    # Here one device is both.
    assert values["device_cycles"] == 0
    assert json.loads(json.dumps(rows)) == rows
