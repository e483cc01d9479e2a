"""The delay line of pipelines of fixed latency."""

from amaranth.hdl import Signal

__all__ = ["delay"]


def delay(m, value, cycles, name, *, reset_less=True):
    """``value`` as it was ``cycles`` cycles ago; registers without reset, or 0 after one."""
    for cycle in range(cycles):
        register = Signal(value.shape(), name=f"{name}_delayed_{cycle + 1}", reset_less=reset_less)
        m.d.sync += register.eq(value)
        value = register
    return value
