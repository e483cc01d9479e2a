"""Returns of algorithms with actors: beside Stable-Baselines3's with the same hyper-parameters, and in bfloat16."""

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ....algorithms.actor_critic_config import PrioritizedDDPGConfig, PrioritizedSACConfig
from ....algorithms.agent import EVALUATION_SEED
from ....algorithms.dqn_config import DQNConfig
from ....core.environments.make_environment import make_environment
from ....measurement.bench import drawn_from, make_row, say
from .runtime import COMPARISONS, Comparison, agent_of, model_of

__all__ = ["IN_BFLOAT16", "LEARNING", "mean_return", "returns_against_stable_baselines3", "returns_in_bfloat16"]

SEEDS, POINTS, EPISODES, ENVIRONMENTS = 3, 3, 20, 4
CARTPOLE, PENDULUM = "CartPole-v1", "Pendulum-v1"
LEARNING = {
    # To the end of its falling learning rate.
    "dqn": Comparison(CARTPOLE, DQNConfig.from_mapping(DQNConfig.suited_to(CARTPOLE)), 51_000),
    # Stable-Baselines3 has one learning rate for actor and critic.
    "ddpg": Comparison(
        PENDULUM,
        PrioritizedDDPGConfig.from_mapping(PrioritizedDDPGConfig.suited_to(PENDULUM) | {"critic_learning_rate": None}),
        6000,
    ),
    "sac": Comparison(PENDULUM, PrioritizedSACConfig.from_mapping(PrioritizedSACConfig.suited_to(PENDULUM)), 6000),
    # The same as in the row of experiences per second.
    "sac_halfcheetah": replace(COMPARISONS["sac"], steps=9000),
}
# HalfCheetah learns little within 9000 steps.
IN_BFLOAT16 = LEARNING | {"sac_halfcheetah": replace(COMPARISONS["sac"], steps=21_000)}


def returns_against_stable_baselines3(comparison: Comparison) -> dict[str, Any]:
    """A row without its name: by how much the mean return at the end is above that of Stable-Baselines3."""
    return _compare(
        comparison, {"here": agent_of, "Stable-Baselines3": model_of}, "; replay prioritised here, uniform there"
    )


def returns_in_bfloat16(comparison: Comparison) -> dict[str, Any]:
    """A row without its name: by how much the mean return at the end with products of bfloat16 is above binary32's."""
    return _compare(comparison, {"bfloat16": functools.partial(agent_of, precision="bfloat16"), "binary32": agent_of})


def _compare(comparison: Comparison, makers: dict[str, Callable[..., Any]], besides: str = "") -> dict[str, Any]:
    """By how much the first one's mean return at the end is above the second one's.

    Both learn with one thread in as many environments, each seed anew, and are evaluated in the same episodes.
    """
    import torch

    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        curves: dict[str, np.ndarray] = {}
        for name, make in makers.items():
            seeds = range(drawn_from(0), drawn_from(0) + SEEDS)
            curves[name] = np.array([_curve(name, make, comparison, seed) for seed in seeds])
    finally:
        torch.set_num_threads(threads)
    config, steps = comparison.config, comparison.steps // POINTS
    told = "; ".join(
        f"{name}: means {_numbers(curve.mean(0))}, seeds at the end {_numbers(curve[:, -1])}"
        for name, curve in curves.items()
    )
    how = (
        f"{comparison.environment}, networks {'-'.join(map(str, config.hidden_sizes))}, batch {config.batch_size}, "
        f"{ENVIRONMENTS} environments; mean return of {EPISODES} episodes after every {steps} of {comparison.steps} "
        f"steps, {SEEDS} seeds: {told}{besides}"
    )
    first, second = (curve[:, -1].mean() for curve in curves.values())
    return make_row(round(first - second, 1), "return", "measured", how)


def _curve(name: str, make: Any, comparison: Comparison, seed: int) -> list[float]:
    """Mean returns at so many points, as far from each other as from the beginning."""
    say(f"{comparison.config.algorithm} on {comparison.environment}, {name}, seed {seed}")
    model, means = make(replace(comparison, config=replace(comparison.config, seed=seed)), ENVIRONMENTS), []
    try:
        for _ in range(POINTS):
            model.learn(comparison.steps // POINTS)
            means.append(mean_return(model, comparison.environment, EPISODES))
    finally:
        if hasattr(model, "close"):
            model.close()
    return means


def mean_return(model: Any, name: str, episodes: int) -> float:
    """Mean return of so many episodes without noise, which begin as those of :meth:`.Agent.evaluate`."""
    environment, total = make_environment(name), 0.0
    for seed in range(EVALUATION_SEED, EVALUATION_SEED + episodes):
        observation, _ = environment.reset(seed=seed)
        ended = False
        while not ended:
            action, _ = model.predict(observation, deterministic=True)
            observation, reward, terminated, truncated, _ = environment.step(action)
            total += float(reward)
            ended = terminated or truncated
    return total / episodes


def _numbers(values: np.ndarray) -> str:
    return ", ".join(f"{value:.1f}" for value in values)
