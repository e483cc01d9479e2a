"""Predator-Prey as IC3Net's authors define it, with PettingZoo's parallel interface."""

from typing import Any

import gymnasium
import numpy as np
from pettingzoo import ParallelEnv

from .predator_prey_config import PredatorPreyConfig

__all__ = ["ACTIONS", "PREY_REWARD", "STEP_PENALTY", "PredatorPrey"]

# Rewards of a predator that searches, and of one that found the prey.
STEP_PENALTY = -0.05
PREY_REWARD = 0.05
# Rows and columns that an action moves: up, right, down, left, stay.
ACTIONS = ((-1, 0), (0, 1), (1, 0), (0, -1), (0, 0))
# Classes of a window's cell above the numbers of the grid's cells.
OUTSIDE, PREY, PREDATOR = 1, 2, 3


class PredatorPrey(ParallelEnv):
    """Predators search a grid for a prey; whoever has found it stays there.

    A predator sees a window of cells around it: for each the number of the grid's cell or that it is outside, one-hot,
    and how many predators and prey are on it. It moves by a cell or stays; a wall stops it. Reward of a step:
    -0.05 for a predator that is not on the prey; for one of the n that are, 0.05 n (cooperative), 0 (mixed), or
    0.05 / n (competitive). An episode is cut off after ``config.steps`` steps; in mixed mode it ends when all have
    arrived. Success: all predators are on the prey.

    Parameters
    ----------
    config
        Size, predators, vision, steps, mode.
    render_mode
        ``"ansi"``: `render` returns the grid as text.

    Source: Singh, Jain, Sukhbaatar, "Learning when to communicate at scale in multiagent cooperative and competitive
    tasks" (2018), and the environment that its authors published.
    """

    metadata = {"name": "predator_prey_v0", "render_modes": ["ansi"], "is_parallelizable": True}

    def __init__(self, config: PredatorPreyConfig | None = None, render_mode: str | None = None):
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode must be 'ansi' or None, not {render_mode!r}")
        self.config = config or PredatorPreyConfig()
        self.render_mode = render_mode
        self.possible_agents = [f"predator_{index}" for index in range(self.config.predators)]
        self.agents: list[str] = []
        space = gymnasium.spaces.Box(0, self.config.predators, (self.config.observation_size,), np.float32)
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: gymnasium.spaces.Discrete(len(ACTIONS)) for agent in self.possible_agents}
        self._generator = np.random.default_rng()

    def observation_space(self, agent: str) -> gymnasium.Space:
        """The same for every agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space:
        """Up, right, down, left, stay."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begins an episode; everybody on a cell of their own.

        Parameters
        ----------
        seed
            Seed from which all episodes from here on come; ``None``: the next of those there are.
        options
            ``{"cells": [...]}`` puts the predators, then the prey, on these cells, counted row by row.
        """
        if seed is not None:
            self._generator = np.random.default_rng(seed)
        config = self.config
        cells = (options or {}).get("cells")
        if cells is None:
            cells = self._generator.choice(config.cells, config.predators + 1, replace=False)
        cells = [int(cell) for cell in cells]
        if len(cells) != config.predators + 1:
            raise ValueError(f"cells must be those of {config.predators} predators and a prey, not {cells}")
        if not all(0 <= cell < config.cells for cell in cells):
            raise ValueError(f"cells must be between 0 and {config.cells - 1}, not {cells}")
        places = [divmod(cell, config.size) for cell in cells]
        self._predators, self._prey = places[:-1], places[-1]
        self._arrived = [False] * config.predators
        self._step = 0
        self.agents = list(self.possible_agents)
        return self._observations(), {agent: {"success": False} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> Any:
        """Moves everybody who has not arrived: observations, rewards, terminations, truncations, infos (success)."""
        agents, config = self.agents, self.config
        for index, agent in enumerate(agents):
            if not 0 <= actions[agent] < len(ACTIONS):
                raise ValueError(f"Action must be between 0 and {len(ACTIONS) - 1}, not {actions[agent]}")
            if not self._arrived[index]:
                (row, column), (down, right) = self._predators[index], ACTIONS[actions[agent]]
                last = config.size - 1
                self._predators[index] = min(max(row + down, 0), last), min(max(column + right, 0), last)
        # Nobody leaves the prey, so having arrived is being there.
        self._arrived = [place == self._prey for place in self._predators]
        self._step += 1
        success = all(self._arrived)
        terminated = success and config.mode == "mixed"
        truncated = not terminated and self._step == config.steps
        result = (
            self._observations(),
            self._rewards(),
            dict.fromkeys(agents, terminated),
            dict.fromkeys(agents, truncated),
            {agent: {"success": success} for agent in agents},
        )
        if terminated or truncated:
            self.agents = []
        return result

    def _rewards(self) -> dict[str, float]:
        count = sum(self._arrived)
        there = {"cooperative": PREY_REWARD * count, "mixed": 0.0, "competitive": PREY_REWARD / max(count, 1)}
        found = there[self.config.mode]
        return {
            agent: found if there else STEP_PENALTY for agent, there in zip(self.agents, self._arrived, strict=True)
        }

    def _observations(self) -> dict[str, np.ndarray]:
        return {agent: self._observe(place) for agent, place in zip(self.agents, self._predators, strict=True)}

    def _observe(self, place: tuple[int, int]) -> np.ndarray:
        config = self.config
        seen = np.zeros((config.window, config.window, config.classes), np.float32)
        for down in range(config.window):
            for right in range(config.window):
                row, column = place[0] + down - config.vision, place[1] + right - config.vision
                inside = 0 <= row < config.size and 0 <= column < config.size
                seen[down, right, row * config.size + column if inside else config.cells + OUTSIDE] = 1
                seen[down, right, config.cells + PREY] = self._prey == (row, column)
                seen[down, right, config.cells + PREDATOR] = self._predators.count((row, column))
        return seen.reshape(-1)

    def render(self) -> str | None:
        """The grid as text: the number of predators on a cell, P for the prey, a dot for nothing."""
        if self.render_mode is None:
            return None

        def cell(place: Any) -> Any:
            count = self._predators.count(place)
            return (str(count) if count else "") + ("P" if place == self._prey else "") or "."

        size = range(self.config.size)
        return "\n".join(" ".join(f"{cell((row, column)):>2}" for column in size) for row in size)

    def close(self) -> None:
        """Nothing to let go of."""
