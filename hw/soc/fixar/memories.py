"""Weight banks, gradients and moments, shared by three engines."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory as Storage
from amaranth.lib.wiring import In, Out

from ...cores.memory.config import TransposableConfig
from ...cores.memory.transposable import TransposableMemory
from .config import FixarConfig
from .instructions import BANKS, Memory
from .transfer_engine import read_layout, write_layout

__all__ = ["NetworkMemories", "RowPort", "SharedMemory"]


class RowPort:
    """Who wants to use a port of a shared memory in this cycle: ``enable``, ``row`` and, to write, ``words``."""

    def __init__(self, name, rows, words_shape=None):
        self.enable = Signal(name=f"{name}_enable")
        self.row = Signal(range(rows), name=f"{name}_row")
        self.words = None if words_shape is None else Signal(words_shape, name=f"{name}_words")


class SharedMemory:
    """One memory with one read and one write port and several users of each, first come by their order.

    Parameters
    ----------
    m : Module
    name : str
    rows, width : int
    readers, writers : list of str

    Attributes
    ----------
    readers, writers : dict of str to RowPort
    data : Signal
        What was read, one cycle after the request.
    conflict : Signal
        Two users of one port in this cycle.
    """

    def __init__(self, m, name, rows, width, readers, writers):
        self.readers = {user: RowPort(f"{name}_{user}", rows) for user in readers}
        self.writers = {user: RowPort(f"{name}_{user}", rows, width) for user in writers}
        storage = Storage(shape=width, depth=rows, init=[])
        m.submodules[name] = storage
        read, write = storage.read_port(), storage.write_port()
        self.data = read.data
        self.conflict = Signal(name=f"{name}_conflict")
        m.d.comb += self.conflict.eq(
            select(m, read, self.readers.values()) | select(m, write, self.writers.values(), write=True)
        )


def select(m, port, users, write=False):
    """Gives ``port`` to the first user that wants it; returns whether a second one does."""
    users = list(users)
    taken = Signal(len(users) + 1)
    m.d.comb += [
        taken.eq(Cat(0, *[Cat(*[other.enable for other in users[: count + 1]]).any() for count in range(len(users))])),
        port.en.eq(taken[-1]),
    ]
    for number, user in reversed(list(enumerate(users))):
        with m.If(user.enable & ~taken[number]):
            m.d.comb += port.addr.eq(user.row)
            if write:
                m.d.comb += port.data.eq(user.words)
    return Cat(user.enable & taken[number] for number, user in enumerate(users)).any()
