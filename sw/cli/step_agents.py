"""The agents that learn step by step, by their names in checkpoints."""

import importlib
from pathlib import Path
from typing import Any

__all__ = ["agent_class", "agent_of"]

CLASSES = {
    "ddpg": "agents.ddpg:DDPG",
    "dqn": "runtime.dqn:DQN",
    "parallel-ddpg": "runtime.parallel_actor_critic:ParallelDDPG",
    "parallel-dqn": "runtime.parallel_dqn:ParallelDQN",
    "parallel-sac": "runtime.parallel_actor_critic:ParallelSAC",
}


def agent_class(name: str) -> Any:
    """Of the name in checkpoints."""
    module, found = CLASSES[name].split(":")
    return getattr(importlib.import_module(f"...{module}", __name__), found)


def agent_of(checkpoint: Path) -> Any:
    """The class of the agent that a checkpoint holds; of one that it does not know DDPG's, which refuses it.

    Raises
    ------
    CheckpointError
        The file is damaged, or no checkpoint.
    """
    from ..agents.checkpoint import read_checkpoint

    name = read_checkpoint(checkpoint)[1].get("agent", "")
    return agent_class(name if name in CLASSES else "ddpg")
