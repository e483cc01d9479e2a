"""Work of FIXAR that simulators are measured with."""

from functools import partial
from typing import Any

from ....measurement.simulated_work import SimulatedWork, Stopwatch

__all__ = ["simulated_work"]

BATCH = 64
PAPER_SIZES = (400, 300)
# It goes on at least as long.
CYCLES = 300_000


def simulated_work(preset: str, system: str) -> SimulatedWork:
    """DDPG training steps: of HalfCheetah's sizes where networks are the paper's, else of Pendulum's."""
    return SimulatedWork(
        what=f"DDPG training steps of up to {BATCH} samples",
        open=partial(_open, preset),
        simulation=lambda device: device.device.transport.simulation,
        work=_train,
        close=lambda device: device.device.close(),
    )


def _open(preset: str, threads: int) -> Any:
    from .....hw.soc.fixar.config import Networks
    from .....hw.soc.presets import read_preset
    from ....device.open import open_device
    from ..driver import FixarDevice
    from .figures import _rates

    found = read_preset(preset)
    hidden_sizes = tuple(found.training["hidden_sizes"])
    observations, actions = (17, 6) if hidden_sizes == PAPER_SIZES else (3, 1)
    networks = Networks(observation_size=observations, action_size=actions, hidden_sizes=hidden_sizes)
    return FixarDevice(open_device("sim", found.config, threads=threads), found.config, networks, _rates(), seed=1)


def _train(device: Any, stopwatch: Stopwatch) -> None:
    from .figures import _initial_state, _transitions

    device.load(_initial_state(device.config, device.networks))
    transitions = _transitions(device.networks, min(BATCH, device.config.batch_limit))
    while stopwatch.cycles < CYCLES:
        with stopwatch.running():
            device.train(transitions)
