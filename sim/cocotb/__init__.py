"""Build and run the bench of one core; stream drivers, monitors and the comparator."""

from typing import TYPE_CHECKING, Any

from .bench import clock_and_reset, parameters, rng
from .compare import compare, compare_all
from .streams import StreamSink, StreamSource

if TYPE_CHECKING:
    from .simulation import simulate

__all__ = ["StreamSink", "StreamSource", "clock_and_reset", "compare", "compare_all", "parameters", "rng", "simulate"]


def __getattr__(name: str) -> Any:
    # A bench also imports this package, in each of its simulations, and builds nothing.
    if name != "simulate":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .simulation import simulate

    return simulate
