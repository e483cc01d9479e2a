"""MAAC's learner: policies that act, a replay buffer, and updates that a backend and the host share."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.checkpoint import prefixed, under
from .host_policies import HostPolicies
from .joint_replay_buffer import JointReplayBuffer
from .maac_config import MAACConfig
from .maac_shape import MAACShape
from .parameters import initial_parameters
from .update import JointBatch, MAACUpdate

__all__ = ["MAACLearner", "MakeUpdate"]

MakeUpdate = Callable[[MAACShape, MAACConfig, dict[str, np.ndarray], dict[str, np.ndarray]], MAACUpdate]


class MAACLearner:
    """Acts for all agents, keeps their experiences, and learns from them.

    Parameters
    ----------
    shape
        Sizes of the networks.
    config
        Hyper-parameters; every random number comes from its seed.
    make_update
        Makes the backend of the updates from shape, configuration, and the first policies and critics.

    Members
    -------
    policies
        On the host.
    backend
        Backend of the updates.
    replay
        The experiences.
    updates
        Done so far.
    """

    def __init__(self, shape: MAACShape, config: MAACConfig, make_update: MakeUpdate):
        self.shape, self.config = shape, config
        weights, draws, replay = np.random.SeedSequence(config.seed).spawn(3)
        policies, critics = initial_parameters(shape, np.random.default_rng(weights))
        self._generator = np.random.default_rng(draws)
        self.replay = JointReplayBuffer(config.buffer_size, shape, int(replay.generate_state(1)[0]))
        self.policies = HostPolicies(shape, config, policies)
        self.backend = make_update(shape, config, policies, critics)
        self.updates = 0

    def act(self, observations: np.ndarray) -> np.ndarray:
        """Actions drawn by the policies, episodes x agents, for observations, episodes x agents x elements."""
        return self.policies.act(observations, self._uniforms(len(observations)))

    def _uniforms(self, rows: int) -> np.ndarray:
        return self._generator.random((rows, self.shape.agents), np.float32)

    def remember(self, **experiences: np.ndarray) -> None:
        """Add joint experiences to the replay buffer, by the names that it has, rows x agents x ...; the last ones
        where there are more than it holds."""
        latest = {name: values[-self.config.buffer_size :] for name, values in experiences.items()}
        if len(latest["rewards"]):
            self.replay.add(**latest)

    def learn(self) -> dict[str, float]:
        """The updates of an iteration; means of what they report, nothing before there are experiences for a batch."""
        if len(self.replay) < self.config.batch_size or not self.config.updates:
            return {}
        moments = self.replay.reward_moments()
        reports = [self._update(*moments) for _ in range(self.config.updates)]
        policies = self.backend.save_policies()
        if policies is not None:
            self.policies.load(*policies)
        return {name: float(np.mean([report[name] for report in reports])) for name in reports[0]}

    def _update(self, mean: np.ndarray, deviation: np.ndarray) -> dict[str, float]:
        batch = self._batch(mean, deviation)
        forward, report = self.backend.update(batch)
        if forward is not None:
            report = {**report, **self.policies.update(batch.observations, forward)}
            self.backend.take_policies(self.policies.parameters)
        self.updates += 1
        return report

    def _batch(self, mean: np.ndarray, deviation: np.ndarray) -> JointBatch:
        drawn = self.replay.sample(self.config.batch_size).experiences
        rewards = drawn["rewards"]
        if self.config.normalize_rewards:
            rewards = ((rewards - mean) / deviation).astype(np.float32)
        return JointBatch(
            observations=drawn["observations"],
            actions=np.eye(self.shape.actions, dtype=np.float32)[drawn["actions"].astype(int)],
            rewards=rewards,
            next_observations=drawn["next_observations"],
            finished=drawn["finished"],
            next_uniforms=self._uniforms(self.config.batch_size),
            uniforms=self._uniforms(self.config.batch_size),
        )

    def drawn(self) -> dict[str, Any]:
        """Where the random numbers are, for `rewind`."""
        return dict(self._generator.bit_generator.state)

    def rewind(self, drawn: dict[str, Any]) -> None:
        """Go back to where the random numbers were: what was acted since is as if it had not been."""
        self._generator.bit_generator.state = drawn

    def counters(self) -> dict[str, Any]:
        """Counts of updates and of experiences kept, and those of the backend."""
        return {"updates": self.updates, "experiences": len(self.replay), **self.backend.counters()}

    def save(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Everything that acting and learning depend on: arrays and plain numbers."""
        arrays: dict[str, np.ndarray] = {}
        rest: dict[str, Any] = {"updates": self.updates, "generator": self.drawn()}
        parts = {"policies": self.policies.save(), "update": self.backend.save(), "replay": self.replay.state()}
        for name, (found, about) in parts.items():
            arrays |= prefixed(name, found)
            rest[name] = about
        return arrays, rest

    def load(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Take back what `save` gave; a `KeyError` says what is missing."""
        self.policies.load(under("policies", arrays), rest["policies"])
        self.backend.load(under("update", arrays), rest["update"])
        self.backend.load_policies(*self.policies.save())
        self.replay.restore(under("replay", arrays), rest["replay"])
        self.updates = rest["updates"]
        self.rewind(rest["generator"])

    def close(self) -> None:
        """Let go of the backend."""
        self.backend.close()
