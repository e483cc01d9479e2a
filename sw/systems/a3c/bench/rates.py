"""Rows of the bench that come of counted cycles."""

from typing import Any

from .....hw.soc.a3c.config import A3CSystemConfig
from .....hw.soc.presets import load_preset
from ....measurement.bench import make_row
from .explorations import CountedExplorations, count_explorations

__all__ = ["MHZ", "PRESET", "device_rate", "gflops", "utilisation"]

PRESET = "paper"
MHZ = 200
# The paper's table 5; explorations of its device alone are not given.
PAPER_GFLOPS = 14.8


def gflops() -> dict[str, Any]:
    """Operations of forward pass, loss, backward pass and gradients a second; the update is not counted."""
    hardware, counted = _counted()
    operations = 2 * hardware.exploration_products * counted.explorations
    return make_row(
        round(operations / counted.cycles * MHZ / 1e3, 1), "GFLOPS", "counted", _told(counted), PAPER_GFLOPS
    )


def utilisation() -> dict[str, Any]:
    """Multiply-accumulates done over those that forward, backward and gradient engines could have done."""
    hardware, counted = _counted()
    share = hardware.exploration_products * counted.explorations / (hardware.multipliers * counted.cycles)
    return make_row(round(100 * share, 1), "%", "counted", f"{hardware.multipliers} multipliers, {_told(counted)}")


def device_rate() -> dict[str, Any]:
    """Explorations a second of the device alone."""
    _, counted = _counted()
    return make_row(round(1e6 * MHZ / counted.cycles_each), "explorations/s", "counted", _told(counted))


def _counted() -> tuple[A3CSystemConfig, CountedExplorations]:
    hardware = load_preset(PRESET, "a3c")
    return hardware, count_explorations(hardware, hardware.agents)


def _told(counted: CountedExplorations) -> str:
    return (
        f"{counted.cycles_each:.0f} cycles an exploration, {counted.explorations} of them, at {MHZ} MHz; "
        f"{counted.compared} numbers compared"
    )
