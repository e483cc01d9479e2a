"""The gradient write-back: rescale sums and add them to the gradient memory."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..bits import count_ones
from ..checks import require_interval
from ..component import ConfiguredComponent
from ..fixed.arithmetic import saturate
from ..memory.config import TransposableConfig
from ..memory.transposable import TransposableReadPort, TransposableWritePort
from ..pipeline import delay
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
        Dimensions of the gradient memory.
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


class GradientWriteback(ConfiguredComponent):
    """Adds rescaled sums to a row or a column of the gradient memory.

    ``x = rescale(low, high)`` as :class:`.Rescaler` without bias;
    ``memory = sat32(memory + x)`` with ``accumulate``, else ``memory = x``.

    Number format: words of 32 bits; saturations of the rescaling and of the sum are counted.

    Latency: ``latency`` = 7 + ``interval`` cycles from the sums to the write, one row or column every ``interval``
    cycles or later. The sums for the same words may come again ``revisit`` = 3 + ``interval`` cycles later, not
    earlier. No back-pressure. Each row or column is written once, and read once where
    it is accumulated.

    With an interval above 1 the lanes are time-multiplexed: ``lanes / interval`` rescalers stand.

    Parameters
    ----------
    config : TransposableConfig
        Dimensions of the gradient memory, whose words are 32 bits wide.
    interval : int
        Cycles from one row or column to the next, a divisor of the lanes.

    Members
    -------
    valid : In(1)
    control : In(gradient_control(config))
    low, high : In(signed(57)).array(lanes)
        Summed over the cores.
    read : Out(TransposableReadPort(config))
    write : Out(TransposableWritePort(config))
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
        self._interval = interval
        sums = In(signed(ACCUMULATOR_WIDTH)).array(config.lanes)
        super().__init__(
            config,
            {
                "valid": In(1),
                "control": In(gradient_control(config)),
                "low": sums,
                "high": sums,
                "read": Out(TransposableReadPort(config)),
                "write": Out(TransposableWritePort(config)),
                "saturations": Out(range(2 * config.lanes + 1)),
            },
        )

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

        # The row that was read meets the rescaled values of the first lanes one cycle after it came; the write follows
        # one cycle after those of the last.
        position = Cat(self.control.row, self.control.index, self.control.column, self.control.lane)
        read_position = delay(m, position, self.read_latency, "position")
        write_position = delay(m, read_position, self.latency - self.read_latency, "read_position")
        valids = Signal(self.latency)
        control = hold(m, self.valid, self.control, interval, "control")
        m.d.sync += valids.eq(Cat(self.valid, valids))
        m.d.comb += [
            Cat(self.read.row, self.read.index, self.read.column, self.read.lane).eq(read_position),
            Cat(self.write.row, self.write.index, self.write.column, self.write.lane).eq(write_position),
            # A row that is overwritten is not read, so the memory is free for others.
            self.read.enable.eq(
                valids[self.read_latency - 1] & delay(m, control.accumulate, self.read_latency, "reads")
            ),
            self.write.enable.eq(valids[-1].replicate(self._config.lanes)),
        ]
        accumulate = delay(m, control.accumulate, Rescaler.LATENCY, "accumulate")

        low = serialize(m, self.valid, list(self.low), interval, "low")
        high = serialize(m, self.valid, list(self.high), interval, "high")
        came = serialize(m, valids[self.read_latency], list(self.read.data), interval, "read_data")
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
        m.d.sync += self.write.data.eq(Cat(collect(m, words, interval, "word")))
        clamped = [bit for pair in collect(m, flags, interval, "saturated") for bit in pair]
        m.d.sync += self.saturations.eq(Mux(valids[-2], count_ones(m, Cat(clamped), "clamped_count"), 0))
        return m
