"""Games of the Arcade Learning Environment as deep Q-learning sees them: four small grey frames."""

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

__all__ = ["FRAMES", "SIDE", "ArcadeFrames"]

# Rows and columns of a frame, and how many are observed.
SIDE = 84
FRAMES = 4
# Emulator frames for which an action is held, and the most in which nothing is done when an episode begins.
FRAME_SKIP = 4
MOST_IDLE = 30


class ArcadeFrames(gymnasium.Wrapper):
    """Frame skip, maximum of two frames, grey, 84 x 84 pixels, four frames one after another.

    An action is held for four frames of the emulator. The larger pixel of the last two is taken, for some games draw
    objects in every other frame; a pixel of the result is the mean of those that it covers. Episodes begin with 1 to 30
    frames in which nothing is done. It does what Gymnasium's ``AtariPreprocessing`` and ``FrameStackObservation`` do,
    and needs no OpenCV.

    An observation is an array (84, 84, 4) of bytes, the oldest frame first; at the beginning of an episode all four are
    the first.

    Parameters
    ----------
    env
        A game with frame skip 1.

    Members
    -------
    memories
        The emulator's memory (2, 128), of the observation and of the one before; at the beginning twice the same.

    Raises
    ------
    ValueError
        It is no game of the ALE.

    Source: Mnih et al., "Human-level control through deep reinforcement learning" (2015), methods, preprocessing.
    """

    def __init__(self, env: gymnasium.Env):
        super().__init__(env)
        if not hasattr(env.unwrapped, "ale"):
            raise ValueError(f"Environment {env} must be a game of the Arcade Learning Environment")
        self._ale: Any = env.unwrapped.ale
        self.observation_space = gymnasium.spaces.Box(0, 255, (SIDE, SIDE, FRAMES), np.uint8)
        rows, columns = self._ale.getScreenDims()
        self._screens = np.zeros((2, rows, columns), np.uint8)
        self._rows, self._columns = _shares(rows, SIDE), _shares(columns, SIDE).T

    def reset(self, **settings: Any) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode; parameters as of ``gymnasium.Env.reset``."""
        _, info = self.env.reset(**settings)
        for _ in range(int(self.unwrapped.np_random.integers(1, MOST_IDLE, endpoint=True))):
            self.env.step(0)
        self._screens[0], self._screens[1] = self._ale.getScreenGrayscale(), 0
        self._frames = np.repeat(self._frame()[..., np.newaxis], FRAMES, axis=2)
        memory = self._ale.getRAM()
        self.memories = np.stack([memory, memory])
        return self._frames, info

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Hold an action for four frames, or to the end of the episode; the sum of their rewards."""
        total = 0.0
        for left in reversed(range(FRAME_SKIP)):
            _, reward, terminated, truncated, info = self.env.step(action)
            total += float(reward)
            if terminated or truncated:
                break
            if left < len(self._screens):
                self._screens[left] = self._ale.getScreenGrayscale()
        self._frames = np.concatenate([self._frames[..., 1:], self._frame()[..., np.newaxis]], axis=2)
        self.memories = np.stack([self._ale.getRAM(), self.memories[0]])
        return self._frames, total, terminated, truncated, info

    def _frame(self) -> NDArray[np.uint8]:
        screen = self._screens.max(axis=0).astype(np.float32)
        return np.rint(self._rows @ screen @ self._columns).astype(np.uint8)


def _shares(pixels: int, fewer: int) -> NDArray[np.float32]:
    """The share that each of ``pixels`` has in each of ``fewer`` pixels: (fewer, pixels)."""
    first = np.arange(fewer)[:, np.newaxis] * pixels / fewer
    last = first + pixels / fewer
    pixel = np.arange(pixels)
    covered = np.minimum(last, pixel + 1) - np.maximum(first, pixel)
    return (covered.clip(0) * fewer / pixels).astype(np.float32)
