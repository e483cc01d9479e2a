"""Games of the Arcade Learning Environment by their pixels, with the emulator's memory beside them."""

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from .arcade import ARCADE
from .arcade_frames import FRAMES, SIDE, ArcadeFrames
from .environment import DiscreteEnvironment
from .make_environment import make_environment

__all__ = ["FrameEnvironment"]

# Emulator frames after which an episode is cut off: five minutes.
MOST_FRAMES = 18_000


class FrameEnvironment(DiscreteEnvironment):
    """A :class:`.DiscreteEnvironment` whose observations are four frames, (84, 84, 4) bytes, of :class:`.ArcadeFrames`.

    Episodes of games of the ALE are cut off after five minutes, 18 000 frames of the emulator, as in the evaluations of
    the source; a game that somebody else has registered has its own limit.

    Raises
    ------
    ValueError
        It is no game of the ALE.

    Source: Mnih et al., "Human-level control through deep reinforcement learning" (2015).
    """

    env: ArcadeFrames

    @classmethod
    def make(cls, identifier: str, **settings: Any) -> gymnasium.Env:
        """The game of an identifier, in frames; parameters and errors as of :meth:`.Environment.make`."""
        limit = {"max_num_frames_per_episode": MOST_FRAMES} if identifier.startswith(ARCADE) else {}
        try:
            return ArcadeFrames(make_environment(identifier, obs_type="ram", frameskip=1, **limit, **settings))
        except TypeError as error:
            raise ValueError(f"{identifier} must be a game of the Arcade Learning Environment: {error}") from error

    @property
    def memories(self) -> NDArray[np.uint8]:
        """The emulator's memory (2, 128): now, and at the observation before."""
        return self.env.memories

    def _take_observations(self, space: gymnasium.Space) -> None:
        if space.shape != (SIDE, SIDE, FRAMES):
            raise ValueError(f"An observation must be {FRAMES} frames of {SIDE} x {SIDE} pixels, not {space}")

    def _checked(self, observation: Any, number: int) -> np.ndarray:
        """Bytes are always finite."""
        return np.asarray(observation)
