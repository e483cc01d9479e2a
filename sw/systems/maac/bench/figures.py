"""The figures of MAAC beside those of the paper."""

from collections.abc import Callable
from typing import Any

from ....measurement.bench import BenchOfPresets
from . import exploration

__all__ = ["MAACBench"]


class MAACBench(BenchOfPresets):
    """Rows of the bench."""

    system = "maac"

    def ids(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """The figures that there are, in the order of the specification's table."""
        return {"dse_seconds": exploration.seconds, "dse_gap": exploration.gap}
