"""A planner on the search device: what a run leaves, beside what it leaves on the reference."""

import pytest

from rewardware.sw.core.environments.make_state_environment import state_environment
from rewardware.sw.core.run import Run
from rewardware.sw.core.run_folder import read_metrics
from rewardware.sw.device.search_tree import MCTSDevice
from rewardware.sw.device.search_tree_backends import open_tree
from rewardware.sw.systems.mcts.planned_episodes import PlannedEpisodes
from rewardware.sw.systems.mcts.planner import MCTSPlanner
from rewardware.sw.systems.mcts.planner_config import PlannerConfig

from ....sw.systems.mcts.evaluators import Drawn
from .run_requests import compare_memory
from .test_system import config_of

TIMES = {"seconds", "tree_seconds", "simulation_seconds", "interval"}


@pytest.mark.parametrize(("policy", "evaluator", "workers"), [("uct", None, 7), ("puct", Drawn(), 4)])
def test_a_run_on_the_device_is_that_on_the_reference(policy, evaluator, workers, tmp_path):
    environment = state_environment("MountainCar-v0")
    config = PlannerConfig(simulations=40, workers=workers, reward_scale=2**-5, rollout_steps=5)
    trees, records = [open_tree(backend, config_of(policy)) for backend in ("rtl", "reference")], []
    try:
        for number, tree in enumerate(trees):
            planner = MCTSPlanner(environment, config, device=MCTSDevice(tree), evaluator=evaluator)
            folder = tmp_path / str(number)
            episodes = PlannedEpisodes(planner, environment, max_steps=3, keep_tree=True)
            Run(episodes, folder, 1, saves=False, progress=False).run()
            records.append(read_metrics(folder))
        assert compare_memory(*trees) > 10
    finally:
        for tree in trees:
            tree.close()
    ours, reference = ([record.pop("interval") for record in lines if record["kind"] == "step"] for lines in records)
    for lines in records:
        for record in lines:
            for name in TIMES & record.keys():
                del record[name]
    assert records[0] == records[1]
    assert reference == [None] * 3 and all(interval >= 2 for interval in ours)
    assert (tmp_path / "0" / "intervals.png").exists() and not (tmp_path / "1" / "intervals.png").exists()
