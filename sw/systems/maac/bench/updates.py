"""Cycles that updates of MAAC take on the RTL."""

import dataclasses
import functools
from typing import Any

import numpy as np

from .....hw.cores.learner.maac_config import MAACNetworksConfig
from .....hw.soc.maac.config import MAACSystemConfig
from ....algorithms.maac.maac_config import MAACConfig
from ....algorithms.maac.maac_shape import MAACShape
from ....algorithms.maac.parameters import initial_parameters
from ....algorithms.maac.update import JointBatch
from ....core.environments.joint_environments import JointEnvironments
from ....core.environments.rover_tower import RoverTower
from ....core.environments.rover_tower_config import RoverTowerConfig
from ....measurement.bench import drawn_from
from ..backends import update_on

__all__ = ["BATCH", "CountedUpdate", "count_update", "for_agents", "random_batch", "shape_of"]

# The paper's batch, section V-A.
BATCH = 1024
# Experiences of the updates that are run. A batch takes T_experience for each further one, which two batches show.
COUNTED = (16, 24)


@dataclasses.dataclass(frozen=True)
class CountedUpdate:
    """Cycles of an update of an accelerator, counted.

    Parameters
    ----------
    experience : int
        Cycles of a further experience.
    rest : int
        Cycles of fill and update.
    """

    experience: int
    rest: int

    def cycles(self, batch: int = BATCH) -> int:
        """The cycles of an update with so many experiences."""
        return self.experience * batch + self.rest


def for_agents(hardware: MAACSystemConfig, agents: int) -> MAACSystemConfig:
    """The same units for so many agents of Rover-Tower."""
    shape = shape_of(agents, hardware)
    return dataclasses.replace(
        hardware,
        agents=agents,
        observations=shape.observation_size,
        actions=shape.actions,
        name=f"{hardware.name}, {agents} agents",
    )


def shape_of(agents: int, hardware: MAACSystemConfig | MAACNetworksConfig) -> MAACShape:
    """The sizes of the networks of so many agents of Rover-Tower."""
    environment = JointEnvironments(lambda: RoverTower(RoverTowerConfig(agents=agents)), 1)
    return MAACShape(
        sizes=environment.sizes, counts=environment.counts, hidden_size=hardware.hidden_size, heads=hardware.heads
    )


def random_batch(shape: MAACShape, experiences: int, seed: int = 0) -> JointBatch:
    """Random experiences."""
    generator = np.random.default_rng(drawn_from(seed))
    numbers = experiences, shape.agents

    def observations() -> np.ndarray:
        found = generator.standard_normal((*numbers, shape.observation_size), np.float32)
        return found * shape.observed.astype(np.float32)

    taken = generator.integers(0, shape.counts, numbers)
    return JointBatch(
        observations=observations(),
        actions=np.eye(shape.actions, dtype=np.float32)[taken],
        rewards=generator.standard_normal(numbers, np.float32),
        next_observations=observations(),
        finished=(generator.random(numbers) < 0.1).astype(np.float32),
        next_uniforms=generator.random(numbers, np.float32),
        uniforms=generator.random(numbers, np.float32),
    )


@functools.cache
def count_update(hardware: MAACSystemConfig) -> CountedUpdate:
    """Updates of two batches on the RTL and on the reference, every number compared; what they take.

    Raises
    ------
    LockstepError
        A number is not the reference's.
    """
    shape = shape_of(hardware.agents, hardware)
    config = MAACConfig(hidden_size=shape.hidden_size, heads=shape.heads)
    parameters = initial_parameters(shape, np.random.default_rng(drawn_from(0)))
    update: Any = update_on("lockstep", hardware)(shape, config, *parameters)
    try:
        cycles = []
        for seed, experiences in enumerate(COUNTED):
            update.update(random_batch(shape, experiences, seed))
            cycles.append(update.device.connection.cycles)
    finally:
        update.close()
    experience, left = divmod(cycles[1] - cycles[0], COUNTED[1] - COUNTED[0])
    if left:
        raise RuntimeError(f"{COUNTED[1] - COUNTED[0]} more experiences took {cycles[1] - cycles[0]} cycles")
    return CountedUpdate(experience=experience, rest=cycles[0] - COUNTED[0] * experience)
