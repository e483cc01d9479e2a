"""The figures of A3C beside those of the paper."""

import functools
from collections.abc import Callable
from typing import Any

from ....measurement.bench import BenchOfPresets
from . import deployment, rates, resources, system

__all__ = ["A3CBench"]


class A3CBench(BenchOfPresets):
    """Rows of the bench."""

    system = "a3c"
    tracked = ("gflops", "engine_util", "eps_device")

    def ids(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """The figures that there are, in the order of the specification's table."""
        return {
            "gflops": rates.gflops,
            "engine_util": rates.utilisation,
            "eps_device": rates.device_rate,
            "eps_system": system.system_rate,
            "eps_vs_cpu": system.system_against_torch,
            "dsp": functools.partial(resources.device_resource, "dsp"),
            "lut": functools.partial(resources.device_resource, "lut"),
            "m_star_saving": deployment.resources_saved,
            "waiting_drop": deployment.waiting_drop,
        }
