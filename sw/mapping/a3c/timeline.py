"""Agents that explore, and the engines that they share: when they wait, and when all is done.

Source: Ge et al., "A FPGA Accelerator of Distributed A3C Algorithm with Optimal Resource Deployment", 2024, sections
3.2 and 3.3.
"""

import itertools
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Any

import simpy

__all__ = ["ExplorationTimes", "Exploring", "best_engines", "best_ratio", "explore", "sweep_engines"]


@dataclass(frozen=True, kw_only=True)
class ExplorationTimes:
    """Times of the parts of an exploration, in seconds.

    Parameters
    ----------
    environment
        t_e: steps of an environment, over again where they are fewer than the explorations have.
    interaction
        t_i: from host to accelerator, or back.
    forward
        t_f: an inference, on one inference engine.
    backward
        t_b: a training, on one training engine.
    update
        The part of a training that is not in t_b: gradients and optimiser, where these are a unit of their own.

    Raises
    ------
    ValueError
        A time below 0, or no step of an environment.
    """

    environment: tuple[float, ...]
    interaction: float
    forward: float
    backward: float
    update: float = 0.0

    def __post_init__(self) -> None:
        if not self.environment:
            raise ValueError("There must be at least one step of an environment")
        for name in ("interaction", "forward", "backward", "update"):
            if getattr(self, name) < 0:
                raise ValueError(f"Time {name} must be at least 0, not {getattr(self, name):g}")
        if min(self.environment) < 0:
            raise ValueError(f"Time environment must be at least 0, not {min(self.environment):g}")

    def alone(self, steps: int) -> float:
        """Seconds of an exploration of ``steps`` inferences that nobody waits in, at the mean of t_e."""
        mean = sum(self.environment) / len(self.environment)
        return (mean + 2 * self.interaction + self.forward) * steps + self.forward + self.backward + self.update


@dataclass(frozen=True)
class Exploring:
    """Results of simulated explorations.

    Parameters
    ----------
    seconds
        t_r, until the last is done.
    waiting_for_inference, waiting_for_training
        How many agents wait, over time; those that wait for a gradient unit wait for training.
    """

    seconds: float
    waiting_for_inference: float
    waiting_for_training: float


def explore(
    times: ExplorationTimes,
    *,
    agents: int,
    inference: int,
    training: int,
    explorations: int,
    steps: int = 5,
    gradients: int | None = None,
) -> Exploring:
    """Agents do a number of explorations between them, whoever is ready the next one.

    An exploration is ``steps`` times a step of the environment, the way to the accelerator, an inference and the way
    back, one inference more for the value of the state after them, and a training. Engines take agents in the order
    in which they ask. Where there are gradient units, an agent leaves its training engine and is then updated by one
    of them.

    Parameters
    ----------
    times
        Times of one engine each.
    agents
        N.
    inference, training
        Engines of both kinds.
    explorations
        L, of all agents.
    steps
        T_max.
    gradients
        Gradient units behind the training engines, which take ``times.update``; ``None``: training engines do all.

    Raises
    ------
    ValueError
        One of the counts is below 1; there is an update, and no unit for it.
    """
    counts = {"agents": agents, "inference": inference, "training": training, "explorations": explorations}
    units = {} if gradients is None else {"gradients": gradients}
    for name, value in (counts | units | {"steps": steps}).items():
        if value < 1:
            raise ValueError(f"{name} must be at least 1, not {value}")
    if times.update and not units:
        raise ValueError("An update needs gradient units: give gradients, or an update of 0 seconds")
    environment = simpy.Environment()
    kinds = {"inference": inference, "training": training, **units}
    engines = {kind: simpy.Resource(environment, count) for kind, count in kinds.items()}
    waited = dict.fromkeys(engines, 0.0)
    stepping = itertools.cycle(times.environment)
    left = explorations

    def use(kind: str, seconds: float) -> Generator[Any, Any, None]:
        asked = environment.now
        with engines[kind].request() as turn:
            yield turn
            waited[kind] += environment.now - asked
            yield environment.timeout(seconds)

    def agent() -> Generator[Any, Any, None]:
        nonlocal left
        while left:
            left -= 1
            for _ in range(steps):
                yield environment.timeout(next(stepping) + times.interaction)
                yield from use("inference", times.forward)
                yield environment.timeout(times.interaction)
            yield from use("inference", times.forward)
            yield from use("training", times.backward)
            if units:
                yield from use("gradients", times.update)

    for _ in range(min(agents, explorations)):
        environment.process(agent())
    environment.run()
    seconds = float(environment.now)
    share = {kind: value / seconds if seconds else 0.0 for kind, value in waited.items()}
    return Exploring(seconds, share["inference"], share["training"] + share.get("gradients", 0.0))


def sweep_engines(times: ExplorationTimes, *, agents: int, explorations: int, steps: int = 5) -> dict[int, Exploring]:
    """Simulate each M from 1 to the number of agents: so many engines of both kinds, all alike.

    Parameters
    ----------
    times, agents, explorations, steps
        As of `explore`.
    """
    return {
        engines: explore(
            times, agents=agents, inference=engines, training=engines, explorations=explorations, steps=steps
        )
        for engines in range(1, agents + 1)
    }


def best_engines(seconds: dict[int, float], within: float = 0.02) -> int:
    """M*: the fewest engines with which explorations take hardly longer than with the best number of them.

    Parameters
    ----------
    seconds
        t_r by M.
    within
        Share by which they may take longer.
    """
    limit = min(seconds.values()) * (1 + within)
    return min(engines for engines, value in seconds.items() if value <= limit)


def best_ratio(
    times: ExplorationTimes, ratios: Iterable[float], *, agents: int, engines: int, explorations: int, steps: int = 5
) -> tuple[float, dict[float, Exploring]]:
    """eta*: how resources are best shared out between training and inference, and what each ratio comes to.

    ``engines`` of each kind stay; at ratio eta, those of training have 2 eta / (1 + eta) of the resources that they
    have at 1 and those of inference 2 / (1 + eta), and take as much less or more time.

    Parameters
    ----------
    times
        At ratio 1.
    ratios
        Training to inference.
    agents, engines, explorations, steps
        As of `explore`.
    """
    found = {}
    for ratio in ratios:
        if ratio <= 0:
            raise ValueError(f"A ratio must be above 0, not {ratio:g}")
        shared = ExplorationTimes(
            environment=times.environment,
            interaction=times.interaction,
            forward=times.forward * (1 + ratio) / 2,
            backward=times.backward * (1 + ratio) / (2 * ratio),
        )
        found[ratio] = explore(
            shared, agents=agents, inference=engines, training=engines, explorations=explorations, steps=steps
        )
    return min(found, key=lambda ratio: found[ratio].seconds), found
