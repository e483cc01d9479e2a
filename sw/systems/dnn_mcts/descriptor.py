"""AlphaZero, as the command line needs it."""

from ..descriptor import SystemDescriptor

__all__ = ["SYSTEM"]

SYSTEM = SystemDescriptor(
    name="dnn_mcts",
    description="AlphaZero: tree search guided by a network, parallel as suits the machine",
    commands={
        "train": "rewardware.sw.systems.dnn_mcts.train_command",
        "explore": "rewardware.sw.systems.dnn_mcts.explore_command",
    },
    names={"train": "alphazero"},
    bench="rewardware.sw.systems.dnn_mcts.bench.figures:DnnMCTSBench",
    agents={"alphazero": "rewardware.sw.systems.dnn_mcts.agent:AlphaZero"},
)
