"""Rover-Tower as MAAC's authors define it, with PettingZoo's parallel interface."""

from typing import Any

import gymnasium
import numpy as np
from pettingzoo import ParallelEnv

from .rover_tower_config import RoverTowerConfig

__all__ = ["ARRIVAL_REWARD", "MOVES", "REACH", "RoverTower"]

# Directions in which an action pushes a rover: not at all, left, right, down, up; the package mpe2 has the same.
MOVES = np.array([[0, 0], [-1, 0], [1, 0], [0, -1], [0, 1]], float)
# Seconds of a step, the share of its velocity that a rover loses in one, and its acceleration.
TIME_STEP, DAMPING, ACCELERATION = 0.1, 0.25, 1.5
# Squared distance below which a rover is at its goal, from the radii of the two, and what that is worth.
REACH = 1.5 * (0.075 + 0.04)
ARRIVAL_REWARD = 10.0


class RoverTower(ParallelEnv):
    """Rovers are told by towers where to go: each rover hears one tower, drawn anew for every episode.

    A rover moves as an agent of the Multi-Agent Particle Environments does: position += 0.1 velocity, then
    velocity = 0.75 velocity + 0.15 direction, so it is never faster than 0.6. A tower stands still and sends one of
    ``config.messages``, which its rover observes after the step. Rovers, towers and goals begin uniform in the
    square from -1 to 1.

    With d the squared distance of a rover to its goal, its pair's reward is -d, and 10 more where d is below `REACH`.
    An episode is cut off after ``config.steps`` steps; nothing else ends it.

    A rover observes the number of its tower (one-hot), the last message (one-hot; zeros at first), and its own
    position and velocity. A tower observes the number of its rover (one-hot), the rover's position and its goal's.

    Parameters
    ----------
    config
        Agents, goals, messages, steps, reward.

    Members
    -------
    partners
        Number of each rover's tower.
    goals
        Number of each rover's goal.
    places
        Positions of the goals.
    positions, velocities
        Positions and velocities of the rovers.
    heard
        The message that each rover observes, one-hot, or zeros.

    Source: Iqbal, Sha, "Actor-Attention-Critic for Multi-Agent Reinforcement Learning" (2019), section 4.1, and the
    environment that its authors published; the physics are mpe2's.
    """

    metadata = {"name": "rover_tower_v0", "render_modes": [], "is_parallelizable": True}
    render_mode = None

    def __init__(self, config: RoverTowerConfig | None = None):
        self.config = config or RoverTowerConfig()
        pairs = range(self.config.pairs)
        self._rovers, self._towers = [f"rover_{index}" for index in pairs], [f"tower_{index}" for index in pairs]
        self.possible_agents = [*self._rovers, *self._towers]
        self.agents: list[str] = []
        sizes = {
            **dict.fromkeys(self._rovers, (self.config.rover_size, len(MOVES))),
            **dict.fromkeys(self._towers, (self.config.tower_size, self.config.messages)),
        }
        self.observation_spaces = {
            agent: gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float32) for agent, (size, _) in sizes.items()
        }
        self.action_spaces = {agent: gymnasium.spaces.Discrete(actions) for agent, (_, actions) in sizes.items()}
        self.max_cycles = self.config.steps
        self._generator = np.random.default_rng()

    def observation_space(self, agent: str) -> gymnasium.Space:
        """One of rovers, another one of towers."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space:
        """A rover stays, or goes left, right, down or up; a tower sends a message."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begins an episode.

        Parameters
        ----------
        seed
            Seed from which all episodes from here on come; ``None``: the next of those there are.
        options
            There are none.
        """
        if seed is not None:
            self._generator = np.random.default_rng(seed)
        config, generator = self.config, self._generator
        self.partners = generator.permutation(config.pairs)
        self.goals = generator.integers(config.goals, size=config.pairs)
        self.positions = generator.uniform(-1, 1, (config.pairs, 2))
        self.places = generator.uniform(-1, 1, (config.goals, 2))
        self.velocities = np.zeros((config.pairs, 2))
        self.heard = np.zeros((config.pairs, config.messages))
        self._step = 0
        self.agents = list(self.possible_agents)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> Any:
        """Moves the rovers and sends the messages: observations, rewards, terminations, truncations, infos."""
        for agent in self.agents:
            if not 0 <= actions[agent] < self.action_spaces[agent].n:
                most = self.action_spaces[agent].n - 1
                raise ValueError(f"Action of {agent} must be between 0 and {most}, not {actions[agent]}")
        # mpe2 also limits the speed to 1, which one push per step does not reach against the damping.
        pushed = MOVES[[actions[rover] for rover in self._rovers]]
        self.positions = self.positions + self.velocities * TIME_STEP
        self.velocities = self.velocities * (1 - DAMPING) + ACCELERATION * pushed * TIME_STEP
        sent = np.array([actions[tower] for tower in self._towers])
        self.heard = np.eye(self.config.messages)[sent[self.partners]]
        self._step += 1
        agents, truncated = self.agents, self._step == self.config.steps
        result: Any = (
            self._observations(),
            dict(zip(agents, self._rewards().tolist(), strict=True)),
            dict.fromkeys(agents, False),
            dict.fromkeys(agents, truncated),
            {agent: {} for agent in agents},
        )
        if truncated:
            self.agents = []
        return result

    def _rewards(self) -> np.ndarray:
        """Rewards of the rovers, then of the towers."""
        distances = np.square(self.positions - self.places[self.goals]).sum(axis=1)
        paid = ARRIVAL_REWARD * (distances < REACH) - distances
        if self.config.reward == "shared":
            return np.full(self.config.agents, paid.sum())
        return np.concatenate((paid, paid[np.argsort(self.partners)]))

    def _observations(self) -> dict[str, np.ndarray]:
        numbers, rover_of = np.eye(self.config.pairs), np.argsort(self.partners)
        state = [self.positions, self.velocities] if self.config.own_state else []
        rovers = np.hstack((numbers[self.partners], self.heard, *state))
        towers = np.hstack((numbers, self.positions, self.places[self.goals]))[rover_of]
        rows = [*rovers.astype(np.float32), *towers.astype(np.float32)]
        return dict(zip(self.agents, rows, strict=True))

    def close(self) -> None:
        """Nothing to let go of."""
