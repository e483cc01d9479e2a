"""The outputs of a pass out of the scratchpad, row by row or pixel by pixel."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..bits import rotate
from ..component import ConfiguredComponent
from ..convolution.loop_nest import LoopNest
from ..float.nonfinite import is_nonfinite
from ..pipeline import delay
from ..stream.buffer_config import StreamBufferConfig
from ..stream.pipeline import CreditBuffer
from .config import FractionalConvolutionConfig
from .layouts import SCRATCHPAD_LATENCY, ScratchpadReadPort, ScratchpadWritePort, output_layout, row_command
from .records import output_nest

__all__ = ["RowReader"]

# Address register, scratchpad, register behind the rotation.
READ_TO_WORD = 2 + SCRATCHPAD_LATENCY
BUFFER = StreamBufferConfig(depth=8, latency=1)


class RowReader(ConfiguredComponent):
    """Reads the outputs of a pass in words, clears what it has read, and says when all words have been taken.

    Each row, or each pixel, begins a word; past its end are zeros.

    Latency: ``latency`` cycles from ``done`` to the first word in an idle reader. Throughput: a word a cycle; the next
    pass is begun when the last word of the one before has been taken, and its completion.
    Back-pressure: that of ``outputs`` and ``completions``.

    Parameters
    ----------
    config : FractionalConvolutionConfig

    Members
    -------
    commands : In(stream.Signature(row_command(config)))
    done : In(1)
        All sums of a pass are in the scratchpad, in the half that is not that of the pass before.
    read : Out(ScratchpadReadPort(config))
    write : Out(ScratchpadWritePort(config))
    freed : Out(1)
        The last word of a pass has been read.
    outputs : Out(stream.Signature(output_layout(config)))
    completions : Out(stream.Signature(1))
    out_of_range : Out(1)
        A word was read from past the end of the scratchpad.
    nonfinite : Out(1)
        A word has an infinity or NaN; 0 for integers.
    """

    def __init__(self, config: FractionalConvolutionConfig):
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(row_command(config))),
                "done": In(1),
                "read": Out(ScratchpadReadPort(config)),
                "write": Out(ScratchpadWritePort(config)),
                "freed": Out(1),
                "outputs": Out(stream.Signature(output_layout(config))),
                "completions": Out(stream.Signature(1)),
                "out_of_range": Out(1),
                "nonfinite": Out(1),
            },
        )

    @property
    def latency(self):
        """Cycles from ``done`` to the first word."""
        return 2 + READ_TO_WORD + BUFFER.latency

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.buffer = buffer = CreditBuffer(output_layout(config), BUFFER)
        wiring.connect(m, buffer.o, wiring.flipped(self.outputs))
        issues, last_word, place = self._walk(m, buffer.room)
        count = Signal(range(config.outputs + 1))
        m.d.comb += count.eq(Mux(place.rest > config.outputs, config.outputs, place.rest))
        inside = self._access(m, issues, place.lane, place.address, count)
        arrives = delay(m, issues, READ_TO_WORD, "arrives", reset_less=False)
        m.d.comb += [
            buffer.reserve.eq(issues),
            buffer.arrive.eq(arrives),
            buffer.value.last.eq(delay(m, last_word, READ_TO_WORD, "last_word")),
            self.freed.eq(issues & last_word),
            self.out_of_range.eq(issues & (place.address >= config.scratchpad_rows)),
        ]
        back = rotate(
            m,
            [Mux(inside[lane], self.read.data[lane], 0) for lane in range(config.lanes)],
            delay(m, place.lane, 1 + SCRATCHPAD_LATENCY, "lane"),
            "word",
            back=True,
        )
        m.d.sync += [buffer.value.values[number].eq(back[number]) for number in range(config.outputs)]
        if config.floating:
            found = Cat(is_nonfinite(config.number_format, word) for word in buffer.value.values)
            m.d.comb += self.nonfinite.eq(arrives & found.any())
        return m

    def _walk(self, m, room):
        """A word of the pass: whether one is read in this cycle, whether it is the last one, its place."""
        m.submodules.nest = nest = LoopNest(output_nest(self._config))
        word, waiting, begins, issues = nest.o, Signal(2), Signal(), Signal()
        m.d.comb += [
            nest.commands.payload.eq(self.commands.payload.outputs),
            nest.commands.valid.eq(begins),
            word.ready.eq(room),
            issues.eq(word.valid & room),
        ]
        m.d.sync += waiting.eq(waiting + self.done - begins)
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += [
                    begins.eq((waiting != 0) & self.commands.valid),
                    self.commands.ready.eq(waiting != 0),
                ]
                with m.If(begins):
                    m.next = "READ"
            with m.State("READ"):
                with m.If(self.outputs.valid & self.outputs.ready & self.outputs.payload.last):
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"
        return issues, word.payload.ends[0], word.payload.values

    def _access(self, m, issues, lane, address, count):
        """Reads a word and clears it in the cycle after; returns which lanes have outputs, with the data."""
        config = self._config
        half, outputs = Signal(), Signal(config.lanes)
        m.d.comb += outputs.eq((1 << count) - 1)
        inside = Cat(rotate(m, list(outputs), lane, "inside"))
        m.d.sync += [
            self.read.enable.eq(Mux(issues, inside, 0)),
            self.read.half.eq(half),
            *(self.read.address[place].eq(address + (lane > place)) for place in range(config.lanes)),
        ]
        with m.If(self.freed):
            m.d.sync += half.eq(~half)
        m.d.comb += [
            self.write.enable.eq(delay(m, self.read.enable, 1, "clears", reset_less=False)),
            self.write.half.eq(delay(m, self.read.half, 1, "clears_half")),
            self.write.address.eq(delay(m, self.read.address, 1, "clears_address")),
            self.write.data.eq(0),
        ]
        return delay(m, self.read.enable, SCRATCHPAD_LATENCY, "inside")
