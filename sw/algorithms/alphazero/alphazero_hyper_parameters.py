"""Hyper-parameters of AlphaZero. Pure data: no gateware, no PyTorch."""

import importlib.resources
import math
from dataclasses import dataclass, fields
from typing import Any

import yaml

from ...search.search_config import SearchConfig

__all__ = ["AlphaZeroHyperParameters"]


@dataclass(frozen=True, kw_only=True)
class AlphaZeroHyperParameters(SearchConfig):
    """Hyper-parameters of search, self-play and learning; those of a search are in :class:`.SearchConfig`.

    Parameters
    ----------
    noise_alpha
        Parameter of the Dirichlet distribution of the noise at the root; about 10 over the mean number of legal
        actions.
    temperature_moves
        Moves of a game that are drawn by shares of visits; later ones are the most visited. Where few are, who
        begins may win nearly every game, from which little is learned of positions.
    parallel_games
        Games that are played at once, whose positions are evaluated together.
    channels
        Channels of the three convolutions that policy and value share.
    value_hidden
        Neurons between the two linear layers of the value.
    buffer_size
        Capacity of the replay buffer in positions.
    learning_starts
        Positions in the buffer before the first gradient step.
    batch_size
        Positions per gradient step.
    samples_per_position
        Mean number of times that a position is learned from. There is a gradient step for each
        ``batch_size / samples_per_position`` positions.
    learning_rate
        Adam's learning rate.
    l2
        Weight c of the sum of all squared parameters in the loss.
    opening_moves
        Random moves at the start of an evaluation game, the same for both colours.
    rollout_exploration
        Constant c of the plain search that the network is evaluated against, whose priors are uniform.
    seed
        Seed of everything random.

    Raises
    ------
    TypeError
        A value of the wrong kind.
    ValueError
        A value outside its range.

    Source: D. Silver et al., *A general reinforcement learning algorithm that masters chess, shogi, and Go through
    self-play*, Science 362, 2018.
    """

    workers: int = 1
    noise_alpha: float = 0.3
    temperature_moves: int = 30
    parallel_games: int = 32
    channels: tuple[int, ...] = (32, 64, 128)
    value_hidden: int = 64
    buffer_size: int = 50_000
    learning_starts: int = 1000
    batch_size: int = 256
    samples_per_position: int = 8
    learning_rate: float = 1e-3
    l2: float = 1e-4
    opening_moves: int = 2
    rollout_exploration: float = 5.0
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._layers("channels")
        if len(self.channels) != 3:
            raise ValueError(f"channels must be three, one for each common convolution, not {self.channels}")
        for name in (
            "parallel_games", "value_hidden", "buffer_size", "learning_starts", "batch_size", "samples_per_position",
        ):  # fmt: skip
            self._whole(name, getattr(self, name), 1)
        for name in ("temperature_moves", "opening_moves", "seed"):
            self._whole(name, getattr(self, name), 0)
        self._real("noise_alpha", 0, math.inf, low_included=False)
        self._real("learning_rate", 0, 1, low_included=False, high_included=True)
        self._real("l2", 0, 1)
        self._real("rollout_exploration", 0, 16)
        if self.learning_starts > self.buffer_size:
            raise ValueError(
                f"learning_starts must be at most the buffer_size {self.buffer_size}, not {self.learning_starts}"
            )

    @classmethod
    def suited_to(cls, environment: str) -> dict[str, Any]:
        """The values that `environments.yaml` has for an environment, over the defaults."""
        text = (importlib.resources.files(__package__) / "environments.yaml").read_text(encoding="utf-8")
        found: dict[str, Any] = yaml.safe_load(text).get(environment, {})
        return found

    @property
    def search(self) -> SearchConfig:
        """The configuration of a search alone."""
        return SearchConfig(**{field.name: getattr(self, field.name) for field in fields(SearchConfig)})

    @property
    def plain_search(self) -> SearchConfig:
        """The configuration of the plain search that plays matches, with as many simulations."""
        return SearchConfig(simulations=self.simulations, workers=1, exploration=self.rollout_exploration)
