"""The gradient write-back: rescale sums and add them to the gradient memory."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..checks import require_interval
from ..fixed.arithmetic import saturate
from ..memory.config import TransposableConfig
from ..pipeline import count_ones, delay
from ..replicated import replicated
from ..time_sharing import collect, hold, serialize
from .config import ACCUMULATOR_WIDTH, WORD_WIDTH
from .rescaler import Rescaler

__all__ = ["GradientWriteback", "gradient_control"]


def gradient_control(config: TransposableConfig):
    """Layout of what holds for one row or column of gradients.

    Parameters
    ----------
    config : TransposableConfig
        Of the gradient memory.
    """
    return data.StructLayout(
        {
            "half_rule": 1,
            "select_high": 1,
            "scale": WORD_WIDTH,
            "shift": 5,
            "accumulate": 1,  # 0: overwrite
            "column": 1,
            "row": range(config.rows),
            "index": range(config.lanes),  # row mod lanes, of a row
            "lane": range(config.lanes),  # of a column
        }
    )


class GradientWriteback(wiring.Component):
    """Adds rescaled sums to a row or a column of the gradient memory.

    ``x = rescale(low, high)`` as :class:`Rescaler` without bias;
    ``memory = sat32(memory + x)`` with ``accumulate``, else ``memory = x``.

    Number format: words of 32 bits; saturations of the rescaling and of the sum are counted.

    Latency: ``latency`` = 7 + ``interval`` cycles from the sums to the write, one row or column every ``interval``
    cycles or later. The sums for the same words may come again ``revisit`` = 3 + ``interval`` cycles later, not
    earlier. No back-pressure. Each row or column is written once, and read once where
    it is accumulated.

    With an interval above 1 the lanes take turns: ``lanes / interval`` rescalers stand.

    Parameters
    ----------
    config : TransposableConfig
        Of the gradient memory (32 bits wide), whose read data come one cycle after the request.
    interval : int
        Cycles from one row or column to the next, a divisor of the lanes.

    Members
    -------
    valid : In(1)
    control : In(gradient_control(config))
    low, high : In(signed(57)).array(lanes)
        Summed over the cores.
    read_enable, read_row, read_index, read_column, read_lane : out
    read_data : In(32).array(lanes)
    write_enable, write_row, write_index, write_column, write_lane : out
    write_data : Out(32).array(lanes)
        Every lane is written.
    saturations : Out(range(2 * lanes + 1))
        How many values were clamped, in the cycle of the write.

    Raises
    ------
    TypeError, ValueError
        A memory of another width; an interval that is no divisor of the lanes.

    Source
    ------
    FIXAR, section V-B, weight gradients.
    """

    def __init__(self, config: TransposableConfig, *, interval: int = 1):
        if config.width != WORD_WIDTH:
            raise ValueError(f"Width of the gradient memory must be {WORD_WIDTH}, not {config.width}")
        require_interval(interval, config.lanes)
        self._config = config
        self._interval = interval
        lanes, rows = config.lanes, config.rows
        super().__init__(
            {
                "valid": In(1),
                "control": In(gradient_control(config)),
                "low": In(signed(ACCUMULATOR_WIDTH)).array(lanes),
                "high": In(signed(ACCUMULATOR_WIDTH)).array(lanes),
                "read_enable": Out(1),
                "read_row": Out(range(rows)),
                "read_index": Out(range(lanes)),
                "read_column": Out(1),
                "read_lane": Out(range(lanes)),
                "read_data": In(WORD_WIDTH).array(lanes),
                "write_enable": Out(1),
                "write_row": Out(range(rows)),
                "write_index": Out(range(lanes)),
                "write_column": Out(1),
                "write_lane": Out(range(lanes)),
                "write_data": Out(WORD_WIDTH).array(lanes),
                "saturations": Out(range(2 * lanes + 1)),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def interval(self):
        """Cycles from one row or column to the next."""
        return self._interval

    @property
    def latency(self):
        """Cycles from the sums to the write request."""
        return Rescaler.LATENCY + self._interval

    @property
    def read_latency(self):
        """Cycles from the sums to the read request."""
        return Rescaler.LATENCY - 2

    @property
    def revisit(self):
        """Cycles from one set of sums to the next for the same words."""
        return self.latency - self.read_latency + 1

    def elaborate(self, platform):
        m = Module()
        interval = self._interval

        # What was read meets the rescaled values of the first turn one cycle after it came; the write follows one cycle
        # after those of the last.
        position = Cat(self.control.row, self.control.index, self.control.column, self.control.lane)
        read_position = delay(m, position, self.read_latency, "position")
        write_position = delay(m, read_position, self.latency - self.read_latency, "read_position")
        valids = Signal(self.latency)
        control = hold(m, self.valid, self.control, interval, "control")
        m.d.sync += valids.eq(Cat(self.valid, valids))
        m.d.comb += [
            Cat(self.read_row, self.read_index, self.read_column, self.read_lane).eq(read_position),
            Cat(self.write_row, self.write_index, self.write_column, self.write_lane).eq(write_position),
            # What is overwritten is not read: the memory is free for others.
            self.read_enable.eq(
                valids[self.read_latency - 1] & delay(m, control.accumulate, self.read_latency, "reads")
            ),
            self.write_enable.eq(valids[-1]),
        ]
        accumulate = delay(m, control.accumulate, Rescaler.LATENCY, "accumulate")

        low = serialize(m, self.valid, self.low, interval, "low")
        high = serialize(m, self.valid, self.high, interval, "high")
        came = serialize(m, valids[self.read_latency], self.read_data, interval, "read_data")
        stored = [delay(m, word, 1, f"stored_{unit}") for unit, word in enumerate(came)]
        words, flags = [], []
        for unit in range(self._config.lanes // interval):
            m.submodules[f"rescaler_{unit}"] = rescaler = replicated(Rescaler(), key=())
            m.d.comb += [
                rescaler.low.eq(low[unit]),
                rescaler.high.eq(high[unit]),
                rescaler.half_rule.eq(control.half_rule),
                rescaler.select_high.eq(control.select_high),
                rescaler.scale.eq(control.scale),
                rescaler.shift.eq(control.shift),
            ]
            total = Signal(signed(WORD_WIDTH + 1), name=f"total_{unit}")
            m.d.comb += total.eq(rescaler.x + Mux(accumulate, stored[unit].as_signed(), 0))
            word, saturated = saturate(total, WORD_WIDTH)
            words.append(word)
            flags.append(Cat(rescaler.saturated, saturated))
        written = collect(m, words, interval, "word")
        m.d.sync += [port.eq(word) for port, word in zip(self.write_data, written, strict=True)]
        clamped = [bit for pair in collect(m, flags, interval, "saturated") for bit in pair]
        m.d.sync += self.saturations.eq(Mux(valids[-2], count_ones(clamped), 0))
        return m
