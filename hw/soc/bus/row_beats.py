"""Rows of a stream from and to beats of a wider or narrower bus."""

from amaranth.hdl import Cat, Const, Module, Signal, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ...cores.component import ConfiguredComponent

__all__ = ["BeatsToRows", "RowsToBeats", "strobed_layout"]


def strobed_layout(config):
    """Payload of a beat to be written: ``data``, and ``strobe``, one bit a byte."""
    return data.StructLayout({"data": unsigned(config.data_width), "strobe": unsigned(config.beat_bytes)})


class BeatsToRows(ConfiguredComponent):
    """Takes rows out of the beats that hold them.

    Latency: none. Throughput: a row or a beat a cycle, whichever are more. Back-pressure: ``i`` waits for ``o``.

    Parameters
    ----------
    config : DataMoverConfig

    Members
    -------
    begin : :py:`In(1)`, lane : :py:`In(range(rows_per_beat))`
        One cycle before the first beat: which row of that beat is the first one.
    final : :py:`In(1)`
        The row on ``o`` is the last one: the rest of its beat is none.
    i : :py:`In(stream.Signature(data_width))`
        Beats.
    o : :py:`Out(stream.Signature(row_width))`
        Rows.
    """

    def __init__(self, config):
        super().__init__(
            config,
            {
                "begin": In(1),
                "lane": In(range(config.rows_per_beat)),
                "final": In(1),
                "i": In(stream.Signature(unsigned(config.data_width))),
                "o": Out(stream.Signature(unsigned(config.row_width))),
            },
        )

    @property
    def latency(self):
        """Cycles from the beat that completes a row to the row."""
        return 0

    def elaborate(self, platform):
        m = Module()
        config = self.config
        if config.beats_per_row > 1:
            self._join(m, config.beats_per_row)
            return m
        # Where there is one lane, it has no bits.
        lane = Signal(range(config.rows_per_beat))
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.o.payload.eq(self.i.payload.word_select(lane, 8 * config.row_bytes)),
            self.i.ready.eq(self.o.ready & ((lane == config.rows_per_beat - 1) | self.final)),
        ]
        with m.If(self.begin):
            m.d.sync += lane.eq(self.lane)
        with m.Elif(self.o.valid & self.o.ready):
            m.d.sync += lane.eq(lane + 1)
        return m

    def _join(self, m, beats):
        """Rows of several beats: all but the last are held."""
        held = Signal((beats - 1) * self.config.data_width)
        index = Signal(range(beats))
        complete = Signal()
        m.d.comb += [
            complete.eq(index == beats - 1),
            self.o.valid.eq(self.i.valid & complete),
            self.o.payload.eq(Cat(held, self.i.payload)),
            self.i.ready.eq(self.o.ready | ~complete),
        ]
        with m.If(self.i.valid & self.i.ready):
            # The number of beats is a power of two.
            m.d.sync += [index.eq(index + 1), held.eq(Cat(held, self.i.payload)[self.config.data_width :])]


class RowsToBeats(ConfiguredComponent):
    """Puts rows into the beats that hold them; the strobes are those of the bytes that rows have.

    Latency: none. Throughput: a row or a beat a cycle, whichever are more. Back-pressure: ``i`` waits for ``o``.

    Parameters
    ----------
    config : DataMoverConfig

    Members
    -------
    begin : :py:`In(1)`, lane : :py:`In(range(rows_per_beat))`
        One cycle before the first row: which row of its beat it is.
    final : :py:`In(1)`
        The row on ``i`` is the last one: its beat goes out as it is.
    flush : :py:`In(1)`
        Instead of a row, the beat that is begun goes out. Only while no row is offered.
    begun : :py:`Out(1)`
        There are rows in a beat that has not gone out.
    i : :py:`In(stream.Signature(row_width))`
        Rows.
    o : :py:`Out(stream.Signature(strobed_layout(config)))`
        Beats.
    """

    def __init__(self, config):
        super().__init__(
            config,
            {
                "begin": In(1),
                "lane": In(range(config.rows_per_beat)),
                "final": In(1),
                "flush": In(1),
                "begun": Out(1),
                "i": In(stream.Signature(unsigned(config.row_width))),
                "o": Out(stream.Signature(strobed_layout(config))),
            },
        )

    @property
    def latency(self):
        """Cycles from the row that completes a beat to the beat."""
        return 0

    def elaborate(self, platform):
        m = Module()
        config = self.config
        bits, bytes_ = 8 * config.row_bytes, config.row_bytes
        row, strobe = Signal(bits), Const((1 << config.row_width // 8) - 1, bytes_)
        m.d.comb += row.eq(self.i.payload)
        if config.rows_per_beat == 1:
            self._split(m, row, strobe)
            return m
        lanes = config.rows_per_beat
        lane = Signal(range(lanes))
        # The row of the last lane completes its beat: it is never held.
        held, present = Signal(bits * (lanes - 1)), Signal(lanes - 1)
        completes = Signal()
        m.d.comb += [
            completes.eq((lane == lanes - 1) | self.final),
            self.begun.eq(present.any()),
            self.o.valid.eq((self.i.valid & completes) | (self.flush & self.begun)),
            self.i.ready.eq((self.o.ready | ~completes) & ~self.flush),
            self.o.payload.data.eq(Cat(held, row)),
        ]
        for index in range(lanes):
            place = slice(index * bits, (index + 1) * bits)
            here = Signal(name=f"here_{index}")
            there = here if index == lanes - 1 else here | present[index]
            m.d.comb += [
                here.eq((lane == index) & ~self.flush),
                self.o.payload.strobe[index * bytes_ : (index + 1) * bytes_].eq(strobe & there.replicate(bytes_)),
            ]
            if index < lanes - 1:
                with m.If(here):
                    m.d.comb += self.o.payload.data[place].eq(row)
                    with m.If(self.i.valid & self.i.ready):
                        m.d.sync += [held[place].eq(row), present[index].eq(1)]
        with m.If(self.begin):
            m.d.sync += lane.eq(self.lane)
        with m.Elif(self.i.valid & self.i.ready):
            m.d.sync += lane.eq(lane + 1)
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += present.eq(0)
        return m

    def _split(self, m, row, strobe):
        """Rows of several beats: a row waits until its last one is taken."""
        index = Signal(range(self.config.beats_per_row))
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.o.payload.data.eq(row.word_select(index, self.config.data_width)),
            self.o.payload.strobe.eq(strobe.word_select(index, self.config.beat_bytes)),
            self.i.ready.eq(self.o.ready & (index == self.config.beats_per_row - 1)),
        ]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += index.eq(index + 1)
