"""The figures of A3C beside those of the paper."""

from collections.abc import Callable
from typing import Any

from ....measurement.bench import BenchOfPresets
from . import rates

__all__ = ["A3CBench"]


class A3CBench(BenchOfPresets):
    """Rows of the bench."""

    system = "a3c"

    def ids(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """The figures that there are, in the order of the specification's table."""
        return {
            "gflops": rates.gflops,
            "engine_util": rates.utilisation,
            "eps_device": rates.device_rate,
        }
