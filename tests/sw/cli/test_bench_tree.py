"""The bench's searches on the RTL, on a device small enough for the tests."""

import dataclasses

import pytest

from rewardware.sw.cli import bench_mcts, bench_tree
from rewardware.sw.cli.bench_mcts import MCTSBench
from rewardware.sw.device.errors import DeviceError
from rewardware.sw.device.tree_backends import ReferenceTree
from tests.hw.soc.mcts.test_system import config_of


def test_rows_are_of_the_search(monkeypatch):
    config = dataclasses.replace(config_of("uct"), name="f6-d16")
    monkeypatch.setattr("rewardware.hw.soc.presets.load_preset", lambda name, system: config)
    bench_mcts._search.cache_clear()
    interval, insertion = MCTSBench().rows(["itv_f6_d16", "insert_cycles"])
    bench_mcts._search.cache_clear()
    counts = bench_tree.count_search(config)
    assert counts.selections == config.nodes // config.workers * config.workers
    assert counts.requests == 2 * counts.selections + 1
    assert interval["value"] == round(counts.interval, 2) >= 2
    assert insertion["value"] == round(counts.assigning / counts.nodes, 2) > 0
    assert (interval["kind"], interval["paper"], insertion["unit"]) == ("counted", 3.5, "cycles")


def test_answers_that_differ_are_an_error(monkeypatch):
    class Wrong(ReferenceTree):
        def receive(self, count):
            return super().receive(count) ^ (count > 1)

    monkeypatch.setattr("rewardware.sw.device.tree_backends.ReferenceTree", Wrong)
    with pytest.raises(DeviceError, match="answers differ from the reference's after 1 requests"):
        bench_tree.count_search(config_of("uct"))
