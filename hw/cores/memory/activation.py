"""The activation memory: whole words, or the codes of two samples per row."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .config import ActivationMemoryConfig, TransposableConfig
from .transposable import TransposableMemory

__all__ = ["ActivationMemory", "ActivationReadPort", "ActivationWritePort"]

HALF = 16


class ActivationReadPort(wiring.Signature):
    """Reads a row or a column of an activation memory, seen from the user.

    Parameters
    ----------
    config : ActivationMemoryConfig

    Members
    -------
    enable : Out(1)
    row : Out(range(rows))
        For a column, the first row of its block, a multiple of ``lanes``.
    index : Out(range(lanes))
        ``row mod lanes`` of a row.
    column : Out(1)
        1: a column.
    lane : Out(range(lanes))
        The lane of a column.
    half, parity : Out(1)
        The memory holds codes; which samples' codes a column gives.
    data : In(data.ArrayLayout(32, lanes))
        The words, two cycles after the request.
    """

    def __init__(self, config: ActivationMemoryConfig):
        lanes = range(config.lanes)
        super().__init__(
            {
                "enable": Out(1),
                "row": Out(range(config.rows)),
                "index": Out(lanes),
                "column": Out(1),
                "lane": Out(lanes),
                "half": Out(1),
                "parity": Out(1),
                "data": In(data.ArrayLayout(2 * HALF, config.lanes)),
            }
        )


class ActivationWritePort(wiring.Signature):
    """Writes a row of an activation memory, or some lanes of it, seen from the user.

    Parameters
    ----------
    config : ActivationMemoryConfig

    Members
    -------
    enable : Out(lanes)
        A bit for each lane.
    row : Out(range(rows))
    index : Out(range(lanes))
        ``row mod lanes``.
    half, parity : Out(1)
        Write codes; those of which sample.
    data : Out(data.ArrayLayout(32, lanes))
    """

    def __init__(self, config: ActivationMemoryConfig):
        super().__init__(
            {
                "enable": Out(config.lanes),
                "row": Out(range(config.rows)),
                "index": Out(range(config.lanes)),
                "half": Out(1),
                "parity": Out(1),
                "data": Out(data.ArrayLayout(2 * HALF, config.lanes)),
            }
        )


class ActivationMemory(ConfiguredComponent):
    """Two transposable memories of 16 bits: halves of a word, or codes of an even and an odd sample.

    Full precision: row r holds the words of one sample. Half precision: row r holds the codes of the samples 2r (even)
    and 2r + 1 (odd); lane l keeps the even sample's code in its low half if l is even and in its high half if l is odd,
    so that a column access finds lanes q and q + 1 of the samples of one parity in different halves::

        lane         0       1       2       3
        low half     even    odd     even    odd        sample whose code it is
        high half    odd     even    odd     even

    * row read: words; or, ``half``, the even sample's code in the low and the odd sample's in the high 16 bits;
    * column read of the block of ``lanes`` rows at ``row``: word i is that of lane ``lane`` of row ``row + i``; or,
      ``half`` (``lane`` even), the codes of lane ``lane`` (low) and ``lane + 1`` (high) of the samples of parity
      ``parity``;
    * row write: words; or, ``half``, the low 16 bits of each word as the code of the sample of parity ``parity``.

    Latency: 2 cycles from request to data. Throughput: one read and one write a cycle. A read sees the writes of
    earlier cycles, not that of its own. No back-pressure.

    Parameters
    ----------
    config : ActivationMemoryConfig

    Members
    -------
    read : In(ActivationReadPort(config))
    write : In(ActivationWritePort(config))

    Source
    ------
    FIXAR, sections III and V-B.
    """

    def __init__(self, config: ActivationMemoryConfig):
        super().__init__(config, {"read": In(ActivationReadPort(config)), "write": In(ActivationWritePort(config))})

    @property
    def latency(self):
        """Cycles from a read request to its data."""
        return 2

    def elaborate(self, platform):
        m = Module()
        lanes = self._config.lanes
        half = TransposableConfig(lanes=lanes, rows=self._config.rows, width=HALF)
        m.submodules.low = low = TransposableMemory(half)
        m.submodules.high = high = TransposableMemory(half)
        for number, memory in enumerate((low, high)):
            self._request(m, number, memory)

        read, written = self.read, self.write
        # The request that is answered now.
        was_half, was_column, was_parity = Signal(), Signal(), Signal()
        m.d.sync += [was_half.eq(read.half), was_column.eq(read.column), was_parity.eq(read.parity)]
        for lane in range(lanes):
            words = low.read.data[lane], high.read.data[lane]
            swap = Signal(name=f"swap_{lane}")
            m.d.comb += [
                low.write.data[lane].eq(written.data[lane][:HALF]),
                high.write.data[lane].eq(Mux(written.half, written.data[lane][:HALF], written.data[lane][HALF:])),
                swap.eq(was_half & Mux(was_column, was_parity, lane & 1)),
            ]
            m.d.sync += read.data[lane].eq(Mux(swap, Cat(words[1], words[0]), Cat(words)))
        return m

    def _request(self, m, number, memory):
        """Requests to the low (0) or the high memory (1): reads and writes."""
        read, written = self.read, self.write
        # In half precision it holds the even lanes of the samples of parity `number`.
        lowest_bit = Mux(read.half, read.parity != number, read.lane[0])
        m.d.comb += [
            memory.read.enable.eq(read.enable),
            memory.read.row.eq(read.row),
            memory.read.index.eq(read.index),
            memory.read.column.eq(read.column),
            memory.read.lane.eq(Cat(lowest_bit, read.lane[1:])),
            memory.write.enable.eq(
                Cat(
                    written.enable[lane] & (~written.half | (written.parity ^ (lane & 1) == number))
                    for lane in range(self._config.lanes)
                )
            ),
            memory.write.row.eq(written.row),
            memory.write.index.eq(written.index),
        ]
