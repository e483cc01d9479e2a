"""Training in one process: an environment step, then what is learned with it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.environments.environment import Environment
from .prioritized_replay_buffer import PrioritizedReplayBuffer
from .training_loop import Schedule

__all__ = ["InTurn"]


class InTurn:
    """Environment, replay and learner one after the other; :class:`.InRounds` has actors instead.

    Parameters
    ----------
    environment
        Environment in which experience is gathered.
    replay
        Empty, and of nobody else's.
    learner
        With ``prepare``, of a batch before a gradient step.
    schedule
        When and how much is trained.
    explore
        The action for an observation after so many environment steps.
    after_step
        Called after each environment step with the number of steps before it and with it, before it is learned from.
    counted
        Called after each part of a gradient step with its name: ``sample_cycles``, ``step_cycles``, ``update_cycles``.

    Members
    -------
    num_timesteps
        Environment steps taken so far.
    """

    # Environment steps at a time.
    size = 1

    def __init__(
        self,
        environment: Environment,
        replay: PrioritizedReplayBuffer,
        learner: Any,
        schedule: Schedule,
        *,
        explore: Callable[[np.ndarray, int], np.ndarray],
        after_step: Callable[[int, int], None],
        counted: Callable[[str], None],
    ):
        self.environment, self.replay, self.learner, self.schedule = environment, replay, learner, schedule
        self._explore, self._after_step, self._counted = explore, after_step, counted
        self.num_timesteps = 0

    def round(self) -> list[dict[str, Any]]:
        """A step, and the gradient steps that are due; its record.

        Raises
        ------
        EnvironmentFailure
            The environment failed: everything is as before the step.
        ValueError
            Errors that are negative or no numbers; the priorities are those of before.
        """
        environment, schedule = self.environment, self.schedule
        observation = environment.observation
        action = self._explore(observation, self.num_timesteps)
        next_observation, reward, terminated, truncated = environment.step(action)
        self.replay.add(
            observation=observation[np.newaxis],
            action=action[np.newaxis],
            reward=np.array([reward], np.float32),
            next_observation=next_observation[np.newaxis],
            terminated=np.array([terminated]),
        )
        self.num_timesteps += 1
        record: dict[str, Any] = {"step": self.num_timesteps, "reward": reward}
        if terminated or truncated:
            record |= {"return": environment.episode_return, "length": environment.episode_length}
            environment.begin()
        self._after_step(self.num_timesteps - 1, self.num_timesteps)
        if self.num_timesteps > schedule.learning_starts and self.num_timesteps % schedule.train_freq == 0:
            record["error"] = float(np.mean([self._train() for _ in range(schedule.gradient_steps)]))
        return [record]

    def _train(self) -> float:
        """A gradient step whose errors become priorities; their mean absolute value."""
        schedule = self.schedule
        beta = schedule.beta_at(self.num_timesteps)
        batch = self.replay.sample(schedule.batch_size, beta=beta, stratified=schedule.stratified)
        self._counted("sample_cycles")
        errors = self.learner.train(self.learner.prepare(batch), self.num_timesteps)
        self._counted("step_cycles")
        self.replay.update_priorities(batch.indices, errors)
        self._counted("update_cycles")
        return float(errors.mean())

    def part(self) -> Environment:
        """The part whose state a checkpoint holds: the episode under way."""
        return self.environment

    def counters(self) -> dict[str, int]:
        """There are none."""
        return {}

    def state(self) -> dict[str, Any]:
        """Its own, as plain numbers; environment, buffer and learner have theirs."""
        return {"num_timesteps": self.num_timesteps}

    def restore(self, state: dict[str, Any]) -> None:
        """Take back what `state` gave."""
        self.num_timesteps = state["num_timesteps"]

    def close(self) -> None:
        """Nothing is held."""
