"""A memory that is read and written by rows or by columns, at the same rate."""

from amaranth.hdl import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..bits import rotate
from ..component import ConfiguredComponent
from .config import MemoryConfig, TransposableConfig
from .memory import Memory

__all__ = ["TransposableMemory", "TransposableReadPort", "TransposableWritePort"]


class TransposableReadPort(wiring.Signature):
    """Reads a row or a column of a transposable memory, seen from the user.

    Parameters
    ----------
    config : TransposableConfig

    Members
    -------
    enable : Out(1)
    row : Out(range(rows))
        For a column, the first row of its block, a multiple of ``lanes``.
    index : Out(range(lanes))
        ``row mod lanes`` of a row; not used for a column.
    column : Out(1)
        1: a column.
    lane : Out(range(lanes))
        The lane of a column.
    data : In(data.ArrayLayout(width, lanes))
        The words, one cycle after the request.
    """

    def __init__(self, config: TransposableConfig):
        words = data.ArrayLayout(config.width, config.lanes)
        super().__init__({"enable": Out(1), **_place(config), "data": In(words)})


class TransposableWritePort(wiring.Signature):
    """Writes a row or a column of a transposable memory, or some words of it, seen from the user.

    Parameters
    ----------
    config : TransposableConfig

    Members
    -------
    enable : Out(lanes)
        A bit for each word: lane of the row, or row of the column.
    row, index, column, lane : Out
        As of :class:`TransposableReadPort`.
    data : Out(data.ArrayLayout(width, lanes))
    """

    def __init__(self, config: TransposableConfig):
        words = data.ArrayLayout(config.width, config.lanes)
        super().__init__({"enable": Out(config.lanes), **_place(config), "data": Out(words)})


def _place(config):
    lanes = range(config.lanes)
    return {"row": Out(range(config.rows)), "index": Out(lanes), "column": Out(1), "lane": Out(lanes)}


class TransposableMemory(ConfiguredComponent):
    """Rows of ``lanes`` words, one row or one column of a block of ``lanes`` rows per cycle.

    The word of row r and lane l is in bank ``(l + r) mod lanes`` at address r::

        bank        0      1      2      3
        address 0   0,0    0,1    0,2    0,3        row, lane of each word: a row and a column
        address 1   1,3    1,0    1,1    1,2        have a word in every bank
        address 2   2,2    2,3    2,0    2,1
        address 3   3,1    3,2    3,3    3,0

    A row access concerns the lanes of row ``row``. A column access concerns lane ``lane`` of the rows ``row`` to ``row
    + lanes - 1``, where ``row`` is a multiple of ``lanes``; word i belongs to row ``row + i``.

    Latency: read data come one cycle after the request. Throughput: one read and one write a cycle. A read sees the
    writes of earlier cycles, not that of its own. No back-pressure.

    Parameters
    ----------
    config : TransposableConfig

    Members
    -------
    read : In(TransposableReadPort(config))
    write : In(TransposableWritePort(config))

    Source
    ------
    FIXAR, sections III and V-B: one copy of the data serves all three dataflows.
    """

    def __init__(self, config: TransposableConfig):
        super().__init__(config, {"read": In(TransposableReadPort(config)), "write": In(TransposableWritePort(config))})

    @property
    def latency(self):
        """Cycles from a read request to its data."""
        return 1

    def elaborate(self, platform):
        m = Module()
        lanes, rows, width = self._config.lanes, self._config.rows, self._config.width
        read_turn, write_turn, data_turn = (Signal(range(lanes)) for _ in range(3))
        m.d.comb += [
            read_turn.eq(Mux(self.read.column, self.read.lane, self.read.index)),
            write_turn.eq(Mux(self.write.column, self.write.lane, self.write.index)),
        ]
        m.d.sync += data_turn.eq(read_turn)

        # Bank b holds word (b - turn) mod lanes of the access, in rows as in columns.
        written = rotate(m, list(self.write.data), write_turn, "written")
        enables = rotate(m, list(self.write.enable), write_turn, "enable")
        stored = []
        for number in range(lanes):
            m.submodules[f"bank_{number}"] = bank = Memory(unsigned(width), MemoryConfig(depth=rows))
            m.d.comb += [
                bank.reads[0].enable.eq(self.read.enable),
                bank.reads[0].address.eq(self._address(m, number, self.read, read_turn, "read")),
                bank.write.enable.eq(enables[number]),
                bank.write.address.eq(self._address(m, number, self.write, write_turn, "write")),
                bank.write.data.eq(written[number]),
            ]
            stored.append(bank.reads[0].data)
        m.d.comb += self.read.data.eq(Cat(rotate(m, stored, data_turn, "read", back=True)))
        return m

    def _address(self, m, bank, port, turn, name):
        """The address in ``bank``: the row, or the row of the block that this bank holds of the column."""
        lanes, rows = self._config.lanes, self._config.rows
        offset = Signal(range(lanes), name=f"{name}_{bank}_offset")
        address = Signal(range(rows), name=f"{name}_{bank}_address")
        if lanes & (lanes - 1) == 0:
            m.d.comb += [
                offset.eq(bank - turn),
                address.eq(Mux(port.column, Cat(offset, port.row[len(offset) :]), port.row)),
            ]
        else:
            m.d.comb += [
                offset.eq(Mux(turn <= bank, bank - turn, bank + lanes - turn)),
                address.eq(port.row + Mux(port.column, offset, 0)),
            ]
        return address
