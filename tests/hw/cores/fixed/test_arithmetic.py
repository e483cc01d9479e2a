"""The rounding and saturating expressions against the reference."""

import numpy as np
import pytest
from amaranth.hdl import Module, Shape, Signal, signed, unsigned
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.fixed.arithmetic import round_half_up, saturate
from rewardware.sw.reference.fixed.arithmetic import round_half_up as round_reference
from rewardware.sw.reference.fixed.arithmetic import saturate as saturate_reference
from tests.hw.cores.pipeline import check_pipeline

WIDTH = 9
SHIFTS = (1, 2, 5, 8, 9, 12)
# Results narrower than the source, as wide and wider, of either signedness.
TARGETS = tuple((width, is_signed) for width in (1, 4, 8, 9, 10, 12) for is_signed in (True, False))


class EveryExpression(wiring.Component):
    """Each shift and each target width, from one source."""

    def __init__(self, is_signed):
        ports = {"value": In(Shape(WIDTH, is_signed)), "amount": In(4), "by_amount": Out(Shape(16, is_signed))}
        ports |= {f"by_{shift}": Out(Shape(16, is_signed)) for shift in SHIFTS}
        for width, result_signed in TARGETS:
            kind = "signed" if result_signed else "unsigned"
            ports |= {f"{kind}_{width}": Out(Shape(width, result_signed)), f"{kind}_{width}_saturated": Out(1)}
        super().__init__(ports)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.by_amount.eq(round_half_up(self.value, self.amount))
        for shift in SHIFTS:
            m.d.comb += getattr(self, f"by_{shift}").eq(round_half_up(self.value, shift))
        for width, is_signed in TARGETS:
            name = f"{'signed' if is_signed else 'unsigned'}_{width}"
            result, saturated = saturate(self.value, width, is_signed=is_signed)
            m.d.comb += [getattr(self, name).eq(result), getattr(self, f"{name}_saturated").eq(saturated)]
        return m


@pytest.mark.parametrize("is_signed", [True, False])
def test_every_expression(is_signed):
    low = -(1 << WIDTH - 1) if is_signed else 0
    values = np.repeat(np.arange(low, low + (1 << WIDTH)), 12)
    amounts = np.tile(np.arange(12), 1 << WIDTH)
    rounded = np.where(amounts == 0, values, round_reference(values, np.maximum(amounts, 1)))
    expected = {"by_amount": rounded} | {f"by_{shift}": round_reference(values, shift) for shift in SHIFTS}
    for width, result_signed in TARGETS:
        name = f"{'signed' if result_signed else 'unsigned'}_{width}"
        expected[name], expected[f"{name}_saturated"] = saturate_reference(values, width, is_signed=result_signed)
    check_pipeline(EveryExpression(is_signed), {"value": values, "amount": amounts}, expected, latency=0)


def test_shapes():
    value = Signal(signed(20))
    assert round_half_up(value, 4).shape() == signed(17)
    assert round_half_up(value.as_unsigned(), 4).shape() == unsigned(17)
    assert round_half_up(value, 0).shape() == signed(20)
    assert saturate(value, 7)[0].shape() == signed(7)
    with pytest.raises(ValueError, match="^Shift must be at least 0, not -1$"):
        round_half_up(value, -1)
