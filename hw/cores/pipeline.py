"""The delay lines of pipelines of fixed latency."""

from amaranth.hdl import Cat, Signal, Value
from amaranth.lib import data

__all__ = ["delay", "delay_record"]


def delay(m, value, cycles, name, *, reset_less=True):
    """``value`` as it was ``cycles`` cycles ago; registers without reset, or 0 after one."""
    for cycle in range(cycles):
        register = Signal(value.shape(), name=f"{name}_delayed_{cycle + 1}", reset_less=reset_less)
        m.d.sync += register.eq(value)
        value = register
    return value


def delay_record(m, record, cycles, name):
    """A record as it was ``cycles`` cycles ago; ``valid``, its first field, is 0 after a reset, others have none."""
    bits = Value.cast(record)
    valid = delay(m, bits[:1], cycles, f"{name}_valid", reset_less=False)
    return data.View(record.shape(), Cat(valid, delay(m, bits[1:], cycles, name)))
