"""DYNAMAP, as the command line needs it."""

from ..descriptor import SystemDescriptor

__all__ = ["SYSTEM"]

SYSTEM = SystemDescriptor(
    name="dynamap",
    description="inference of convolutional networks, an algorithm for each layer",
)
