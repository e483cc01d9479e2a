"""Ports between a range unit and those that record and look up ranges."""

from amaranth.hdl import signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .parameters import slot_parameters

__all__ = ["LookupPort", "MonitorPort", "RangeControlPort"]


class LookupPort(wiring.Signature):
    """Looks up the parameters of a slot, seen from the user.

    Parameters
    ----------
    slots : int

    Members
    -------
    slot : Out(range(slots))
    parameters : In(slot_parameters)
        The parameters of the slot asked for in the cycle before.
    """

    def __init__(self, slots: int):
        super().__init__({"slot": Out(range(slots)), "parameters": In(slot_parameters)})


class MonitorPort(wiring.Signature):
    """A row of every core whose range is recorded, seen from the one that records it.

    Parameters
    ----------
    slots, cores, lanes : int

    Members
    -------
    valid : Out(1)
    slot : Out(range(slots))
    values : Out(data.ArrayLayout(signed(32), cores * lanes))
        Core after core.
    mask : Out(cores * lanes)
        Values that count.
    """

    def __init__(self, slots: int, cores: int, lanes: int):
        super().__init__(
            {
                "valid": Out(1),
                "slot": Out(range(slots)),
                "values": Out(data.ArrayLayout(signed(32), cores * lanes)),
                "mask": Out(cores * lanes),
            }
        )


class RangeControlPort(wiring.Signature):
    """Clears all ranges, or freezes them into parameters, seen from the one that says when.

    Members
    -------
    clear : Out(1)
        Every range to [0, 0]; rows on their way are recorded after.
    freeze, bits : Out(1), Out(5)
        Pulse that freezes all slots with codes of ``bits`` bits, 8 to 16.
    busy, done : In(1)
        A freeze is under way; it ends in this cycle.
    """

    def __init__(self):
        super().__init__({"clear": Out(1), "freeze": Out(1), "bits": Out(5), "busy": In(1), "done": In(1)})
