"""Pad-and-accumulate: the sums of a pixel are added to the output pixels that they belong to."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..bits import rotate
from ..component import ConfiguredComponent
from ..pipeline import delay
from .config import FractionalConvolutionConfig
from .lane_units import make_adder
from .layouts import (
    SCRATCHPAD_LATENCY,
    ScratchpadReadPort,
    ScratchpadWritePort,
    column_layout,
    pixel_layout,
    sums_layout,
)

__all__ = ["PadAccumulate"]


class PadAccumulate(ConfiguredComponent):
    """Adds the N sums of a pixel to N output sums, each in a lane of its own, every cycle.

    Column j of a pixel belongs to output row ``pixel.row + column.row``, and there to position ``pixel.position +
    column.position``; where that is outside of the picture, nothing is written. Among all positions it is in lane
    ``(pixel.lane + j) mod N``: a network rotates the columns into the lanes, and no two of them meet.

    ::

        pixel, sums ──> register ──> address, inside? ──> rotation ──> scratchpad ──> adder ──> scratchpad
        columns ─────────────────────────┘                    └──────── delay ──────────┘

    Number format: that of ``config.arithmetic``; an output begins at zero, in floating point +0.

    Latency: ``latency`` cycles from a pixel to the write of its sums. Throughput: a pixel a cycle; pixels of a pass
    that share an output come at least ``config.reuse`` cycles after each other. No back-pressure. Passes alternate
    between the halves of the scratchpad.

    Parameters
    ----------
    config : FractionalConvolutionConfig

    Members
    -------
    pixel : In(pixel_layout(config))
    sums : In(sums_layout(config))
        Sums of the pixel.
    columns : In(ArrayLayout(column_layout(config), lanes))
        In the cycle after the pixel.
    read : Out(ScratchpadReadPort(config))
    write : Out(ScratchpadWritePort(config))
    done : Out(1)
        With the last write of a pass.

    Source
    ------
    Thesis, equations 3.12 to 3.14 and figure 3.16.
    """

    def __init__(self, config: FractionalConvolutionConfig):
        super().__init__(
            config,
            {
                "pixel": In(pixel_layout(config)),
                "sums": In(sums_layout(config)),
                "columns": In(data.ArrayLayout(column_layout(config), config.lanes)),
                "read": Out(ScratchpadReadPort(config)),
                "write": Out(ScratchpadWritePort(config)),
                "done": Out(1),
            },
        )

    @property
    def latency(self):
        """Cycles from a pixel to the write of its sums."""
        return 3 + SCRATCHPAD_LATENCY + self._config.arithmetic.adder_depth

    def elaborate(self, platform):
        m = Module()
        config = self._config
        pixel, sums = Signal.like(self.pixel), delay(m, self.sums, 2, "sums")
        m.d.sync += pixel.eq(self.pixel)
        enable, addresses, lane = Signal(config.lanes), self.read.address.shape(), Signal.like(pixel.lane)
        placed = Signal(addresses)
        m.d.sync += lane.eq(pixel.lane)
        for number, column in enumerate(self.columns):
            inside, address = self._place(m, number, pixel, column)
            m.d.sync += [enable[number].eq(inside), placed[number].eq(address)]
        values = [Signal(config.sum_width, name=f"value_{number}", reset_less=True) for number in range(config.lanes)]
        m.d.sync += [
            self.read.enable.eq(Cat(rotate(m, list(enable), lane, "enable"))),
            *(
                self.read.address[number].eq(word)
                for number, word in enumerate(
                    rotate(m, [placed[place] for place in range(config.lanes)], lane, "address")
                )
            ),
            *(
                value.eq(word)
                for value, word in zip(
                    values, rotate(m, [sums[place] for place in range(config.lanes)], lane, "value"), strict=True
                )
            ),
        ]
        self._add(m, values, delay(m, pixel.valid & pixel.last, 2, "last", reset_less=False))
        return m

    def _place(self, m, number, pixel, column):
        """Whether a column's output is in the picture, and its address."""
        row, position = (
            Signal.like(pixel.row, name=f"row_{number}"),
            Signal.like(pixel.position, name=f"position_{number}"),
        )
        inside, address = Signal(name=f"inside_{number}"), Signal.like(pixel.address, name=f"address_{number}")
        # Negative ones are larger than any of the picture.
        m.d.comb += [
            row.eq(pixel.row + column.row),
            position.eq(pixel.position + column.position),
            inside.eq(pixel.valid & column.valid & (row < pixel.picture_rows) & (position < pixel.row_positions)),
            address.eq(pixel.address + column.address + (pixel.lane >= self._config.lanes - number)),
        ]
        return inside, address

    def _add(self, m, values, last):
        """Read, add, write; ``last`` belongs to what is read."""
        config, depth = self._config, self._config.arithmetic.adder_depth
        to_write = SCRATCHPAD_LATENCY + depth
        m.d.comb += [
            self.write.half.eq(delay(m, self.read.half, to_write, "half")),
            self.write.enable.eq(delay(m, self.read.enable, to_write, "enables", reset_less=False)),
            self.write.address.eq(delay(m, self.read.address, to_write, "addresses")),
            self.done.eq(delay(m, last, to_write, "done", reset_less=False)),
        ]
        with m.If(last):
            m.d.sync += self.read.half.eq(~self.read.half)
        for lane, value in enumerate(values):
            m.submodules[f"adder_{lane}"] = adder = make_adder(config.arithmetic)
            m.d.comb += [
                adder.a.eq(self.read.data[lane]),
                adder.b.eq(delay(m, value, SCRATCHPAD_LATENCY, f"value_{lane}")),
                self.write.data[lane].eq(adder.result),
            ]
