"""The agents of all systems, by their names in checkpoints."""

from pathlib import Path
from typing import Any

from ...hw.soc.devices import load_object
from .descriptor import systems

__all__ = ["agent_class", "agent_of"]


def _places() -> dict[str, str]:
    return {name: place for system in systems().values() for name, place in system.agents.items()}


def agent_class(name: str) -> Any:
    """Of the name in checkpoints."""
    return load_object(_places()[name])


def agent_of(checkpoint: Path) -> Any:
    """The class of the agent that a checkpoint holds.

    Raises
    ------
    CheckpointError
        The file is damaged, no checkpoint, or one of an agent that no system has.
    """
    from ..agents.checkpoint import CheckpointError, read_checkpoint

    name, places = read_checkpoint(checkpoint)[1].get("agent"), _places()
    if name not in places:
        raise CheckpointError(f"{checkpoint} is of an agent {name!r}; known are {', '.join(places)}")
    return load_object(places[name])
