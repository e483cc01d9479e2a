"""A planner on the search device: what a run leaves, beside what it leaves on the reference."""

from rewardware.sw.agents.run_folder import read_metrics
from rewardware.sw.device.mcts import MCTSDevice
from rewardware.sw.device.tree_backends import open_tree
from rewardware.sw.planning.environments import state_environment
from rewardware.sw.planning.planner import MCTSPlanner
from rewardware.sw.planning.planner_config import PlannerConfig
from rewardware.sw.planning.planning_run import PlanningRun

from .test_system import config_of

TIMES = {"seconds", "tree_seconds", "simulation_seconds", "interval"}


def test_a_run_on_the_device_is_that_on_the_reference(tmp_path):
    environment = state_environment("MountainCar-v0")
    config = PlannerConfig(simulations=40, workers=7, reward_scale=2**-5, rollout_steps=5)
    records = {}
    for backend in ("reference", "rtl"):
        device = MCTSDevice(open_tree(backend, config_of("uct")))
        with MCTSPlanner(environment, config, device=device) as planner:
            PlanningRun(planner, environment, tmp_path / backend, max_steps=3, keep_tree=True, progress=False).run()
        records[backend] = read_metrics(tmp_path / backend)
    intervals = {
        backend: [record.pop("interval") for record in lines if record["kind"] == "step"]
        for backend, lines in records.items()
    }
    for lines in records.values():
        for record in lines:
            for name in TIMES & record.keys():
                del record[name]
    assert records["rtl"] == records["reference"]
    assert intervals["reference"] == [None] * 3 and all(interval >= 2 for interval in intervals["rtl"])
    assert (tmp_path / "rtl" / "intervals.png").exists() and not (tmp_path / "reference" / "intervals.png").exists()
