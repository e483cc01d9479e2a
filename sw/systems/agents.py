"""The agents of all systems, by their names in checkpoints."""

from pathlib import Path
from typing import Any

from ...hw.soc.devices import load_object
from .descriptor import systems

__all__ = ["agent_class", "agent_of", "load_agent", "run_to_resume"]


def _places() -> dict[str, str]:
    return {name: place for system in systems().values() for name, place in system.agents.items()}


def agent_class(name: str) -> Any:
    """Agent class of a name in checkpoints."""
    return load_object(_places()[name])


def agent_of(checkpoint: Path) -> Any:
    """The class of the agent that a checkpoint holds.

    Raises
    ------
    CheckpointError
        The file is damaged, no checkpoint, or one of an agent that no system has.
    """
    from ..core.checkpoint import CheckpointError, read_checkpoint

    name, places = read_checkpoint(checkpoint)[1].get("agent"), _places()
    if name not in places:
        raise CheckpointError(f"{checkpoint} is of an agent {name!r}; known are {', '.join(places)}")
    return load_object(places[name])


def load_agent(path: Path | str, **changes: Any) -> Any:
    """The agent of a checkpoint, whatever it is, ready to go on or to act.

    Parameters
    ----------
    path
        Path of a checkpoint, or of a run's folder.
    **changes
        What its ``load`` takes, as ``backend``.

    Raises
    ------
    CheckpointError
        The file is damaged, no checkpoint, or one of an agent that no system has.
    """
    from ..core.run_folder import CHECKPOINT

    path = Path(path)
    checkpoint = path / CHECKPOINT if path.is_dir() else path
    return agent_of(checkpoint).load(checkpoint, **changes)


def run_to_resume(system: str, directory: Path, env: str | None = None) -> Path:
    """The checkpoint of a run, which has to be one of a system, by its name under ``train``, and in an environment if
    one is given.

    Raises
    ------
    CheckpointError
        It is another system's run, which the text names, or one in another environment; or the file is damaged.
    """
    from ..core.checkpoint import CheckpointError, read_checkpoint
    from ..core.run_folder import CHECKPOINT

    checkpoint = directory / CHECKPOINT
    about = read_checkpoint(checkpoint)[1]
    owners = [other.name_under("train") for other in systems().values() if about.get("agent") in other.agents]
    if system not in owners:
        hint = f": go on with rewardware train {owners[0]} --resume {directory}" if owners else ""
        raise CheckpointError(f"{directory} is a run of {about.get('agent')!r}, not of {system}{hint}")
    known = about.get("env")
    if None not in (env, known) and env != known:
        raise CheckpointError(f"{directory} is a run in {known}, not in {env}: omit --env")
    return checkpoint
