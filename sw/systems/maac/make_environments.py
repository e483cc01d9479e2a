"""Episodes for MAAC from what a user says of an environment."""

import dataclasses
from pathlib import Path
from typing import Any

from ...core.environments.episodes_of_checkpoint import episodes_of_checkpoint
from ...core.environments.joint_environments import JointEnvironments
from ...core.environments.make_parallel_environment import parallel_environment_factory
from ...core.environments.rover_tower import RoverTower
from ...core.environments.rover_tower_config import ROVER_TOWER, RoverTowerConfig

__all__ = ["environments_of", "make_environments"]


def make_environments(env: Any, episodes: int, steps: int | None = None) -> JointEnvironments:
    """Episodes side by side.

    Parameters
    ----------
    env, steps
        As of :class:`.MAAC`.
    episodes
        How many.

    Raises
    ------
    TypeError, ValueError
        There is no such environment, or it has other actions or observations; steps of what has its own; another
        number of episodes.
    """
    if isinstance(env, JointEnvironments):
        if steps is not None:
            raise ValueError(f"Episodes that are made have their own length: omit steps {steps}")
        if env.episodes != episodes:
            raise ValueError(f"There must be the {episodes} episodes of the configuration, not {env.episodes}")
        return env
    if env == ROVER_TOWER:
        env = RoverTowerConfig()
    if isinstance(env, RoverTowerConfig):
        config = env if steps is None else dataclasses.replace(env, steps=steps)
        batch = JointEnvironments(lambda: RoverTower(config), episodes, name=ROVER_TOWER)
        batch.task = dataclasses.asdict(config)
        return batch
    if not isinstance(env, str):
        return JointEnvironments(env, episodes, steps=steps)
    try:
        make = parallel_environment_factory(env)
    except ValueError as error:
        raise ValueError(f"{error}. The environment of MAAC itself is {ROVER_TOWER}") from error
    return JointEnvironments(make, episodes, steps=steps, name=env)


def environments_of(path: Path | str, about: dict[str, Any], env: Any, episodes: int) -> JointEnvironments:
    """The episodes that a checkpoint goes on in.

    Parameters
    ----------
    path, about
        Path and description of the checkpoint.
    env
        As of :class:`.MAAC`; ``None``: by the checkpoint's identifier.
    episodes
        How many.

    Raises
    ------
    CheckpointError
        There is no identifier, or one of a module that nobody has imported; or the environment is another.
    """
    return episodes_of_checkpoint(
        path,
        about,
        env,
        make=lambda env, steps: make_environments(env, episodes, steps),
        own=ROVER_TOWER,
        of_task=RoverTowerConfig,
    )
