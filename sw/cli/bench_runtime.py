"""Experiences a second of DQN with actors, and of Stable-Baselines3's, in turn on the same machine."""

import functools
import statistics
import time
from collections.abc import Callable
from typing import Any

from ..runtime.dqn_config import DQNConfig
from .bench_rows import comparison_library, make_row, say

__all__ = ["DEFAULTS", "ENVIRONMENT", "dqn_against_stable_baselines3", "tuned_config"]

ENVIRONMENT = "CartPole-v1"
REPEATS = 5
# Of a measurement, without the warm-up.
STEPS = 5120
ENVIRONMENTS = 8
# Table 4.3 of the source: DQN on its CPU-GPU-FPGA server, with the best devices.
PAPER = 1.68
# Stable-Baselines3's defaults; networks and batch are the source's, too (section 4.5.4).
DEFAULTS = DQNConfig(
    batch_size=32, learning_rate=1e-4, double_q=False, learning_starts=100, train_freq=4, target_update_interval=10_000
)

Arm = Callable[[DQNConfig, int], float]


def _actors(config: DQNConfig, steps: int) -> float:
    """Of one actor, the replay on the reference."""
    from ..runtime.parallel_dqn import ParallelDQN

    agent = ParallelDQN(ENVIRONMENT, config, environments=ENVIRONMENTS)
    try:
        return _experiences_per_second(agent, config, steps)
    finally:
        agent.close()


def _stable_baselines3(environments: int, config: DQNConfig, steps: int) -> float:
    """Of as many environments; gradient steps come as often, by experiences, however many there are."""
    from torch import nn

    # In steps of all environments.
    interval = max(config.train_freq // environments, 1)
    library = comparison_library("stable_baselines3")
    make = comparison_library("stable_baselines3.common.env_util").make_vec_env
    model = library.DQN(
        "MlpPolicy",
        make(ENVIRONMENT, n_envs=environments, seed=config.seed),
        learning_rate=config.learning_rate,
        buffer_size=1 << 17,
        learning_starts=config.learning_starts,
        batch_size=config.batch_size,
        gamma=config.gamma,
        train_freq=interval,
        gradient_steps=config.gradient_steps * interval * environments // config.train_freq,
        target_update_interval=config.target_update_interval,
        exploration_final_eps=config.exploration_final_eps,
        max_grad_norm=config.max_grad_norm,
        policy_kwargs={"net_arch": list(config.hidden_sizes), "activation_fn": nn.ReLU},
        seed=config.seed,
        device="cpu",
    )
    # It does not begin anew between warm-up and measurement.
    model.learn = functools.partial(model.learn, reset_num_timesteps=False)
    return _experiences_per_second(model, config, steps)


def _experiences_per_second(model: Any, config: DQNConfig, steps: int) -> float:
    # Behind the first training, so that what is made once is made.
    model.learn(config.learning_starts + max(2 * config.train_freq, 512))
    first, start = model.num_timesteps, time.perf_counter()
    model.learn(steps)
    return (model.num_timesteps - first) / (time.perf_counter() - start)


# Of each, how it is told.
ARMS: dict[str, tuple[Arm, str]] = {
    "actors": (_actors, f"1 actor with {ENVIRONMENTS} environments, prioritised replay on the reference"),
    "one": (functools.partial(_stable_baselines3, 1), "Stable-Baselines3 with 1 environment"),
    "several": (functools.partial(_stable_baselines3, ENVIRONMENTS), f"with {ENVIRONMENTS}"),
}


def tuned_config() -> DQNConfig:
    """With which CartPole is learned."""
    return DQNConfig.from_mapping(DQNConfig.suited_to(ENVIRONMENT))


def dqn_against_stable_baselines3(config: DQNConfig = DEFAULTS, steps: int = STEPS) -> dict[str, Any]:
    """A row without its name: the median of several measurements over that of the faster of Stable-Baselines3's.

    Parameters
    ----------
    config : DQNConfig
        Hyper-parameters of all.
    steps : int
        Experiences of each measurement.
    """
    import torch

    found: dict[str, list[float]] = {name: [] for name in ARMS}
    threads = torch.get_num_threads()
    try:
        # The faster setting of both for networks of this size.
        torch.set_num_threads(1)
        for repeat in range(REPEATS):
            say(f"measurement {repeat + 1} of {REPEATS}")
            for name, (measure, _) in ARMS.items():
                found[name].append(measure(config, steps))
    finally:
        torch.set_num_threads(threads)
    medians = {name: statistics.median(values) for name, values in found.items()}
    ratio = medians["actors"] / max(medians["one"], medians["several"])
    told = ", ".join(
        f"{ARMS[name][1]} {medians[name]:.0f} ({min(values):.0f} to {max(values):.0f})"
        for name, values in found.items()
    )
    sizes = "-".join(map(str, config.hidden_sizes))
    how = (
        f"{ENVIRONMENT}, networks {sizes}, batch {config.batch_size}, {config.gradient_steps} gradient steps every "
        f"{config.train_freq} experiences; experiences a second, medians of {REPEATS} measurements in turn, of {steps} "
        f"experiences each, one thread: {told}"
    )
    return make_row(round(ratio, 2), "times", "measured", how, PAPER)
