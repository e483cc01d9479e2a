"""Work of LearningGroup that simulators are measured with."""

from functools import partial
from typing import Any

from ....measurement.simulated_work import SimulatedWork, Stopwatch

__all__ = ["simulated_work"]

# A step forward and back is like any other.
STEPS = 1
# Sizes for the smaller presets; the paper's has those of the other figures.
AGENTS = 4
GROUPS = 4


def simulated_work(preset: str, system: str) -> SimulatedWork:
    """An iteration: weight grouping, a step forward and back, gradients and update."""
    return SimulatedWork(
        what=f"an iteration of {STEPS} step with {GROUPS} groups",
        open=partial(_open, preset),
        simulation=lambda device: device.device.transport.simulation,
        work=_iterate,
        close=lambda device: device.device.close(),
    )


def _open(preset: str, threads: int) -> Any:
    from .....hw.soc.learninggroup.config import Network, Rates
    from .....hw.soc.presets import read_preset
    from ....device.open import open_device
    from ..driver import LearningGroupDevice
    from .figures import AGENTS as MANY_AGENTS
    from .figures import EPISODES, OBSERVED

    found = read_preset(preset, "learninggroup")
    episodes = found.training.get("episodes")
    network = Network(
        observation_size=OBSERVED,
        hidden_size=found.training["hidden_size"],
        agents=AGENTS if episodes else MANY_AGENTS,
        groups=GROUPS,
    )
    device = open_device("sim", found.hardware, threads=threads)
    return LearningGroupDevice(device, found.hardware, network, Rates(), episodes=episodes or EPISODES, steps=STEPS)


def _iterate(device: Any, stopwatch: Stopwatch) -> None:
    import numpy as np

    from .figures import SEED, _initial_state

    random = np.random.default_rng(SEED)
    device.load(_initial_state(device.network, device.hardware))
    shape = device.layout.episodes, device.network.agents
    returns = random.normal(0, 1, (STEPS, *shape))
    with stopwatch.running():
        device.start()
        for _ in range(STEPS):
            device.step(random.normal(0, 1, (*shape, device.network.observation_size)))
        device.train(returns, np.full_like(returns, 1 / returns.size))
