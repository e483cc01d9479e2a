"""Monte-Carlo tree search, as the command line needs it."""

from ..descriptor import SystemDescriptor

__all__ = ["SYSTEM"]

SYSTEM = SystemDescriptor(
    name="mcts",
    description="Monte-Carlo tree search with the tree on chip",
    commands={
        "plan": "rewardware.sw.cli.plan_mcts",
        "experiment": "rewardware.sw.cli.experiment_mcts",
        "explore": "rewardware.sw.cli.explore_mcts",
    },
    bench="rewardware.sw.systems.mcts.bench.figures:MCTSBench",
)
