"""The agents that learn step by step, by their names in checkpoints."""

import importlib
from pathlib import Path
from typing import Any

__all__ = ["agent_of"]

CLASSES = {
    "ddpg": "agents.ddpg:DDPG",
    "dqn": "runtime.dqn:DQN",
    "parallel-dqn": "runtime.parallel_dqn:ParallelDQN",
}


def agent_of(checkpoint: Path) -> Any:
    """The class of the agent that a checkpoint holds; of one that it does not know DDPG's, which refuses it.

    Raises
    ------
    CheckpointError
        The file is damaged, or no checkpoint.
    """
    from ..agents.checkpoint import read_checkpoint

    module, name = CLASSES.get(read_checkpoint(checkpoint)[1].get("agent", ""), CLASSES["ddpg"]).split(":")
    return getattr(importlib.import_module(f"...{module}", __name__), name)
