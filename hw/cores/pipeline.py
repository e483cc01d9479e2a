"""What pipelines of fixed latency share."""

from amaranth.hdl import Signal

__all__ = ["count_ones", "delay"]


def delay(m, value, cycles, name, *, reset_less=True):
    """``value`` as it was ``cycles`` cycles ago; registers without reset, or 0 after one."""
    for cycle in range(cycles):
        register = Signal(value.shape(), name=f"{name}_delayed_{cycle + 1}", reset_less=reset_less)
        m.d.sync += register.eq(value)
        value = register
    return value


def count_ones(bits):
    """How many of a list of bits are one; a balanced tree of adders."""
    if len(bits) == 1:
        return bits[0]
    middle = len(bits) // 2
    return count_ones(bits[:middle]) + count_ones(bits[middle:])
