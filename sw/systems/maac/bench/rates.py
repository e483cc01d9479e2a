"""Rows of the bench that come of counted cycles: utilisation, speed against software, scaling, the model's error."""

import dataclasses
import functools
from typing import Any

from .....hw.soc.maac.config import MAACSystemConfig
from .....hw.soc.presets import load_preset
from ....mapping.maac.cycles import iteration_cycles
from ....mapping.maac.design import MAACDesign
from ....measurement.bench import make_row
from .throughput import HostTimes, aps, measure_host
from .updates import BATCH, CountedUpdate, count_update, for_agents, shape_of

__all__ = [
    "AGENTS",
    "against_cpu",
    "against_cpu_on_device",
    "model_error",
    "scaling",
    "update_against_cpu",
    "utilisation",
]

# The paper's figure 6 has these.
AGENTS = (2, 4, 6, 8)
PAPER_UTILISATION = 68
PAPER_SPEEDUP = 4.6
MHZ = 250
# The preset whose PF_F are the paper's, and the one that is to be as fast as the card allows.
PAPER, FAST = "paper", "u250"


def hardware_of(preset: str, agents: int) -> MAACSystemConfig:
    """A preset for so many agents of Rover-Tower."""
    return for_agents(load_preset(preset, "maac"), agents)


def utilisation(agents: int) -> dict[str, Any]:
    """Multiply-accumulates of an update over those that all units could have done in its cycles."""
    hardware = hardware_of(PAPER, agents)
    counted, design = count_update(hardware), design_of(hardware)
    share = 100 * design.utilisation(BATCH, counted.cycles())
    return make_row(
        round(share, 1),
        "%",
        "counted",
        f"{design.units} units, {_told(counted)}; every number compared",
        PAPER_UTILISATION,
    )


def model_error() -> dict[str, Any]:
    """The model's cycles of an update against those counted, the worst of all designs."""
    errors = {}
    for preset, agents in [(PAPER, agents) for agents in AGENTS] + [(FAST, 4)]:
        hardware = hardware_of(preset, agents)
        counted = count_update(hardware).cycles()
        errors[f"{preset}, {agents} agents"] = 100 * abs(iteration_cycles(design_of(hardware), BATCH) / counted - 1)
    worst = max(errors, key=lambda where: errors[where])
    return make_row(round(errors[worst], 2), "%", "counted", f"worst of {len(errors)} designs: {worst}; batch {BATCH}")


def update_against_cpu() -> dict[str, Any]:
    """The critics' update and the policies' forward pass: PyTorch on one core over the accelerator."""
    hardware = hardware_of(FAST, 4)
    counted = count_update(hardware)
    host = measure_host(shape_of(4, hardware), 1)
    seconds = device_seconds(counted)
    how = (
        f"{1e3 * host.update:.1f} ms on one core, {1e3 * seconds:.2f} ms at {MHZ} MHz, "
        f"{design_of(hardware).units} units, {_told(counted)}"
    )
    return make_row(round(host.update / seconds, 1), "times", "measured", how)


def against_cpu() -> dict[str, Any]:
    """Agent-gradient-updates a second of host and accelerator over those of PyTorch alone, by equation 6."""
    hardware = hardware_of(FAST, 4)
    counted, host = count_update(hardware), measure_host(shape_of(4, hardware), None)
    whole = max(host.collection + host.backward, device_seconds(counted))
    how = (
        f"host: {_host(host)}; accelerator {1e3 * device_seconds(counted):.2f} ms at {MHZ} MHz; "
        f"{aps(4, whole):.0f} over {aps(4, host.iteration):.0f} a second"
    )
    return make_row(round(host.iteration / whole, 2), "times", "measured", how, PAPER_SPEEDUP)


def against_cpu_on_device() -> dict[str, Any]:
    """The same with the policies' backward pass also on the accelerator."""
    hardware = dataclasses.replace(hardware_of(FAST, 4), policy_backward="device")
    counted, host = count_update(hardware), measure_host(shape_of(4, hardware), None)
    whole = max(host.collection, device_seconds(counted))
    how = f"host: {_host(host)}; accelerator {1e3 * device_seconds(counted):.2f} ms at {MHZ} MHz"
    return make_row(round(host.iteration / whole, 2), "times", "measured", how)


def scaling() -> dict[str, Any]:
    """Agent-gradient-updates a second of the accelerator with 8 agents over those with 2, with the same units."""
    rates = {
        agents: aps(agents, device_seconds(count_update(hardware_of(PAPER, agents))))
        for agents in (AGENTS[0], AGENTS[-1])
    }
    how = ", ".join(f"N = {agents}: {rate:.0f} a second" for agents, rate in rates.items())
    return make_row(round(rates[AGENTS[-1]] / rates[AGENTS[0]], 3), "times", "counted", f"{how}, at {MHZ} MHz")


@functools.cache
def design_of(hardware: MAACSystemConfig) -> MAACDesign:
    """The accelerator's stages."""
    return MAACDesign(networks=hardware.networks, update_interval=hardware.update_interval)


def device_seconds(counted: CountedUpdate) -> float:
    """The time of an update at the clock of the figures."""
    return counted.cycles() / (1e6 * MHZ)


def _told(counted: CountedUpdate) -> str:
    return f"{counted.experience} cycles an experience and {counted.rest} beside them, batch {BATCH}"


def _host(host: HostTimes) -> str:
    parts = {"data collection": host.collection, "update": host.update, "policies backward": host.backward}
    return ", ".join(f"{name} {1e3 * seconds:.1f} ms" for name, seconds in parts.items())
