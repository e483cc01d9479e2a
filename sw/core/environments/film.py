"""An episode as a moving picture."""

from collections.abc import Callable
from pathlib import Path

import gymnasium
import numpy as np
from PIL import Image

from ....hw.soc.written_file import writing
from .environment import Environment

__all__ = ["film_episode"]

# Frames a second where the environment does not say.
SPEED = 30
MOST_FRAMES = 2000


def film_episode(
    path: Path,
    identifier: str,
    kind: type[Environment],
    policy: Callable[[np.ndarray], np.ndarray],
    seed: int,
) -> None:
    """Play an episode and write its pictures as an animated GIF, of at most 2000 frames.

    Parameters
    ----------
    path
        Path of the GIF.
    identifier
        Name of an environment that can draw itself: with render mode ``rgb_array``.
    kind
        Which actions it takes.
    policy
        The action for an observation.
    seed
        Seed of the starting state.

    Raises
    ------
    ValueError
        It cannot draw itself.
    WriteError
        The file cannot be written.
    """
    try:
        env = kind.make(identifier, render_mode="rgb_array")
        environment = kind(env, seed)
        frames: list[Image.Image] = []

        def drawing(observation: np.ndarray) -> np.ndarray:
            if len(frames) < MOST_FRAMES:
                frames.append(_frame(env))
            return policy(observation)

        environment.run_episode(seed, drawing)
        frames.append(_frame(env))
    except (AssertionError, ImportError, TypeError, gymnasium.error.Error) as error:
        raise ValueError(f"{identifier} cannot be drawn: {error}") from error
    duration = 1000 / env.metadata.get("render_fps", SPEED)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        frames[0].save(path, save_all=True, append_images=frames[1:], duration=duration, loop=0, format="GIF")
    env.close()


def _frame(env: gymnasium.Env) -> Image.Image:
    pixels = env.render()
    if not isinstance(pixels, np.ndarray):
        raise TypeError(f"render() gave {type(pixels).__name__}, not an array of pixels")
    return Image.fromarray(pixels)
