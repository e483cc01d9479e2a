"""The figures of MAAC beside those of the paper."""

import functools
from collections.abc import Callable
from typing import Any

from ....measurement.bench import BenchOfPresets
from . import exploration, rates

__all__ = ["MAACBench"]


class MAACBench(BenchOfPresets):
    """Rows of the bench."""

    system = "maac"

    def ids(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """The figures that there are, in the order of the specification's table."""
        part = functools.partial
        return {
            **{f"util_n{agents}": part(rates.utilisation, agents) for agents in rates.AGENTS},
            "model_error": rates.model_error,
            "dse_seconds": exploration.seconds,
            "dse_gap": exploration.gap,
            "aps_vs_cpu": rates.against_cpu,
            "aps_vs_cpu_device": rates.against_cpu_on_device,
            "update_vs_cpu": rates.update_against_cpu,
            "aps_scaling": rates.scaling,
        }
