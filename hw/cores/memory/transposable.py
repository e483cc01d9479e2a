"""A memory that is read and written by rows or by columns, at the same rate."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .config import TransposableConfig

__all__ = ["TransposableMemory"]


class TransposableMemory(wiring.Component):
    """Rows of ``lanes`` words, one row or one column of a block of ``lanes`` rows a cycle.

    The word of row r and lane l is in bank ``(l + r) mod lanes`` at address r. A row access concerns the lanes of row
    ``row``. A column access concerns lane ``lane`` of the rows ``row`` to ``row + lanes - 1``, where ``row`` is a
    multiple of ``lanes``; word i belongs to row ``row + i``.

    Latency: read data come one cycle after the request; one read and one write a cycle. A read sees the writes of
    earlier cycles, not that of its own. No back-pressure.

    Parameters
    ----------
    config : TransposableConfig

    Members
    -------
    read_enable : In(1)
    read_row : In(range(rows))
    read_index : In(range(lanes))
        ``read_row mod lanes`` for a row access; not used for a column access.
    read_column : In(1)
        1: column access.
    read_lane : In(range(lanes))
        Of a column access.
    read_data : Out(width).array(lanes)
    write_enable, write_row, write_index, write_column, write_lane
        Likewise.
    write_data : In(width).array(lanes)
    write_mask : In(lanes)
        The words (lanes of a row, rows of a column) to write.

    Source
    ------
    FIXAR, sections III and V-B: one copy of the data serves all three dataflows.
    """

    def __init__(self, config: TransposableConfig):
        self._config = config
        lanes, rows, width = config.lanes, config.rows, config.width
        super().__init__(
            {
                "read_enable": In(1),
                "read_row": In(range(rows)),
                "read_index": In(range(lanes)),
                "read_column": In(1),
                "read_lane": In(range(lanes)),
                "read_data": Out(width).array(lanes),
                "write_enable": In(1),
                "write_row": In(range(rows)),
                "write_index": In(range(lanes)),
                "write_column": In(1),
                "write_lane": In(range(lanes)),
                "write_data": In(width).array(lanes),
                "write_mask": In(lanes),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from a read request to its data."""
        return 1

    def elaborate(self, platform):
        m = Module()
        lanes, rows = self._config.lanes, self._config.rows
        read_turn = Signal(range(lanes))
        write_turn = Signal(range(lanes))
        data_turn = Signal(range(lanes))
        m.d.comb += [
            read_turn.eq(Mux(self.read_column, self.read_lane, self.read_index)),
            write_turn.eq(Mux(self.write_column, self.write_lane, self.write_index)),
        ]
        m.d.sync += data_turn.eq(read_turn)

        # Bank b holds word (b - turn) mod lanes of the access, in rows as in columns.
        written = _rotate(m, "written", self.write_data, write_turn, -1)
        masks = _rotate(m, "mask", list(self.write_mask), write_turn, -1)
        stored = []
        for bank in range(lanes):
            memory = Memory(shape=self._config.width, depth=rows, init=[])
            m.submodules[f"bank_{bank}"] = memory
            read, write = memory.read_port(), memory.write_port()
            m.d.comb += [
                read.en.eq(self.read_enable),
                read.addr.eq(self._address(m, f"read_{bank}", bank, self.read_row, self.read_column, read_turn)),
                write.en.eq(self.write_enable & masks[bank]),
                write.addr.eq(self._address(m, f"write_{bank}", bank, self.write_row, self.write_column, write_turn)),
                write.data.eq(written[bank]),
            ]
            stored.append(read.data)
        words = _rotate(m, "read", stored, data_turn, 1)
        m.d.comb += [port.eq(word) for port, word in zip(self.read_data, words, strict=True)]
        return m

    def _address(self, m, name, bank, row, column, turn):
        """The address in ``bank``: the row, or the row of the block that this bank holds of the column."""
        lanes, rows = self._config.lanes, self._config.rows
        offset = Signal(range(lanes), name=f"{name}_offset")
        address = Signal(range(rows), name=f"{name}_address")
        if lanes & (lanes - 1) == 0:
            m.d.comb += [
                offset.eq(bank - turn),
                address.eq(Mux(column, Cat(offset, row[len(offset) :]), row)),
            ]
        else:
            m.d.comb += [
                offset.eq(Mux(turn <= bank, bank - turn, bank + lanes - turn)),
                address.eq(row + Mux(column, offset, 0)),
            ]
        return address


def _rotate(m, name, words, turn, direction):
    """Word i of the result is word ``(i + direction * turn) mod len(words)``: a stage for each bit of ``turn``."""
    count = len(words)
    for bit in range(len(turn)):
        step = direction << bit
        stage = [Signal.like(word, name=f"{name}_{bit}_{i}") for i, word in enumerate(words)]
        m.d.comb += [word.eq(Mux(turn[bit], words[(i + step) % count], words[i])) for i, word in enumerate(stage)]
        words = stage
    return words
