"""DYNAMAP, as the command line needs it."""

from ..descriptor import SystemDescriptor

__all__ = ["SYSTEM"]

SYSTEM = SystemDescriptor(
    name="dynamap",
    description="convolutional networks on one systolic array, an algorithm for each layer",
    bench="rewardware.sw.systems.dynamap.bench.figures:DynamapBench",
)
