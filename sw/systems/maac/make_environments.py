"""Episodes for MAAC from what a user says of an environment."""

import dataclasses
from pathlib import Path
from typing import Any

from ...core.checkpoint import CheckpointError, environment_of, settings_of
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
            raise ValueError(f"Episodes that are made have their own length: leave away steps {steps}")
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
        raise ValueError(f"{error}. Of MAAC itself is {ROVER_TOWER}") from error
    return JointEnvironments(make, episodes, steps=steps, name=env)


def environments_of(path: Path | str, about: dict[str, Any], env: Any, episodes: int) -> JointEnvironments:
    """The episodes that a checkpoint goes on in.

    Parameters
    ----------
    path, about
        Of the checkpoint.
    env
        As of :class:`.MAAC`; ``None``: by the checkpoint's identifier.
    episodes
        How many.

    Raises
    ------
    CheckpointError
        There is no identifier, or one of a module that nobody has imported; or the environment is another.
    """
    task = about["task"]
    if about["env"] == ROVER_TOWER:
        if env not in (None, ROVER_TOWER):
            raise CheckpointError(f"{path} is of {ROVER_TOWER} and has its task: leave the environment away")
        with settings_of(path):
            return make_environments(RoverTowerConfig(**task), episodes)
    with settings_of(path):
        steps = task["steps"]
    env = environment_of(path, about, env)
    batch = make_environments(env, episodes, None if isinstance(env, JointEnvironments) else steps)
    for name, expected in task.items():
        if (found := batch.task.get(name)) != expected:
            batch.close()
            raise CheckpointError(f"{path} is of an environment with {name} {expected}; this one has {found}")
    return batch
