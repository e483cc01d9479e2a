"""What the fixed-latency pipelines of this room share."""

from amaranth.hdl import Signal

__all__ = ["delay"]


def delay(m, value, cycles, name):
    """``value`` as it was ``cycles`` cycles ago; registers without reset."""
    for cycle in range(cycles):
        register = Signal(value.shape(), name=f"{name}_delayed_{cycle + 1}", reset_less=True)
        m.d.sync += register.eq(value)
        value = register
    return value
