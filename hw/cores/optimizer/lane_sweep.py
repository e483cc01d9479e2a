"""Rows of numbers through the lanes of an optimiser."""

from amaranth.hdl import Const
from amaranth.lib import wiring

from ..pipeline import delay
from ..time_sharing import collect, serialize

__all__ = ["sweep_lanes"]


def sweep_lanes(m, lanes, load, rows, rates, outputs, interval, *, before=None, early=None):
    """Puts rows through lanes, of which each does ``interval`` numbers of a row one after another.

    Latency: ``interval - 1`` cycles and that of a lane. A row every ``interval`` cycles.

    Parameters
    ----------
    m : Module
        Gets the lanes as submodules.
    lanes : list of component
        All of one kind; or ports of lanes that are elsewhere.
    load : Value
        A row is there in this cycle.
    rows : dict of str to list of Value
        By the name of a lane's port, at most ``interval`` times as many numbers as there are lanes; lanes beyond them
        take +0.
    rates : dict of str to Value
        Inputs that all lanes take, by the name of a lane's port; constant while rows are under way.
    outputs : iterable of str
        Ports of a lane.
    interval : int
    before : Value
        A row of ``early`` is there in this cycle, the one before ``load``.
    early : dict of str to list of Value
        More rows, as ``rows``. They come to the lanes from registers.

    Returns
    -------
    dict of str to list of Value
        The rows that result, by the name of a lane's port, ``interval`` times as many numbers as there are lanes.
    """
    for number, lane in enumerate(lanes):
        if isinstance(lane, wiring.Component):
            m.submodules[f"lane_{number}"] = lane
        m.d.comb += [getattr(lane, name).eq(rate) for name, rate in rates.items()]
    for begins, given, waits in ((load, rows, 0), (before, early or {}, 1)):
        for name, row in given.items():
            filling = [Const(0, row[0].shape())] * (interval * len(lanes) - len(row))
            slots = serialize(m, begins, [*row, *filling], interval, name)
            slots = [delay(m, slot, waits, f"{name}_slot_{number}") for number, slot in enumerate(slots)]
            m.d.comb += [getattr(lane, name).eq(value) for lane, value in zip(lanes, slots, strict=True)]
    return {name: collect(m, [getattr(lane, name) for lane in lanes], interval, name) for name in outputs}
