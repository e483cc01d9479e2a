"""Updates of MAAC in software, and agent-gradient-updates a second of host and accelerator together."""

import dataclasses
import functools
import time
from collections.abc import Callable

import numpy as np

from ....algorithms.maac.host_policies import HostPolicies
from ....algorithms.maac.maac_config import MAACConfig
from ....algorithms.maac.maac_shape import MAACShape
from ....algorithms.maac.parameters import initial_parameters
from ....algorithms.maac.torch_update import TorchMAACUpdate
from ....core.environments.joint_environments import JointEnvironments
from ....core.environments.rover_tower import RoverTower
from ....core.environments.rover_tower_config import RoverTowerConfig
from ....core.threads import limited_threads
from ....measurement.bench import drawn_from
from .updates import BATCH, random_batch

__all__ = ["HostTimes", "aps", "measure_host"]

# Updates that are timed, of which the median counts, after one that is not.
TIMED = 7


@dataclasses.dataclass(frozen=True)
class HostTimes:
    """Seconds of an iteration's parts in software: medians of runs beside each other.

    Parameters
    ----------
    collection : float
        The share of an update in the parallel episodes of an iteration: policies and environment.
    update : float
        Critics' update, and the policies' forward pass.
    backward : float
        The policies' backward pass, and Adam.
    """

    collection: float
    update: float
    backward: float

    @property
    def iteration(self) -> float:
        """One part after the other, as the source's code has it."""
        return self.collection + self.update + self.backward


def aps(agents: int, seconds: float, batch: int = BATCH) -> float:
    """Agent-gradient-updates a second: the paper's equation 6."""
    return agents * batch / seconds


@functools.cache
def measure_host(shape: MAACShape, threads: int | None, experiences: int = BATCH) -> HostTimes:
    """Times of MAAC on PyTorch on Rover-Tower.

    Parameters
    ----------
    shape
        Sizes of the networks.
    threads
        Threads of PyTorch; ``None``: as many as it takes.
    experiences : int
        Experiences of a batch.
    """
    config = MAACConfig(hidden_size=shape.hidden_size, heads=shape.heads)
    policies, critics = initial_parameters(shape, np.random.default_rng(drawn_from(0)))
    update, host = TorchMAACUpdate(shape, config, policies, critics), HostPolicies(shape, config, policies)
    batch = random_batch(shape, experiences)
    with limited_threads(threads):
        forward, _ = update.update(batch)
        parts = {
            "collection": lambda: _play(shape, host, config),
            "update": lambda: update.update(batch),
            "backward": lambda: host.update(batch.observations, forward),
        }
        times: dict[str, list[float]] = {name: [] for name in parts}
        # By turns, so that a machine that is slower for a while is slower for all parts.
        for _ in range(TIMED):
            for name, part in parts.items():
                times[name].append(_seconds(part))
    medians = {name: float(np.median(found)) for name, found in times.items()}
    return HostTimes(**{**medians, "collection": medians["collection"] / config.updates})


def _play(shape: MAACShape, host: HostPolicies, config: MAACConfig) -> None:
    """The parallel episodes of an iteration."""
    environments = _environments(shape.agents, config.episodes)
    generator = np.random.default_rng(0)
    observations = environments.reset(generator)
    for _ in range(environments.steps):
        actions = host.act(observations, generator.random(observations.shape[:2], np.float32))
        observations, _ = environments.step(actions)


@functools.cache
def _environments(agents: int, episodes: int) -> JointEnvironments:
    return JointEnvironments(lambda: RoverTower(RoverTowerConfig(agents=agents)), episodes)


def _seconds(part: Callable[[], object]) -> float:
    begin = time.perf_counter()
    part()
    return time.perf_counter() - begin
