"""Time-multiplexed units: a row's lanes go through them in several time slots.

A row of ``lanes`` values enters every ``interval`` cycles or later; ``interval`` is the initiation interval. Only
``lanes / interval`` units stand. The last lanes have the slot in which the row enters, the first ones that
``interval - 1`` cycles later, in which the results of the row are complete. With an interval of 1 nothing is added.
"""

from amaranth.hdl import Mux, Signal

__all__ = ["collect", "hold", "serialize"]


def hold(m, load, value, interval, name):
    """``value`` while ``load``, and what it was then until the next time."""
    if interval == 1:
        return value
    current = Signal(value.shape(), name=f"{name}_current")
    held = Signal(value.shape(), name=f"{name}_held", reset_less=True)
    m.d.comb += current.eq(held)
    with m.If(load):
        m.d.comb += current.eq(value)
    m.d.sync += held.eq(current)
    return current


def serialize(m, load, values, interval, name):
    """The units' inputs, slot by slot: the values of a row, which is given while ``load``."""
    units = len(values) // interval
    # Values that wait move up, slot by slot.
    moving = list(values[:units])
    for lane, value in enumerate(values[units:], units):
        waiting = Signal(value.shape(), name=f"{name}_waiting_{lane}", reset_less=True)
        current = Signal(value.shape(), name=f"{name}_current_{lane}")
        m.d.sync += waiting.eq(moving[lane - units])
        m.d.comb += current.eq(Mux(load, value, waiting))
        moving.append(current)
    return moving[-units:]


def collect(m, values, interval, name):
    """A row of results, complete in the slot of its first lanes; ``values`` are the units' outputs."""
    row = list(values)
    for lane in range(len(values), len(values) * interval):
        # The slot before was that of the next lanes.
        register = Signal(values[0].shape(), name=f"{name}_collected_{lane}", reset_less=True)
        m.d.sync += register.eq(row[lane - len(values)])
        row.append(register)
    return row
