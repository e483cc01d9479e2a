"""Parts of ranges against integers of Python."""

import random

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.replay.config import DRAW_WIDTH, INDEX_WIDTH, PRIORITY_WIDTH
from rewardware.hw.cores.replay.draw_scaler import DRAW_PART, RANGE_PART, DrawScaler
from tests.hw.cores.pipeline import check_pipeline

# The narrowest total of a sum tree and the widest, the range of a segment, and ranges around the ends of their parts.
WIDEST = INDEX_WIDTH + PRIORITY_WIDTH
WIDTHS = (2, RANGE_PART - 1, RANGE_PART, RANGE_PART + 1, 2 * RANGE_PART, 39, DRAW_WIDTH, 3 * RANGE_PART + 1, WIDEST)


class DrawScalers(wiring.Component):
    """Scalers of all widths on the same operands, of which each takes the lower bits."""

    LATENCY = DrawScaler.LATENCY

    def __init__(self):
        parts = {f"part_{width}": Out(width) for width in WIDTHS}
        super().__init__({"draw": In(DRAW_WIDTH), "whole": In(WIDEST), **parts})

    def elaborate(self, platform):
        m = Module()
        for width in WIDTHS:
            m.submodules[f"scaler_{width}"] = scaler = DrawScaler(width)
            assert scaler.latency == self.LATENCY
            m.d.comb += [scaler.draw.eq(self.draw), scaler.whole.eq(self.whole)]
            m.d.comb += getattr(self, f"part_{width}").eq(scaler.part)
        return m


def test_parts_of_ranges():
    """Corners of both operands and of their parts, draws whose product is next to a whole number, and any."""
    made, one = random.Random(1), 1 << DRAW_WIDTH
    draws = corners(DRAW_WIDTH, DRAW_PART)
    pairs = [(draw, whole) for draw in draws for whole in corners(WIDEST, RANGE_PART)]
    for width in WIDTHS:
        for _ in range(40):
            # The whole is odd, so that a draw gives any fraction of the product that is wanted: the lowest bit
            # of each product decides.
            whole = made.getrandbits(WIDEST) | 1
            inverse = pow(whole % (1 << width), -1, one)
            pairs += [(fraction * inverse % one, whole) for fraction in (1, 2, -1, -2)]
    for bit in range(WIDEST):
        pairs += [(made.getrandbits(DRAW_WIDTH), 1 << bit), (1 << bit % DRAW_WIDTH, made.getrandbits(WIDEST))]
    pairs += [(made.getrandbits(DRAW_WIDTH), made.getrandbits(WIDEST)) for _ in range(1000)]
    check_pipeline(
        DrawScalers(),
        {"draw": [draw for draw, _ in pairs], "whole": [whole for _, whole in pairs]},
        {f"part_{width}": [draw * (whole % (1 << width)) >> DRAW_WIDTH for draw, whole in pairs] for width in WIDTHS},
        latency=DrawScaler.LATENCY,
    )


def corners(width, part):
    """The least and the greatest, and of each part the lowest bit, all bits, and all bits but these."""
    every, lows = (1 << width) - 1, range(0, width, part)
    parts = [((1 << part) - 1 << low) & every for low in lows]
    return sorted({0, every, every - 1, *(1 << low for low in lows), *parts, *(every ^ one for one in parts)})
