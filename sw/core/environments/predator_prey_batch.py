"""Many episodes of Predator-Prey at once, in NumPy."""

import dataclasses

import numpy as np

from .predator_prey import ACTIONS, OUTSIDE, PREDATOR, PREY, PREY_REWARD, STEP_PENALTY
from .predator_prey_config import PredatorPreyConfig

__all__ = ["PREDATOR_PREY", "PredatorPreyBatch"]

# Its name as an environment.
PREDATOR_PREY = "predator-prey"
MOVES = np.array(ACTIONS)


class PredatorPreyBatch:
    """`PredatorPrey` for E episodes side by side: an :class:`.EpisodeBatch`.

    The episodes are those of :class:`.ParallelEnvironments` over `PredatorPrey`, in a fraction of the time. An episode
    that is over (mixed mode) stands still, without reward, until the last of them is.

    Parameters
    ----------
    config
        As of `PredatorPrey`.
    episodes
        How many.

    Members
    -------
    active
        Whether an episode is still going on, for each of them. All of its predators end with it.
    arrived
        Whether a predator is on the prey: episodes x predators.
    success
        Whether all predators of an episode are.
    """

    name: str | None = PREDATOR_PREY

    def __init__(self, config: PredatorPreyConfig, episodes: int):
        if episodes < 1:
            raise ValueError(f"episodes must be at least 1, not {episodes}")
        self.config = config
        self.task = dataclasses.asdict(config)
        self.episodes, self.agents, self.steps = episodes, config.predators, config.steps
        self.observation_size, self.actions = config.observation_size, len(ACTIONS)
        self.active = np.zeros(episodes, bool)
        self.arrived = np.zeros((episodes, config.predators), bool)
        # The grid itself, as a predator on each cell sees it.
        offsets = np.arange(config.window) - config.vision
        cells = np.arange(config.cells)
        rows = (cells // config.size)[:, np.newaxis] + offsets
        columns = (cells % config.size)[:, np.newaxis] + offsets
        inside = ((rows >= 0) & (rows < config.size))[:, :, np.newaxis] & ((columns >= 0) & (columns < config.size))[
            :, np.newaxis
        ]
        number = rows[:, :, np.newaxis] * config.size + columns[:, np.newaxis]
        number = np.where(inside, number, config.cells + OUTSIDE).reshape(config.cells, -1)
        self._views = (number[:, :, np.newaxis] == np.arange(config.classes)).astype(np.float32)
        self._window = np.stack(np.meshgrid(offsets, offsets, indexing="ij"), -1).reshape(-1, 2)

    def draw(self, generator: np.random.Generator) -> np.ndarray:
        """Random cells to begin on, all different within an episode: episodes x (predators + 1), the prey last."""
        order = np.argsort(generator.random((self.episodes, self.config.cells)), axis=1)
        return order[:, : self.config.predators + 1]

    def reset(self, generator: np.random.Generator) -> np.ndarray:
        """Begins all episodes, on random cells: the observations, episodes x predators x elements."""
        return self.place(self.draw(generator))

    def place(self, cells: np.ndarray) -> np.ndarray:
        """Begins all episodes, on these cells: the observations."""
        expected = (self.episodes, self.config.predators + 1)
        if cells.shape != expected:
            raise ValueError(f"cells must have shape {expected}, not {cells.shape}")
        places = np.stack(np.divmod(cells, self.config.size), -1)
        self._predators, self._prey = places[:, :-1], places[:, -1:]
        self.arrived = np.zeros((self.episodes, self.config.predators), bool)
        self.active = np.ones(self.episodes, bool)
        self._steps = 0
        return self._observe()

    @property
    def success(self) -> np.ndarray:
        return np.all(self.arrived, axis=1)

    @property
    def alive(self) -> np.ndarray:
        """Whether a predator's episode is still going on: episodes x predators."""
        return np.broadcast_to(self.active[:, np.newaxis], self.arrived.shape)

    def outcome(self) -> dict[str, float]:
        """``success``, the share of episodes in which all predators are on the prey; ``arrived``, that of predators."""
        return {"success": float(self.success.mean()), "arrived": float(self.arrived.mean())}

    def close(self) -> None:
        """Nothing to let go of."""

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Takes actions, episodes x predators: observations, rewards."""
        moving = (self.active[:, np.newaxis] & ~self.arrived)[:, :, np.newaxis]
        moved = np.clip(self._predators + MOVES[actions], 0, self.config.size - 1)
        self._predators = np.where(moving, moved, self._predators)
        self.arrived = (self._predators == self._prey).all(axis=-1)
        count = self.arrived.sum(axis=1, keepdims=True)
        if self.config.mode == "cooperative":
            found = PREY_REWARD * count
        elif self.config.mode == "competitive":
            found = PREY_REWARD / np.maximum(count, 1)
        else:
            found = np.zeros_like(count)
        rewards = np.where(self.arrived, found, STEP_PENALTY) * self.active[:, np.newaxis]
        self._steps += 1
        if self._steps == self.config.steps:
            self.active = np.zeros_like(self.active)
        elif self.config.mode == "mixed":
            self.active = self.active & ~self.success
        return self._observe(), rewards

    def _observe(self) -> np.ndarray:
        config = self.config
        seen = self._views[self._predators @ (config.size, 1)]
        seen[..., config.cells + PREY] = self._in_window(self._prey).sum(axis=2)
        seen[..., config.cells + PREDATOR] = self._in_window(self._predators).sum(axis=2)
        return seen.reshape(self.episodes, config.predators, -1)

    def _in_window(self, places: np.ndarray) -> np.ndarray:
        """For each predator and place, which cell of the window the place is: episodes x predators x places x cells."""
        distance = places[:, np.newaxis] - self._predators[:, :, np.newaxis]
        return (distance[:, :, :, np.newaxis] == self._window).all(axis=-1)
