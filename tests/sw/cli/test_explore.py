"""The explorations on the command line."""

import json

import pytest

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.mapping.tree_exploration import TreeCosts
from rewardware.sw.systems.maac.bench.throughput import HostTimes
from tests.sw.mapping.maac.spaces import COSTS as MAAC_COSTS

COSTS = TreeCosts(
    selector={2: 100, 3: 90, 4: 95},
    buffer={"butterfly": 200, "butterfly4": 180, "crossbar": 150},
    bank={"butterfly": 200, "butterfly4": 180, "crossbar": 0},
)
TREE = ["explore", "mcts", "--fanout", "4", "--levels", "8", "--banks", "16"]


@pytest.fixture
def measured(monkeypatch):
    monkeypatch.setattr("rewardware.sw.systems.mcts.bench.tree_costs.measure_costs", lambda config, family: COSTS)
    monkeypatch.setattr("rewardware.sw.systems.maac.bench.unit_costs.measure_costs", lambda family: MAAC_COSTS)


def test_the_choice_follows_the_part(measured, capsys):
    assert dispatch([*TREE, "--part", "lfe5u-85f"]) == 0
    assert "Choice: crossbar, f = 4: 9 cycles, 19960 LUT" in capsys.readouterr().out
    assert dispatch([*TREE, "--part", "lfe5u-85f", "--share", "10", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["best"] == report["points"][0]
    assert (report["best"]["interconnect"], report["best"]["group"]) == ("butterfly4", 4)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--part", "xcup"], "--part must be a part, not the family xcup"),
        (["--share", "0"], "--share must be above 0 and at most 100, not 0"),
        (["--part", "ice40up5k"], "The budget must be more than 6480 LUT, not 5280"),
    ],
)
def test_errors(arguments, words, measured, capsys):
    assert dispatch([*TREE, *arguments]) == 2
    assert words in capsys.readouterr().err


def test_costs_are_synthesised(monkeypatch):
    from rewardware.hw.cores.tree.config import TreeConfig
    from rewardware.sw.systems.mcts.bench import tree_costs

    monkeypatch.setattr(tree_costs, "STAGES", (2, 3))
    costs = tree_costs.measure_costs(
        TreeConfig(fanout=3, levels=4, banks=8, group=2, rows=16, nodes=64, reserve=4), "xcup"
    )
    assert costs.buffer.keys() == {"butterfly", "butterfly4", "crossbar"}
    assert costs.selector.keys() == {2, 3} and costs.bank["butterfly"] > costs.bank["crossbar"] == 0
    assert all(cost > 0 for cost in (*costs.selector.values(), *costs.buffer.values()))


MAAC = ["explore", "maac", "--agents", "4", "--observations", "16", "--actions", "5"]


def test_a_timeline_of_maac(measured, monkeypatch, tmp_path, capsys):
    """The accelerator begins when its experiences come, the next iteration when host and accelerator are done."""
    times = HostTimes(collection=0.002, update=0.09, backward=0.015)
    monkeypatch.setattr("rewardware.sw.systems.maac.bench.throughput.measure_host", lambda *_: times)
    assert dispatch([*MAAC, "--timeline", "--out", str(tmp_path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    bars = {(bar["task"], bar["start"] > 0.01): bar for bar in report["timeline"]}
    assert len(report["timeline"]) == 12 and (tmp_path / "timeline.png").stat().st_size > 10_000
    update = bars["critics' update, policies forward", False]
    assert (update["start"], update["seconds"]) == (0, report["iteration_seconds"])
    assert bars["policies backward", False]["start"] == 0.002
    again = bars["critics' update, policies forward", True]["start"]
    assert again == max(0.002 + 0.015, report["iteration_seconds"])
    # 1024 experiences of 4 agents, 16 elements and three rows of 8 bytes each.
    assert bars["experiences", False]["seconds"] == 1024 * 4 * 19 * 8 / 15.75e9
    assert dispatch([*MAAC, "--timeline"]) == 0
    assert "simulation thread  data collection" in capsys.readouterr().out


def test_a_design_of_maac(measured, capsys):
    assert dispatch([*MAAC, "--share", "100", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    stages, taken = report["stages"], report["resources"]
    assert report["experience_cycles"] == max(stage["cycles"] for stage in stages) == 4 * report["agent_cycles"]
    assert all(found["taken"] <= found["budget"] == found["part"] for found in taken.values())
    assert report["units"] == sum(stage["count"] * stage["units"] for stage in stages)
    hidden = next(stage for stage in stages if stage["name"] == "critic hidden")
    could = report["design"]["units"]["critic hidden"] * report["experience_cycles"]
    assert hidden["utilisation_percent"] == 100 * hidden["operations"] / could
    assert report["iteration_seconds"] == report["iteration_cycles"] / 250e6
    assert report["aps"] == 4 * 1024 / report["iteration_seconds"]
    assert dispatch([*MAAC, "--share", "100", "--mhz", "125"]) == 0
    out = capsys.readouterr().out
    assert (
        f"an experience every {report['experience_cycles']} cycles" in out and f"APS {report['aps'] / 2:.0f}\n" in out
    )
    # A part with fewer LUTs holds a slower one.
    assert dispatch([*MAAC, "--part", "agf014", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["experience_cycles"] > report["experience_cycles"]


def test_sizes_are_those_of_rover_tower(measured, capsys):
    from rewardware.sw.core.environments.rover_tower import RoverTower
    from rewardware.sw.core.environments.rover_tower_config import RoverTowerConfig

    assert dispatch(["explore", "maac", "--agents", "2", "--actions", "3", "--share", "100", "--json"]) == 0
    networks = json.loads(capsys.readouterr().out)["networks"]
    environment = RoverTower(RoverTowerConfig(agents=2))
    sizes = [environment.observation_space(agent).shape[0] for agent in environment.possible_agents]
    assert (networks["observations"], networks["actions"]) == (max(sizes), 3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--part", "xcup"], "--part must be a part, not the family xcup"),
        (["--share", "101"], "--share must be above 0 and at most 100, not 101"),
        (["--mhz", "0"], "--mhz must be above 0 and at most 10000, not 0"),
        (["--batch-size", "0"], "--batch-size must be at least 1, not 0"),
        (["--parallel-agents", "5"], "--parallel-agents must be from 1 to 4, not 5"),
        (["--part", "lfe5u-25f"], "Not even one unit per stage is within the budget: "),
    ],
)
def test_errors_of_maac(arguments, words, measured, capsys):
    assert dispatch([*MAAC, *arguments]) == 2
    assert words in capsys.readouterr().err


def test_costs_of_maac_are_synthesised(monkeypatch):
    """With LUTs of a unit what is between two sizes, and a lane of the optimiser what is between two intervals."""
    from rewardware.hw.soc.target.target import Resources
    from rewardware.sw.systems.maac.bench import unit_costs

    def take(unit, name, family):
        if name == "layer_parameters":
            config = unit.config
            return Resources(lut=100 + 10 * config.layer.units + 1000 * config.lanes)
        return Resources(lut=50 + 7 * unit.config.units) if name.endswith("_stage") else Resources(lut=3)

    monkeypatch.setattr(unit_costs, "_take", take)
    costs = unit_costs.measure_costs("xcup")
    assert costs.lane.lut == 1000 and (costs.parameters.base.lut, costs.parameters.unit.lut) == (100, 10)
    assert {(line.base.lut, line.unit.lut) for line in costs.stages.values()} == {(50, 7)}
    assert costs.attention.keys() == {"forward", "backward"} and costs.family == "xcup"
