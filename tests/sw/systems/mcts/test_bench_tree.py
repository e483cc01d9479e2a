"""The bench's searches on the RTL, on a device small enough for the tests."""

import dataclasses
import functools
from fractions import Fraction
from types import SimpleNamespace

import pytest

from rewardware.hw.soc.export.synthesis import Block, Synthesis
from rewardware.hw.soc.target.target import Resources
from rewardware.sw.device.errors import DeviceError
from rewardware.sw.device.search_tree_backends import ReferenceTree
from rewardware.sw.systems.mcts.bench import figures as bench_mcts
from rewardware.sw.systems.mcts.bench import game as bench_game
from rewardware.sw.systems.mcts.bench import tree as bench_tree
from rewardware.sw.systems.mcts.bench.figures import MCTSBench
from tests.hw.soc.mcts.test_system import config_of

CONFIG = config_of("uct")


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Every preset is a small one, and nothing is kept from test to test."""
    monkeypatch.setattr("rewardware.hw.soc.presets.load_preset", lambda name, system: CONFIG)
    kept = (bench_mcts._search, bench_mcts._game, bench_mcts._uct, bench_mcts._mctx, bench_mcts._openspiel)
    yield [function.cache_clear() for function in kept]
    for function in kept:
        function.cache_clear()


def test_rows_are_of_the_search():
    names = ["itv_f6_d16", "itv_f6_d16_next_empty", "insert_cycles", "backup_cycles", "intree_ops_per_s"]
    interval, other, insertion, backup, operations = MCTSBench().rows(names)
    counts = bench_tree.count_search(CONFIG)
    assert counts.selections == counts.backups == CONFIG.nodes // CONFIG.workers * CONFIG.workers
    assert counts.requests == 2 * counts.selections + 1 and 0 < counts.insertions < CONFIG.nodes
    assert interval["value"] == round(counts.interval, 2) >= 2
    assert insertion["value"] == round(counts.assigning / counts.insertions, 2) > 0
    assert backup["value"] == round(counts.backup_interval, 2) >= 2
    each = (2 * counts.selections + counts.insertions) / counts.cycles
    assert operations["value"] == round(250 * each, 1) and operations["unit"] == "million/s"
    assert "next_empty: " in other["how"] and other["value"] >= 2
    assert [row["paper"] for row in (interval, other, insertion, backup)] == [3.5, 17.6, None, 2]
    assert {row["kind"] for row in (interval, other, insertion, backup, operations)} == {"counted"}


def test_backups_at_rest_wait_for_no_selection():
    rest, simulation = MCTSBench().rows(["backup_cycles_at_rest", "simulation_cycles"])
    counts, gapless = bench_tree.count_search(CONFIG, at_rest=True), bench_tree.count_search(CONFIG)
    turns = CONFIG.nodes // CONFIG.workers
    assert len(counts.packets) == 2 * turns + 1 and len(gapless.packets) == 1
    assert (counts.requests, counts.insertions) == (gapless.requests, gapless.insertions)
    assert gapless.cycles < counts.cycles
    assert rest["value"] == round(counts.backup_interval, 2) < round(gapless.backup_interval, 2)
    last = round(sum(counts.packets[2::2]) / turns)
    assert f"{CONFIG.workers} backups {last}, the mean of {turns} turns" in rest["how"]
    assert simulation["value"] == round(gapless.cycles / gapless.selections, 2)


def test_a_search_is_counted_once(monkeypatch):
    counts, given = bench_tree.count_search(CONFIG), []
    monkeypatch.setattr(bench_tree, "count_search", lambda config, _: given.append(config) or counts)
    MCTSBench().rows(["itv_f6_d16", "backup_cycles", "simulation_cycles", "intree_ops_per_s", "itv_f6_d16_next_empty"])
    assert given == [CONFIG, dataclasses.replace(CONFIG, bank_assignment="next_empty")]


def test_nodes_travel_in_two_flits(monkeypatch):
    counts, given = bench_tree.count_search(CONFIG), []
    monkeypatch.setattr(bench_tree, "count_search", lambda config, _: given.append(config) or counts)
    (row,) = MCTSBench().rows(["backup_cycles_two_flits"])
    assert given == [dataclasses.replace(CONFIG, flits=2)]
    assert row["value"] == round(counts.backup_interval, 2) and row["how"].startswith("preset f6-d16, flits: 2: ")
    assert f"; {counts.cycles / counts.selections:.2f} cycles a simulation" in row["how"]


def test_simulations_of_the_board_are_counted(monkeypatch):
    counts, given = bench_tree.count_search(CONFIG), []
    monkeypatch.setattr(bench_mcts, "_config", lambda name: given.append(name) or CONFIG)
    monkeypatch.setattr(bench_tree, "count_search", lambda config, _: counts)
    (row,) = MCTSBench().rows(["simulation_cycles_ulx3s"])
    assert given == ["ulx3s"] and row["how"].startswith("preset ulx3s: ")
    assert row["value"] == round(counts.cycles / counts.selections, 2)


def test_a_game_is_recorded_and_counted(monkeypatch):
    monkeypatch.setattr(bench_mcts, "GAMES", {"pong": ("CartPole-v1", "f6_d16", 3.7)})
    record = functools.partial(bench_game.record_game, steps=2, simulations=50)
    monkeypatch.setattr(bench_game, "record_game", record)
    (row,) = MCTSBench().rows(["itv_pong"])
    # All workers select, then all back up; each decision begins a tree.
    assert "100 selections in the first decisions of CartPole-v1" in row["how"] and "; 202 requests" in row["how"]
    assert row["value"] >= 2 and row["paper"] == 3.7


def test_searches_in_software_are_the_yardstick(monkeypatch):
    for function in ("uct_speed", "mctx_speed", "openspiel_speed"):
        found = {"value": 2e6, "how": function}
        monkeypatch.setattr(f"rewardware.sw.systems.mcts.bench.search.{function}", lambda *_, found=found, **__: found)
    names = ["intree_ops_per_s", "intree_vs_cpp", "intree_vs_cpp_scored_f18", "intree_vs_mctx", "intree_vs_openspiel"]
    operations, *rows = MCTSBench().rows(names)
    counts = bench_tree.count_search(CONFIG)
    ours = Fraction(250 * counts.operations, counts.cycles)
    for row, theirs in zip(rows, (2, 2, 6, 6), strict=True):
        assert Fraction(str(row["value"])) == round(ours / theirs, 1)
        assert row["how"].startswith(f"{operations['value']} million/s") and row["how"].endswith("_speed")


def test_actions_are_of_the_timeline(monkeypatch):
    given = {}

    def speedup(game, cycles):
        given[game] = cycles
        return {"value": 4.567, "how": "a timeline"}

    monkeypatch.setattr("rewardware.sw.systems.mcts.bench.actions.actions_speedup", speedup)
    (row,) = MCTSBench().rows(["aps_vs_cpu_alien"])
    counts = bench_tree.count_search(CONFIG)
    assert given == {"alien": counts.cycles / counts.selections}
    assert (row["value"], row["unit"], row["paper"], row["kind"]) == (4.57, "times", 5.14, "model")


def test_tables_are_those_of_the_whole_device(monkeypatch):
    units = {"level_stage": (4, 10), "slot_name": (8, 1), "bank": (8, 3), "system.bank": (1, 2), "system.tree": (1, 7)}
    units |= {"switch": (2, 1), "switch_1": (2, 2), "round_robin_arbiter_2": (4, 1)}
    blocks = tuple(Block(name=name, instances=n, resources=Resources(lut=lut)) for name, (n, lut) in units.items())
    result = SimpleNamespace(result=Synthesis(target="xcup", blocks=blocks))
    design = SimpleNamespace(verilog="")
    monkeypatch.setattr("rewardware.sw.measurement.tool_cache.synthesise_once", lambda *_, **__: result)
    monkeypatch.setattr("rewardware.sw.measurement.elaboration.elaborate_design", lambda *_: design)
    (row,) = MCTSBench().rows(["lut_f6_d32"])
    assert row["value"] == 91 and row["paper"] == 179_000 and row["kind"] == "synthesised"
    assert row["how"].endswith("preset f6-d32; stages 48, banks 24, interconnect 10, the rest 9")


def test_answers_that_differ_are_an_error(monkeypatch):
    class Wrong(ReferenceTree):
        def receive(self, count):
            answers = super().receive(count)
            answers[7] = dataclasses.replace(answers[7], worker=answers[7].worker ^ 1)
            return answers

    monkeypatch.setattr("rewardware.sw.device.search_tree_backends.ReferenceTree", Wrong)
    with pytest.raises(DeviceError, match="answers differ from the reference's after 7 requests"):
        bench_tree.count_search(CONFIG)
