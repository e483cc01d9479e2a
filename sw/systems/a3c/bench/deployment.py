"""Rows of the bench about how many engines there should be, and how they share resources."""

import functools
from typing import Any

from .....hw.soc.presets import load_preset
from ....mapping.a3c.deployment import Deployment, choose_deployment
from ....mapping.a3c.timeline import ExplorationTimes
from ....measurement.bench import make_row
from ..exploration_times import MHZ, engine_seconds
from .host_times import StepTimes, measure_interaction, measure_steps
from .rates import PRESET
from .system import GAME, SECONDS

__all__ = ["resources_saved", "waiting_drop"]

# The paper's N_l, which its figures 13 to 15 have.
AGENTS = 16
# A multiple of the agents, so that the last ones end together.
EXPLORATIONS = 250 * AGENTS
# Agents that wait, over time, below which it is as if nobody did.
FEW = 0.01
# M* and eta* are 6 and 2.8 there.
PAPER_SAVED, PAPER_DROP = 62.5, 32.2


@functools.cache
def _chosen() -> tuple[Deployment, ExplorationTimes, StepTimes]:
    hardware = load_preset(PRESET, "a3c")
    steps = measure_steps(GAME, AGENTS, SECONDS)
    times = ExplorationTimes(
        environment=steps.seconds, interaction=measure_interaction(hardware), **engine_seconds(hardware.steps)
    )
    return choose_deployment(times, agents=AGENTS, explorations=EXPLORATIONS, steps=hardware.steps), times, steps


def resources_saved() -> dict[str, Any]:
    """Resources saved with M* engines against as many as agents."""
    chosen, times, steps = _chosen()
    seconds = {engines: found.seconds for engines, found in chosen.by_engines.items()}
    how = (
        f"M* = {chosen.engines} of {AGENTS}, of each kind (paper: 6), with which {EXPLORATIONS} explorations take "
        f"{seconds[chosen.engines]:.2f} s, with {AGENTS} {seconds[AGENTS]:.2f} s; {_told(times, steps)}"
    )
    return make_row(round(chosen.saved_percent, 1), "%", "model", how, PAPER_SAVED)


def waiting_drop() -> dict[str, Any]:
    """Fewer agents that wait for training at eta* than at ratio 1."""
    chosen, times, steps = _chosen()
    before, after = chosen.waiting
    how = (
        f"{_remark(before)}eta* = {chosen.ratio:g} (paper: 2.8) with M* = {chosen.engines} of each kind: {before:.2g} "
        f"of {AGENTS} agents wait for training at ratio 1, {after:.2g} at eta* (paper: 6.2 and 4.2); "
        f"{_told(times, steps)}"
    )
    return make_row(round(chosen.waiting_drop_percent, 1), "%", "model", how, PAPER_DROP)


def _remark(waiting: float) -> str:
    """A remark where so few agents wait that it hardly matters how resources are shared."""
    if not waiting:
        return "nobody waits for training at ratio 1, so nothing can drop; "
    return "hardly anybody waits, for environments take nearly all time; " if waiting < FEW else ""


def _told(times: ExplorationTimes, steps: StepTimes) -> str:
    given = {"t_i": times.interaction, "t_f": times.forward, "t_b": times.backward}
    told = ", ".join(f"{name} {1e6 * seconds:.1f} us" for name, seconds in given.items())
    return f"{GAME}: {steps}; {told}, a word a cycle of an engine at {MHZ:g} MHz; the paper's times are not given"
