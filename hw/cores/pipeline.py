"""The delay lines of pipelines of fixed latency."""

from amaranth.hdl import Signal, Value

__all__ = ["delay", "delay_record"]


def delay(m, value, cycles, name, *, reset_less=True):
    """``value`` as it was ``cycles`` cycles ago; registers without reset, or 0 after one."""
    for cycle in range(cycles):
        register = Signal(value.shape(), name=f"{name}_delayed_{cycle + 1}", reset_less=reset_less)
        m.d.sync += register.eq(value)
        value = register
    return value


def delay_record(m, record, cycles, name):
    """A record as it was ``cycles`` cycles ago; of its fields, ``valid`` alone is 0 after a reset, others have none."""
    delayed = Signal(record.shape(), name=f"{name}_record")
    for field, _ in record.shape():
        value = delay(m, Value.cast(record[field]), cycles, f"{name}_{field}", reset_less=field != "valid")
        m.d.comb += Value.cast(delayed[field]).eq(value)
    return delayed
