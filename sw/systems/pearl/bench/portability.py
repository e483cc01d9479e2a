"""How much of several platforms the composer's placements make use of, beside placements that libraries have.

Source: Y. Meng, *Accelerating reinforcement learning using heterogeneous platforms*, section 4.5.4.
"""

from collections.abc import Iterable
from typing import Any

from ....mapping.composer.algorithms import Workload, training_iteration
from ....mapping.composer.composer import compose
from ....mapping.composer.platform import DeviceKind, load_platform
from ....mapping.composer.problem import Problem
from ....mapping.composer.profiling import profile
from ....mapping.composer.schedule import list_schedule
from ....mapping.composer.workloads import HIDDEN_SIZES, environment_sizes
from ....measurement.bench import drawn_from, make_row, say

__all__ = ["PLATFORMS", "harmonic_mean", "portability"]

PLATFORMS = ("cpu", "cpu-fpga", "server-cgf")
ENVIRONMENTS = {"dqn": "CartPole-v1", "ddpg": "MountainCarContinuous-v0", "sac": "HalfCheetah-v5"}
BATCH = 128
# From table 4.3, the source's over the better of RLlib and Stable-Baselines3: DQN's, the least.
PAPER = 1.35


def portability() -> dict[str, Any]:
    """A row without its name: the composer's metric over the better one of the baselines, the least of all algorithms.

    The metric is equation 4.5, the harmonic mean of experiences per second over the platforms. An iteration's are batch
    over makespan, by the composer's tables: the processor measured, the FPGA by cycle models, the GPU estimated.
    """
    ratios, texts = {}, []
    for algorithm in ENVIRONMENTS:
        say(f"{algorithm} on {', '.join(PLATFORMS)}")
        found = {name: _rates(_problem(algorithm, name)) for name in PLATFORMS}
        arms = {arm: [rates[arm] for rates in found.values()] for arm in next(iter(found.values()))}
        metrics = {arm: harmonic_mean(rates) for arm, rates in arms.items()}
        composed = metrics.pop("composed")
        ratios[algorithm] = composed / max(metrics.values())
        texts.append(f"{algorithm} {ratios[algorithm]:.2f}: composed {_told(composed, arms['composed'])}, ")
        texts[-1] += ", ".join(f"{arm} {_told(metric, arms[arm])}" for arm, metric in metrics.items())
    how = (
        f"harmonic mean of experiences a second, batch {BATCH}, over platforms {', '.join(PLATFORMS)} (in brackets "
        f"each): processor measured, one thread, FPGA by cycle models, GPU estimated; the least of {'; '.join(texts)}"
    )
    return make_row(round(min(ratios.values()), 2), "times", "model", how, PAPER)


def harmonic_mean(rates: Iterable[float]) -> float:
    """Harmonic mean of rates; 0 if one is 0, as what does not run on a platform is not portable."""
    rates = list(rates)
    return len(rates) / sum(1 / rate for rate in rates) if all(rates) else 0.0


def _problem(algorithm: str, platform: str) -> Problem:
    observation_size, action_size = environment_sizes(ENVIRONMENTS[algorithm], discrete=algorithm == "dqn")
    workload = Workload(
        algorithm=algorithm,
        observation_size=observation_size,
        action_size=action_size,
        hidden_sizes=HIDDEN_SIZES[algorithm],
        batch=BATCH,
    )
    return profile(training_iteration(workload), load_platform(platform), drawn_from(0))


def _rates(problem: Problem) -> dict[str, float]:
    """Experiences a second of each placement; a library has no FPGA, and replay on the processor."""
    graph = problem.graph
    (processor,) = problem.platform.of_kind(DeviceKind.CPU)
    learner = (*problem.platform.of_kind(DeviceKind.GPU), processor)[0]
    placements = {
        "all on the processor": dict.fromkeys(graph.order, processor),
        "learner on the GPU where there is one": dict.fromkeys(graph.learner_tasks, learner)
        | dict.fromkeys(graph.replay_tasks, processor),
    }
    rates = {"composed": compose(problem, refine=True).experiences_per_second}
    return rates | {
        arm: graph.batch / list_schedule(problem, placement).makespan for arm, placement in placements.items()
    }


def _told(metric: float, rates: Iterable[float]) -> str:
    return f"{metric:.0f} ({', '.join(f'{rate:.0f}' for rate in rates)})"
