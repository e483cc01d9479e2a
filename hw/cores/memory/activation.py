"""The activation memory: whole words, or the codes of two samples a row."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .config import ActivationMemoryConfig, TransposableConfig
from .transposable import TransposableMemory

__all__ = ["ActivationMemory"]


class ActivationMemory(wiring.Component):
    """Two transposable memories of 16 bits: halves of a word, or codes of an even and an odd sample.

    Full precision: row r holds the words of one sample. Half precision: row r holds the codes of the samples 2r (even)
    and 2r + 1 (odd); lane l keeps the even sample's code in its low half if l is even and in its high half if l is odd,
    so that a column access finds lanes q and q + 1 of the samples of one parity in different halves.

    * row read: words; or, ``half``, the even sample's code in the low and the odd sample's in the high 16 bits;
    * column read of the block of ``lanes`` rows at ``row``: word i is that of lane ``lane`` of row ``row + i``; or,
      ``half`` (``lane`` even), the codes of lane ``lane`` (low) and ``lane + 1`` (high) of the samples of parity
      ``parity``;
    * row write: words; or, ``half``, the low 16 bits of each word as the code of the sample of parity ``parity``.

    Latency: 2 cycles from request to data; one read and one write a cycle. A read sees the writes of earlier
    cycles, not that of its own. No back-pressure.

    Parameters
    ----------
    config : ActivationMemoryConfig

    Members
    -------
    read_enable : In(1)
    read_row : In(range(rows))
    read_index : In(range(lanes))
        ``read_row mod lanes`` of a row access.
    read_column : In(1)
        1: column access.
    read_lane : In(range(lanes))
    read_half, read_parity : In(1)
    read_data : Out(32).array(lanes)
    write_enable : In(1)
    write_row : In(range(rows))
    write_index : In(range(lanes))
        ``write_row mod lanes``.
    write_half, write_parity : In(1)
    write_data : In(32).array(lanes)
    write_mask : In(lanes)

    Source
    ------
    FIXAR, sections III and V-B.
    """

    def __init__(self, config: ActivationMemoryConfig):
        self._config = config
        lanes, rows = config.lanes, config.rows
        super().__init__(
            {
                "read_enable": In(1),
                "read_row": In(range(rows)),
                "read_index": In(range(lanes)),
                "read_column": In(1),
                "read_lane": In(range(lanes)),
                "read_half": In(1),
                "read_parity": In(1),
                "read_data": Out(32).array(lanes),
                "write_enable": In(1),
                "write_row": In(range(rows)),
                "write_index": In(range(lanes)),
                "write_half": In(1),
                "write_parity": In(1),
                "write_data": In(32).array(lanes),
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
        return 2

    def elaborate(self, platform):
        m = Module()
        lanes = self._config.lanes
        bank = TransposableConfig(lanes=lanes, rows=self._config.rows, width=16)
        m.submodules.low = low = TransposableMemory(bank)
        m.submodules.high = high = TransposableMemory(bank)

        read_half = Signal()
        read_column = Signal()
        read_parity = Signal()
        m.d.sync += [
            read_half.eq(self.read_half),
            read_column.eq(self.read_column),
            read_parity.eq(self.read_parity),
        ]
        for memory, number in ((low, 0), (high, 1)):
            # In half precision this half holds the even lanes of the samples of parity `number`.
            m.d.comb += [
                memory.read_enable.eq(self.read_enable),
                memory.read_row.eq(self.read_row),
                memory.read_index.eq(self.read_index),
                memory.read_column.eq(self.read_column),
                memory.read_lane.eq(
                    Cat(Mux(self.read_half, self.read_parity != number, self.read_lane[0]), self.read_lane[1:])
                ),
                memory.write_enable.eq(self.write_enable),
                memory.write_row.eq(self.write_row),
                memory.write_index.eq(self.write_index),
                memory.write_mask.eq(
                    Cat(
                        self.write_mask[lane] & (~self.write_half | (self.write_parity ^ (lane & 1) == number))
                        for lane in range(lanes)
                    )
                ),
            ]
        for lane in range(lanes):
            swap = Signal(name=f"swap_{lane}")
            m.d.comb += [
                low.write_data[lane].eq(self.write_data[lane][:16]),
                high.write_data[lane].eq(Mux(self.write_half, self.write_data[lane][:16], self.write_data[lane][16:])),
                swap.eq(read_half & Mux(read_column, read_parity, lane & 1)),
            ]
            m.d.sync += self.read_data[lane].eq(
                Mux(
                    swap,
                    Cat(high.read_data[lane], low.read_data[lane]),
                    Cat(low.read_data[lane], high.read_data[lane]),
                )
            )
        return m
