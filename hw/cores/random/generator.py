"""The xorshift generator as gateware."""

from amaranth.hdl import Signal

from .xorshift import SHIFTS, STATE_WIDTH

__all__ = ["following_state"]


def following_state(m, state):
    """The state after ``state``: three exclusive ors, combinational; as :func:`.xorshift.xorshift`."""
    left, right, left_again = SHIFTS
    for name, shift in (("left", left), ("right", -right), ("left_again", left_again)):
        mixture = Signal(STATE_WIDTH, name=f"mixed_{name}")
        m.d.comb += mixture.eq(state ^ (state << shift if shift > 0 else state >> -shift))
        state = mixture
    return state
