"""The rows of PEARL's bench, on a small device."""

import numpy as np
import pytest

from rewardware.hw.cores.replay.records import HEADER, STATUS_WIDTH
from rewardware.hw.soc.pearl.config import PearlConfig
from rewardware.sw.cli import bench_replay, bench_sum_trees
from rewardware.sw.cli.bench_pearl import FANOUTS, PearlBench
from rewardware.sw.cli.bench_replay import count_batches
from rewardware.sw.cli.bench_rows import comparison_library
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.mapping.replay_cycles import sample_cycles, update_cycles
from rewardware.sw.reference.replay.sum_tree import SumTreeReference

# As that of tests/hw/soc/pearl, so that its simulator is built once.
CONFIG = PearlConfig(leaves=150, fanout=8, priority_width=24, priority_fraction=12)


def test_batches_take_a_cycle_a_request():
    counts = count_batches(CONFIG, 128)
    assert (counts.leaves, counts.depth) == (150, 3)
    assert (counts.update, counts.sample) == (update_cycles(CONFIG, 128), sample_cycles(CONFIG, 128))
    assert counts.update < counts.sample <= 128 + 8 * 5


@pytest.mark.parametrize("batch", [1, 2, 37])
def test_the_model_is_exact_for_any_batch(batch):
    counts = count_batches(CONFIG, batch)
    assert (counts.update, counts.sample) == (update_cycles(CONFIG, batch), sample_cycles(CONFIG, batch))


def test_a_wrong_answer_is_no_figure(monkeypatch):
    class Wrong(SumTreeReference):
        def serve(self, rows):
            # The lowest bit of the index.
            return super().serve(rows) ^ np.uint64(1 << HEADER.width + STATUS_WIDTH)

    monkeypatch.setattr("rewardware.sw.device.replay_backends.SumTreeReference", Wrong)
    with pytest.raises(RuntimeError, match="The device does not answer sample as the reference does"):
        bench_replay.count_batches(CONFIG, 16)


def test_there_is_a_row_for_every_fanout(capsys):
    figures = {f"{kind}_cycles_k{fanout}" for kind in ("sample", "update") for fanout in FANOUTS}
    assert figures <= set(PearlBench().ids())
    assert dispatch(["bench", "pearl", "--only", "sample_cycles_k3"]) == 2
    assert "must name figures of sample_cycles_k2" in capsys.readouterr().err
    assert dispatch(["bench", "pearl", "--config", "k2"]) == 2
    assert "Each figure of pearl has a configuration of its own" in capsys.readouterr().err


def test_trees_in_software_are_timed(monkeypatch):
    monkeypatch.setattr(bench_sum_trees, "WINDOWS", 1)
    for operation in ("sample", "update"):
        found = bench_sum_trees.fastest_tree(operation, 1000)
        assert found["value"] > 0 and all(about in found["how"] for _, about in bench_sum_trees.CONTENDERS.values())


def test_a_missing_package_is_named():
    with pytest.raises(ValueError, match=r"Package toaster is missing: pip install 'rewardware\[comparison\]'"):
        comparison_library("toaster.tree")
