"""Observations of four frames, each with the action that a rule would take: what a policy learns from."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["LabelledFrames"]


class LabelledFrames:
    """All observations so far, in their order. A frame is kept once, however many observations have it: 7 kB a step.

    Members
    -------
    size
        How many observations there are.
    """

    def __init__(self) -> None:
        self._frames: list[NDArray[np.uint8]] = []
        # How many frames of its episode each has before it.
        self._ages: list[int] = []
        self._actions: list[int] = []
        # For each action the observations that have it.
        self._with: dict[int, list[int]] = {}

    @property
    def size(self) -> int:
        return len(self._actions)

    def add(self, observation: NDArray[np.uint8], action: int, begins: bool) -> None:
        """The next observation (rows, columns, frames) of the episode under way, or the first of the next one."""
        self._frames.append(observation[..., -1].copy())
        self._ages.append(0 if begins else self._ages[-1] + 1)
        self._with.setdefault(action, []).append(self.size)
        self._actions.append(action)

    def observations(self, indices: NDArray[np.int64], frames: int = 4) -> NDArray[np.uint8]:
        """Observations (count, rows, columns, frames); before the first frame of an episode stands the first."""
        return np.stack(
            [np.stack([self._frames[each] for each in self._places(int(index), frames)], axis=-1) for index in indices]
        )

    def _places(self, index: int, frames: int) -> list[int]:
        first = index - self._ages[index]
        return [max(index - back, first) for back in reversed(range(frames))]

    def actions(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Actions of the rule."""
        return np.array([self._actions[index] for index in indices], np.int64)

    def draw(self, count: int, generator: np.random.Generator) -> NDArray[np.int64]:
        """So many indices: each action that there is as likely as the others, and each observation with it.

        An action that is taken seldom, such as a serve, would else be learned late, and without it a game stands still.
        """
        known = sorted(self._with)
        drawn = [self._with[known[each]] for each in generator.integers(len(known), size=count)]
        return np.array([indices[generator.integers(len(indices))] for indices in drawn], np.int64)

    def spread(self, count: int) -> NDArray[np.int64]:
        """So many indices, or as many as there are, from the first to the last at equal distances."""
        return np.linspace(0, self.size - 1, min(count, self.size)).astype(np.int64)

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Arrays and plain numbers of a checkpoint."""
        frames = np.stack(self._frames) if self._frames else np.zeros((0, 0, 0), np.uint8)
        ages, actions = np.array(self._ages, np.int32), np.array(self._actions, np.int32)
        return {"frames": frames, "ages": ages, "actions": actions}, {}

    def restore(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Takes back what `state` gave."""
        self._frames = list(arrays["frames"])
        self._ages, self._actions = arrays["ages"].tolist(), arrays["actions"].tolist()
        self._with = {}
        for index, action in enumerate(self._actions):
            self._with.setdefault(action, []).append(index)
