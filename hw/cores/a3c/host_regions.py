"""What a host sees of the central memories. No Amaranth here."""

from ..memory.host_map_config import HostRegion
from .config import A3CConfig

__all__ = ["CENTRAL_LATENCY", "central_regions"]

# Cycles from a read of the central memories to its data: their output registers stand before the lanes.
CENTRAL_LATENCY = 2


def central_regions(config: A3CConfig) -> tuple[HostRegion, ...]:
    """The central parameters and the mean squares in the host's map: a row is a word, its first number in the lowest
    bits."""
    width = config.width * config.arithmetic.format.width
    return tuple(
        HostRegion(name=name, number=number, width=width, depth=config.words, latency=CENTRAL_LATENCY, settle=2)
        for number, name in enumerate(("parameters", "squares"))
    )
