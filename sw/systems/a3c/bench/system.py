"""Rows of the bench for environments and device together, beside A3C on PyTorch."""

import functools
import statistics
from dataclasses import dataclass
from typing import Any

from .....hw.cores.a3c.config import A3CConfig
from .....hw.cores.a3c.cycles import backward_cycles, forward_cycles, gradient_cycles
from .....hw.soc.a3c.config import A3CSystemConfig
from .....hw.soc.presets import load_preset
from ....algorithms.a3c.a3c_hyper_parameters import A3CHyperParameters
from ....mapping.a3c.timeline import ExplorationTimes, Exploring, explore
from ....measurement.bench import make_row, say
from .explorations import shape_of
from .host_times import StepTimes, measure_interaction, measure_steps
from .rates import MHZ, PRESET

__all__ = ["GAME", "device_times", "simulate", "system_against_torch", "system_rate"]

GAME = "ALE/Breakout-v5"
PROCESSES = 8
# Seconds of measuring, after the processes have started.
SECONDS = 8.0
# Processes of PyTorch that are tried, and turns of system and PyTorch with the best number of them.
TRIED, TURNS = (1, 2, 4, 8), 3
# How often the simulation goes over the steps that were measured: its end, where agents run out, weighs less.
PASSES = 4
# The paper's: explorations a second, and over an Intel i9-13900K; over an NVIDIA RTX 4090 2.39.
PAPER_RATE, PAPER_SPEEDUP = 638, 1.83


def device_times(hardware: A3CConfig) -> dict[str, float]:
    """Seconds of an inference, of a backward pass and of gradients with the optimiser, by the names of
    :class:`.ExplorationTimes`.

    The optimiser takes a word of gradients each ``interval`` cycles, while the next ones are formed.
    """
    cycles = {
        "forward": forward_cycles(hardware),
        "backward": backward_cycles(hardware, hardware.steps),
        "update": max(gradient_cycles(hardware, hardware.steps), hardware.words * hardware.interval),
    }
    return {name: count / (1e6 * MHZ) for name, count in cycles.items()}


def simulate(
    hardware: A3CConfig, environment: tuple[float, ...], interaction: float, agents: int, explorations: int
) -> Exploring:
    """Explorations of agents on a device: its forward engines, its backward engines and its one gradient unit."""
    return explore(
        ExplorationTimes(environment=environment, interaction=interaction, **device_times(hardware)),
        agents=agents,
        inference=hardware.forward_engines,
        training=hardware.backward_engines,
        gradients=1,
        explorations=explorations,
        steps=hardware.steps,
    )


@dataclass(frozen=True)
class MeasuredSystem:
    """The system with what was measured for it.

    Parameters
    ----------
    steps
        Steps of environments.
    interaction
        t_i in seconds.
    rate
        Explorations a second.
    """

    steps: StepTimes
    interaction: float
    rate: float


def _measure_system(hardware: A3CSystemConfig) -> MeasuredSystem:
    steps, interaction = measure_steps(GAME, PROCESSES, SECONDS), measure_interaction(hardware)
    explorations = max(PASSES * len(steps.seconds) // hardware.steps, PROCESSES)
    found = simulate(hardware, steps.seconds, interaction, PROCESSES, explorations)
    return MeasuredSystem(steps, interaction, explorations / found.seconds)


@functools.cache
def _systems() -> tuple[list[MeasuredSystem], dict[int, float], int, list[float]]:
    """Systems of all turns; rates of PyTorch by the number of processes, the best one, and its rates of all turns."""
    from .torch_agents import explorations_per_second

    hardware = load_preset(PRESET, "a3c")
    shape = shape_of(hardware)
    config = A3CHyperParameters(hidden_sizes=shape.hidden_sizes, rollout_steps=hardware.steps)

    def torch_rate(processes: int) -> float:
        say(f"A3C on PyTorch with {processes} processes")
        return explorations_per_second(GAME, shape, config, processes, SECONDS)

    tried = {processes: torch_rate(processes) for processes in TRIED}
    best = max(tried, key=lambda processes: tried[processes])
    systems, rates = [], []
    # By turns, so that a machine that is slower for a while is slower for both.
    for _ in range(TURNS):
        systems.append(_measure_system(hardware))
        rates.append(torch_rate(best))
    return systems, tried, best, rates


@functools.cache
def _system() -> MeasuredSystem:
    return _measure_system(load_preset(PRESET, "a3c"))


def system_rate() -> dict[str, Any]:
    """Explorations a second of eight environments and the device."""
    hardware, found = load_preset(PRESET, "a3c"), _system()
    times = {name: f"{1e6 * seconds:.1f} us" for name, seconds in device_times(hardware).items()}
    how = (
        f"discrete-event simulation of {PROCESSES} agents of {GAME}: {found.steps}; "
        f"t_i {1e6 * found.interaction:.1f} us, half of a round trip of TCP on this machine; at {MHZ} MHz "
        f"t_f {times['forward']} on {hardware.forward_engines} engines, backward {times['backward']} on "
        f"{hardware.backward_engines}, gradients and optimiser {times['update']} on 1; what a driver computes on the "
        f"host is not in it"
    )
    return make_row(round(found.rate), "explorations/s", "model", how, PAPER_RATE)


def system_against_torch() -> dict[str, Any]:
    """Explorations a second of environments and device over those of PyTorch with the same game and network."""
    systems, tried, best, rates = _systems()
    value = statistics.median(system.rate for system in systems) / statistics.median(rates)

    def listed(numbers: list[float]) -> str:
        return ", ".join(f"{number:.0f}" for number in numbers)

    processes = ", ".join(f"{count}: {rate:.0f}" for count, rate in tried.items())
    how = (
        f"as eps_system, medians of {len(rates)} turns: {listed([system.rate for system in systems])} explorations/s "
        f"over {listed(rates)} of PyTorch with {best} processes of a thread each (by their number {processes}); "
        f"{GAME}; paper: over an i9-13900K, 2.39 over an RTX 4090"
    )
    return make_row(round(value, 2), "times", "model", how, PAPER_SPEEDUP)
