"""Monte-Carlo tree search, as the command line needs it."""

from ..descriptor import SystemDescriptor

__all__ = ["SYSTEM"]

SYSTEM = SystemDescriptor(
    name="mcts",
    description="Monte-Carlo tree search with the tree on chip",
    commands={
        "plan": "rewardware.sw.systems.mcts.plan_command",
        "experiment": "rewardware.sw.systems.mcts.experiment_command",
        "explore": "rewardware.sw.systems.mcts.explore_command",
    },
    bench="rewardware.sw.systems.mcts.bench.figures:MCTSBench",
    simulated_work="rewardware.sw.systems.mcts.bench.simulation:simulated_work",
    simulated_devices=("mcts",),
)
