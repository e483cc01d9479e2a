import json
import os

import pytest

from rewardware.hw.soc.presets import list_presets
from rewardware.sim.harness.streams import StreamSimulation
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.measurement import simulation_speed
from rewardware.sw.measurement.simulation_speed import empty_cache, one_core
from rewardware.sw.measurement.unit_array import UnitArray
from rewardware.sw.systems import simulation_bench
from rewardware.sw.systems.simulation_bench import SCALE, SimulationBench

NAMED = {"sim_fixar_paper", "sim_learninggroup_paper", "sim_dqn", "sim_ddpg", "sim_mcts_f6_d16", "sim_pearl_k16"}


def test_every_preset_has_a_figure():
    found = SimulationBench().ids()
    assert set(found) >= NAMED
    devices = ("fixar", "learninggroup", "mcts", "pearl", "pearl_learner", "pearl_ddpg_learner")
    assert len(found) == 1 + sum(len(list_presets(device)) for device in devices)


# The quickest to build of each kind of work; the figures themselves are of machines, not of tests.
@pytest.mark.parametrize("name", ["sim_fixar_ulx3s", "sim_pearl_small", "sim_pearl_learner_small"])
def test_rows(name, capsys, monkeypatch):
    monkeypatch.setattr(simulation_bench, "measure_array", lambda: 2e5)
    monkeypatch.setattr(simulation_bench, "THREADS", 1)
    # As the rest of the suite builds them, from its cache.
    monkeypatch.setattr(simulation_bench, "empty_cache", one_core)
    assert dispatch(["bench", "simulation", "--json", "--only", name]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    unscaled = float(row["how"].partition("unscaled ")[2].partition(",")[0])
    assert row["value"] == pytest.approx(unscaled * SCALE / 200, rel=0.02, abs=0.2) and row["unit"] == "k cycles/s"
    assert "lines of Verilog" in row["how"] and "on one core, cold" in row["how"]


def test_the_array_counts_its_cycles():
    with StreamSimulation(UnitArray(2)) as simulation:
        simulation.send("i", [500])
        first = simulation.receive("o", 1, 600).item()
        assert 500 < simulation.run_cycles < 510 and simulation.run_seconds > 0
        simulation.send("i", [500])
        assert simulation.receive("o", 1, 600).item() != first


def test_one_core_and_an_empty_cache_last_as_long_as_they_are_wanted(tmp_path, monkeypatch):
    before = os.sched_getaffinity(0)
    monkeypatch.setenv("REWARDWARE_CACHE", str(tmp_path))
    with pytest.raises(KeyboardInterrupt), one_core(), empty_cache():
        assert len(os.sched_getaffinity(0)) == 1 and os.environ["REWARDWARE_CACHE"] != str(tmp_path)
        raise KeyboardInterrupt
    assert os.sched_getaffinity(0) == before and os.environ["REWARDWARE_CACHE"] == str(tmp_path)


def test_the_array_is_measured(monkeypatch):
    monkeypatch.setattr(simulation_speed, "UNITS", 2)
    monkeypatch.setattr(simulation_speed, "UNIT_RUNS", 2)
    monkeypatch.setattr(simulation_speed, "empty_cache", one_core)
    assert simulation_speed.measure_array() > 0
