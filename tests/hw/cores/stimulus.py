"""Tables of inputs for tests: corner values among random ones."""

import numpy as np

WORD_CORNERS = [0, 1, -1, (1 << 31) - 1, -(1 << 31), 0xFFFF, 0x10000, -0x10000, 0x7FFF_0000, 1 << 20, -(1 << 20)]


def mixed(rng, shape, bits, corners=()):
    """Signed integers of ``bits`` bits: half of them of random magnitude, some corners, the rest small."""
    magnitude = rng.integers(0, bits, shape)
    values = rng.integers(-(1 << (bits - 1)), 1 << (bits - 1), shape) >> magnitude
    limits = [-(1 << (bits - 1)), (1 << (bits - 1)) - 1, 0, 1, -1, *corners]
    return np.where(rng.random(shape) < 0.25, rng.choice(np.array(limits, np.int64), shape), values)


def flags(rng, shape, share=0.5):
    """Random bits, ones with probability ``share``."""
    return (rng.random(shape) < share).astype(np.int64)


def spaced(rng, cycles, share, interval):
    """Random bits whose ones are ``interval`` cycles or more apart; ``share`` of the chances are taken."""
    taken = np.zeros(cycles, np.int64)
    last = -interval
    for cycle in np.flatnonzero(flags(rng, cycles, share)):
        if cycle - last >= interval:
            taken[cycle], last = 1, cycle
    return taken


def noise(codec, rng):
    """Any bits for a port."""
    bits = int.from_bytes(rng.bytes((codec.width + 7) // 8))
    return codec.unpack(bits & (1 << codec.width) - 1)
