"""The parallel episodes that a checkpoint goes on in."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

from ..checkpoint import CheckpointError, environment_of, settings_of

__all__ = ["episodes_of_checkpoint"]


class _Episodes(Protocol):
    """Environments as they are used here: plain data that tell them apart, and an end."""

    @property
    def task(self) -> dict[str, Any]: ...

    def close(self) -> None: ...


Episodes = TypeVar("Episodes", bound=_Episodes)


def episodes_of_checkpoint(
    path: Path | str,
    about: dict[str, Any],
    env: Any,
    *,
    make: Callable[[Any, int | None], Episodes],
    own: str,
    of_task: Callable[..., Any],
) -> Episodes:
    """Made as the checkpoint says, or as a user gives them.

    Parameters
    ----------
    path, about
        Path and description of the checkpoint; the latter has the environment's name, ``env``, and its ``task``.
    env
        What a user gives: an environment, its identifier, or episodes that are made; ``None``: by the checkpoint's
        identifier.
    make
        Makes episodes of an environment, or of an identifier, and of the steps after which they are cut off.
    own
        The system's own environment, whose task the checkpoint has: it is not given.
    of_task
        Makes its configuration of the task.

    Raises
    ------
    CheckpointError
        There is no identifier, or one of a module that nobody has imported; or the environment is another.
    """
    task = about["task"]
    if about["env"] == own:
        if env not in (None, own):
            raise CheckpointError(f"{path} is of {own} and has its task: omit the environment")
        with settings_of(path):
            return make(of_task(**task), None)
    with settings_of(path):
        steps = task["steps"]
    env = environment_of(path, about, env)
    # Episodes that are made have their own length.
    batch = make(env, None if hasattr(env, "episodes") else steps)
    for name, expected in task.items():
        if (found := batch.task.get(name)) != expected:
            batch.close()
            raise CheckpointError(f"{path} is of an environment with {name} {expected}; this one has {found}")
    return batch
