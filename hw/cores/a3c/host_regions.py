"""The parameters in the host's memory map. No Amaranth here."""

from ..memory.host_map_config import HostRegion
from .config import READ_LATENCY, A3CConfig

__all__ = ["CENTRAL_LATENCY", "central_regions", "copies_region", "copy_address_width"]

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


def copy_address_width(config: A3CConfig) -> int:
    """Bits of a word's address in an agent's copy; its number is above them."""
    return (config.words - 1).bit_length()


def copies_region(config: A3CConfig) -> HostRegion:
    """The agents' copies of the parameters, each from a multiple of a power of two on."""
    return HostRegion(
        name="copies",
        number=2,
        width=config.width * config.arithmetic.format.width,
        depth=config.agents << copy_address_width(config),
        latency=READ_LATENCY,
        settle=2,
    )
