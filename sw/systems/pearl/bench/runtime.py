"""Experiences a second of algorithms with actors, and of Stable-Baselines3's, in turn on the same machine."""

import functools
import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ....actors.places import IN_PROCESS, PROCESSES
from ....algorithms.actor_critic_config import PrioritizedDDPGConfig, PrioritizedSACConfig
from ....algorithms.dqn_config import DQNConfig
from ....algorithms.replay_parameters import ReplayParameters
from ....core.environments.make_environment import make_environment
from ....measurement.bench import comparison_library, drawn_from, make_row, say
from ...agents import agent_class

__all__ = [
    "COMPARISONS", "ENVIRONMENTS", "Arm", "Comparison", "against_stable_baselines3", "agent_of", "arms_here",
    "arms_of_stable_baselines3", "describe", "measure_in_turn", "median_speeds", "model_of", "off_policy_model",
    "own_parameters",
]  # fmt: skip

REPEATS = 5
ENVIRONMENTS = 8


@dataclass(frozen=True)
class Comparison:
    """A comparison: the algorithm, the environment and the settings that are measured.

    Parameters
    ----------
    environment
        Identifier.
    config
        Hyper-parameters of all.
    steps
        Experiences of each measurement, without the warm-up.
    paper
        The source's ratio, Table 4.3: on its CPU-GPU-FPGA server, with the best devices.
    threads
        Threads of PyTorch, each number by itself; the fastest of each side counts.
    """

    environment: str
    config: ReplayParameters
    steps: int
    paper: float | None = None
    threads: tuple[int, ...] = (1,)


CORES = len(os.sched_getaffinity(0))
# One thread is the faster setting of both sides for DQN's small networks; else there is a measurement with all cores.
ALL_CORES = tuple(sorted({1, CORES}))
COMPARISONS = {
    # Stable-Baselines3's defaults; networks and batch are also the source's (section 4.5.4).
    "dqn": Comparison(
        "CartPole-v1",
        DQNConfig(
            batch_size=32,
            learning_rate=1e-4,
            double_q=False,
            learning_starts=100,
            train_freq=4,
            target_update_interval=10_000,
        ),
        5120,
        1.68,
    ),
    # With which CartPole is learned.
    "dqn_tuned": Comparison("CartPole-v1", DQNConfig.from_mapping(DQNConfig.suited_to("CartPole-v1")), 5120, 1.68),
    # The source's networks (section 4.5.4), the rest Stable-Baselines3's defaults.
    "ddpg": Comparison(
        "MountainCarContinuous-v0", PrioritizedDDPGConfig(hidden_sizes=(256, 128)), 1024, threads=ALL_CORES
    ),
    "sac": Comparison("HalfCheetah-v5", PrioritizedSACConfig(), 512, threads=ALL_CORES),
}


@dataclass(frozen=True)
class Arm:
    """One of the implementations that are measured in turn.

    Parameters
    ----------
    make
        Makes its model for a comparison.
    threads
        Threads of PyTorch.
    """

    make: Callable[[Comparison], Any]
    threads: int = 1

    def measure(self, comparison: Comparison, then: Callable[[Any], Any]) -> tuple[float, Any]:
        """Experiences a second of a new model, and what ``then`` says of it behind them."""
        import torch

        model = self.make(comparison)
        try:
            torch.set_num_threads(self.threads)
            return _experiences_per_second(model, comparison), then(model)
        finally:
            if hasattr(model, "close"):
                model.close()


def agent_of(comparison: Comparison, environments: int, actors_on: str = PROCESSES, precision: str = "binary32") -> Any:
    """Agent with one actor, its replay on the reference."""
    config = replace(comparison.config, precision=precision)
    made = agent_class(f"prioritized-{config.algorithm}")
    return made(comparison.environment, config, actors=1, environments=environments, actors_on=actors_on)


def model_of(comparison: Comparison, environments: int) -> Any:
    """Stable-Baselines3's; gradient steps come as often, by experiences, however many environments there are."""
    from torch import nn

    config = comparison.config
    library, own = comparison_library("stable_baselines3"), own_parameters(config)
    model = off_policy_model(library, comparison, environments, own, activation_fn=nn.ReLU)
    if isinstance(config, DQNConfig):
        # Both fall by steps, however many `learn` is asked for.
        model.lr_schedule = lambda _: config.learning_rate_at(model.num_timesteps)
        model.exploration_schedule = lambda _: config.exploration_at(model.num_timesteps)
    return model


def off_policy_model(
    library: Any, comparison: Comparison, environments: int, own: dict[str, Any], **networks: Any
) -> Any:
    """A model of Stable-Baselines3 or of a library with its interface.

    Parameters
    ----------
    library
        Has the algorithms by name.
    comparison
        Quantity that is measured.
    environments
        How many.
    own
        Parameters of an algorithm alone.
    **networks
        Options of the policy's networks, besides the sizes.
    """
    config = comparison.config
    # In steps of all environments.
    interval = max(config.train_freq // environments, 1)
    make = comparison_library("stable_baselines3.common.env_util").make_vec_env
    model = getattr(library, config.algorithm.upper())(
        "MlpPolicy",
        make(functools.partial(make_environment, comparison.environment), n_envs=environments, seed=config.seed),
        learning_rate=config.learning_rate,
        buffer_size=1 << 17,
        learning_starts=config.learning_starts,
        batch_size=config.batch_size,
        gamma=config.gamma,
        train_freq=interval,
        gradient_steps=config.gradient_steps * interval * environments // config.train_freq,
        policy_kwargs={"net_arch": list(config.hidden_sizes), **networks},
        seed=config.seed,
        device="cpu",
        **own,
    )
    # Otherwise it leaves a folder for each call of `learn`.
    model.set_logger(comparison_library("stable_baselines3.common.logger").Logger(None, []))
    # It does not begin anew when it goes on.
    model.learn = functools.partial(model.learn, reset_num_timesteps=False)
    return model


def own_parameters(config: Any) -> dict[str, Any]:
    """Parameters of an algorithm alone, by Stable-Baselines3's names."""
    if config.algorithm == "dqn":
        names = "target_update_interval", "exploration_final_eps", "max_grad_norm"
        return {name: getattr(config, name) for name in names}
    if config.algorithm == "sac":
        return {"tau": config.tau}
    import numpy as np

    noise = comparison_library("stable_baselines3.common.noise").NormalActionNoise
    # Bounds of the one element of an action, MountainCar's and Pendulum's.
    return {"tau": config.tau, "action_noise": noise(np.zeros(1), np.full(1, config.noise_scale))}


def _experiences_per_second(model: Any, comparison: Comparison) -> float:
    config = comparison.config
    # Behind the first training, so that what is made once is made.
    model.learn(config.learning_starts + max(2 * config.train_freq, comparison.steps // 10))
    first, start = model.num_timesteps, time.perf_counter()
    model.learn(comparison.steps)
    return (model.num_timesteps - first) / (time.perf_counter() - start)


def arms_here(comparison: Comparison, precisions: Sequence[str] = ("binary32",)) -> dict[str, Arm]:
    """Arms of this package, by their names in the figure: with factors of products in each of these formats."""
    places = {PROCESSES: ""}
    if CORES == 1:
        # Two processes would take turns.
        places[IN_PROCESS] = " in the learner's process"
    return {
        f"1 actor{where} with {ENVIRONMENTS} environments, prioritised replay on the reference, "
        f"products of {precision}, {_threads(threads)}": (
            Arm(functools.partial(agent_of, environments=ENVIRONMENTS, actors_on=place, precision=precision), threads)
        )
        for place, where in places.items()
        for precision in precisions
        for threads in comparison.threads
    }


def arms_of_stable_baselines3(
    comparison: Comparison,
    make: Callable[..., Any] | None = None,
    counts: Sequence[int] = (1, ENVIRONMENTS),
    told: str = "",
) -> dict[str, Arm]:
    """Arms of Stable-Baselines3, by their names in the figure.

    Parameters
    ----------
    comparison
        Quantity that is measured.
    make
        Makes a model, of a comparison and ``environments``; ``None``: `model_of`.
    counts
        Numbers of environments.
    told
        Describes what ``make`` does besides.
    """
    return {
        f"Stable-Baselines3 with {count}{told}, {_threads(threads)}": Arm(
            functools.partial(make or model_of, environments=count), threads
        )
        for threads in comparison.threads
        for count in counts
    }


def _threads(count: int) -> str:
    return f"{count} {'thread' if count == 1 else 'threads'}"


def measure_in_turn(
    comparison: Comparison, arms: dict[str, Arm], then: Callable[[Any], Any] = lambda model: None
) -> dict[str, list[tuple[float, Any]]]:
    """Measurements of each arm, `REPEATS` in turn: experiences per second, and what ``then`` says."""
    import torch

    drawn = replace(comparison, config=replace(comparison.config, seed=drawn_from(comparison.config.seed)))
    found: dict[str, list[tuple[float, Any]]] = {told: [] for told in arms}
    threads = torch.get_num_threads()
    try:
        for repeat in range(REPEATS):
            say(f"measurement {repeat + 1} of {REPEATS}")
            for told, arm in arms.items():
                found[told].append(arm.measure(drawn, then))
    finally:
        torch.set_num_threads(threads)
    return found


def median_speeds(found: dict[str, list[tuple[float, Any]]]) -> dict[str, float]:
    """Medians of experiences a second."""
    return {told: statistics.median(speed for speed, _ in values) for told, values in found.items()}


def describe(comparison: Comparison, found: dict[str, list[tuple[float, Any]]]) -> str:
    """Describe the measurement and all figures: medians, the least and the most."""
    medians, config = median_speeds(found), comparison.config
    figures = "; ".join(
        f"{told}: {medians[told]:.0f} ({min(values)[0]:.0f} to {max(values)[0]:.0f})" for told, values in found.items()
    )
    return (
        f"{comparison.environment}, networks {'-'.join(map(str, config.hidden_sizes))}, batch {config.batch_size}, "
        f"gradient steps: {config.gradient_steps} every {config.train_freq} experiences; experiences a second, medians "
        f"of {REPEATS} measurements in turn, of {comparison.steps} experiences each: {figures}"
    )


def against_stable_baselines3(comparison: Comparison) -> dict[str, Any]:
    """A row without its name: the median of several measurements over that of the fastest of Stable-Baselines3's."""
    ours, theirs = arms_here(comparison), arms_of_stable_baselines3(comparison)
    found = measure_in_turn(comparison, ours | theirs)
    medians = median_speeds(found)
    ratio = max(medians[told] for told in ours) / max(medians[told] for told in theirs)
    return make_row(round(ratio, 2), "times", "measured", describe(comparison, found), comparison.paper)
