"""Build and run the bench of one core; stream drivers, monitors and the comparator."""

from .bench import clock_and_reset, parameters, rng
from .compare import compare, compare_all
from .simulate import simulate
from .streams import StreamSink, StreamSource

__all__ = ["StreamSink", "StreamSource", "clock_and_reset", "compare", "compare_all", "parameters", "rng", "simulate"]
