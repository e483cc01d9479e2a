"""Episodes for IC3Net from what a user says of an environment."""

from pathlib import Path
from typing import Any

from ...core.environments.episode_batch import EpisodeBatch
from ...core.environments.episodes_of_checkpoint import episodes_of_checkpoint
from ...core.environments.make_parallel_environment import parallel_environment_factory
from ...core.environments.parallel_environments import ParallelEnvironments
from ...core.environments.predator_prey_batch import PREDATOR_PREY, PredatorPreyBatch
from ...core.environments.predator_prey_config import LEVELS, PredatorPreyConfig

__all__ = ["episodes_of", "make_episodes"]


def make_episodes(env: Any, episodes: int, steps: int | None = None) -> EpisodeBatch:
    """Episodes side by side.

    Parameters
    ----------
    env, steps
        As of :class:`.IC3Net`.
    episodes
        How many.

    Raises
    ------
    TypeError, ValueError
        There is no such environment, or it has other actions or observations; steps of what has its own; a batch of
        another number of episodes.
    """
    if isinstance(env, str) and env not in LEVELS:
        try:
            make = parallel_environment_factory(env)
        except ValueError as error:
            raise ValueError(f"{error}. Levels of Predator-Prey are {', '.join(LEVELS)}") from error
        return ParallelEnvironments(make, episodes, steps=steps, name=env)
    if not isinstance(env, str | PredatorPreyConfig | EpisodeBatch):
        return ParallelEnvironments(env, episodes, steps=steps)
    if steps is not None:
        raise ValueError(f"Steps are for PettingZoo environments; this one has its own: omit steps {steps}")
    if isinstance(env, EpisodeBatch):
        if env.episodes != episodes:
            raise ValueError(f"The batch must have the {episodes} episodes of the configuration, not {env.episodes}")
        return env
    return PredatorPreyBatch(LEVELS[env] if isinstance(env, str) else env, episodes)


def episodes_of(path: Path | str, about: dict[str, Any], env: Any, episodes: int) -> EpisodeBatch:
    """The episodes that a checkpoint goes on in.

    Parameters
    ----------
    path, about
        Path and description of the checkpoint.
    env
        As of :class:`.IC3Net`; ``None``: by the checkpoint's identifier.
    episodes
        How many.

    Raises
    ------
    CheckpointError
        There is no identifier, or one of a module that nobody has imported; or the environment is another.
    """
    return episodes_of_checkpoint(
        path,
        # Checkpoints from before there were other environments do not name it.
        {"env": PREDATOR_PREY, **about},
        env,
        make=lambda env, steps: make_episodes(env, episodes, steps),
        own=PREDATOR_PREY,
        of_task=PredatorPreyConfig,
    )
