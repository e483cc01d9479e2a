"""The unit that forms the gradients of a rollout, word by word."""

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..pipeline import delay_record
from ..replicated import replicated
from ..stream.buffer_config import StreamBufferConfig
from ..stream.pipeline import CreditBuffer
from .config import READ_LATENCY, A3CConfig
from .gradient_sequencer import GradientSequencer, gradient_places
from .layer_constants import choose_constant
from .ports import activation_read, agent_number, error_read, gradient_layout, rollout_layout, row_address, word_layout
from .word_sums import WordSums
from .word_sums_config import WordSumsConfig

__all__ = ["GradientUnit"]


class GradientUnit(ConfiguredComponent):
    """Sums up products of errors and activations, step after step of a rollout, on ``gradient_engines`` engines.

    ::

        activations --> word -----> WordSums (an engine: an output) --.
        errors ---+---> numbers ------'                               +--> buffer --> a word at a time
                  '---> word, of biases                              -'

    A gradient of a weight begins with its first product, one of a bias with its first error. Places of words that are
    no inputs or outputs get +0.

    Number format: ``config.arithmetic.format``; every product and every sum is rounded to nearest even.

    Latency: ``latency`` cycles from the last read of a word's step to the word on ``gradients``. Throughput: a product
    of each engine's word a cycle; the cycles of a job are ``steps * blocks`` for every ``gradient_engines`` outputs of
    a layer, ``steps * groups`` for its biases, and those in which passes are filled up
    (:func:`.cycles.gradient_cycles`); a word a cycle leaves.
    Back-pressure: that of ``gradients`` stalls the unit when its buffer is full.

    Parameters
    ----------
    config : A3CConfig

    Members
    -------
    jobs : In(stream of rollout_layout)
        Activations and errors are in the memories.
    activations : Out(activation_read)
    errors : Out(error_read)
    gradients : Out(stream of gradient_layout)
        Every word of parameters once, in an order that is the same for all jobs.

    Source
    ------
    Ge et al., section 4.5.
    """

    def __init__(self, config: A3CConfig):
        super().__init__(
            config,
            {
                "jobs": In(stream.Signature(rollout_layout(config))),
                "activations": Out(activation_read(config)),
                "errors": Out(error_read(config)),
                "gradients": Out(stream.Signature(gradient_layout(config))),
            },
        )

    @property
    def latency(self):
        """Cycles from the last read of a word's step to the word."""
        return READ_LATENCY + 1 + self._config.arithmetic.multiplier_depth + self._config.arithmetic.adder_depth + 2

    @property
    def _row_layout(self):
        """A word of each engine: address of the first, distance of the next; how many there are besides the first."""
        config = self._config
        return data.StructLayout(
            {
                "agent": agent_number(config.agents),
                "address": row_address(config.words),
                "distance": range(max(layer.blocks for layer in config.layers) + 1),
                "more": range(max(config.gradient_engines, 2)),
                "last": 1,
                "there": config.width,
                "words": data.ArrayLayout(word_layout(config), config.gradient_engines),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.sequencer = sequencer = GradientSequencer(config)
        # As many as one pass makes, and those under way: the next pass is not held up.
        room = StreamBufferConfig(depth=gradient_places(config) + self.latency + 2)
        m.submodules.buffer = buffer = CreditBuffer(self._row_layout, room)
        wiring.connect(m, wiring.flipped(self.jobs), sequencer.jobs)
        for name in ("activations", "errors"):
            wiring.connect(m, getattr(sequencer, name), wiring.flipped(getattr(self, name)))
        m.d.comb += [sequencer.room.eq(buffer.room), buffer.reserve.eq(sequencer.makes_words)]
        self._sum(m, sequencer.step, buffer)
        self._give_words(m, buffer.o)
        return m

    def _sum(self, m, step, buffer):
        """Operands to the engines, and their sums to the buffer."""
        config, number_format = self._config, self._config.arithmetic.format
        engines = config.gradient_engines
        word = Signal(word_layout(config), reset_less=True)
        m.d.sync += word.eq(Mux(step.biases, Value.cast(self.errors.data), Value.cast(self.activations.data)))
        numbers = Value.cast(self.errors.data)
        if engines < config.width:
            numbers = numbers.word_select(step.lanes, engines * number_format.width)
        operands = delay_record(m, step, 1, "operands")
        places = [number for layer in config.layers for number in (layer.blocks, layer.groups)]
        sums_config = WordSumsConfig(
            width=config.width,
            depth=gradient_places(config),
            interval=max(config.arithmetic.adder_depth, min(places)),
            arithmetic=config.arithmetic,
        )
        for index in range(engines):
            m.submodules[f"engine_{index}"] = engine = replicated(WordSums(sums_config))
            factor = Signal(number_format.width, name=f"factor_{index}", reset_less=True)
            number = numbers[index * number_format.width :][: number_format.width]
            # Errors that are no products are multiplied by 1.
            m.d.sync += factor.eq(Mux(step.biases, number_format.one, number) if index == 0 else number)
            m.d.comb += [
                engine.valid.eq(operands.valid),
                engine.first.eq(operands.first),
                engine.place.eq(operands.place),
                engine.word.eq(word),
                engine.factor.eq(factor),
                buffer.value.words[index].eq(engine.sums),
            ]
        row = delay_record(m, operands, engine.latency, "row")
        m.d.comb += [
            buffer.arrive.eq(row.valid & row.last),
            buffer.value.agent.eq(row.agent),
            buffer.value.address.eq(row.address),
            buffer.value.distance.eq(choose_constant(m, row.layer, [layer.blocks for layer in config.layers], "apart")),
            buffer.value.more.eq(row.more),
            buffer.value.last.eq(row.final),
            buffer.value.there.eq(self._places(m, row)),
        ]

    def _places(self, m, row):
        """A bit for each place of a word that is an input, or an output."""
        config = self._config
        every = (1 << config.width) - 1
        inputs, outputs = (
            choose_constant(m, row.layer, [every >> -count % config.width for count in counts], name)
            for counts, name in (
                ([layer.inputs for layer in config.layers], "last_inputs"),
                ([layer.outputs for layer in config.layers], "last_outputs"),
            )
        )
        return Mux(row.ends, Mux(row.biases, outputs, inputs), Const(every, config.width))

    def _give_words(self, m, rows):
        """The words of a row, one after the other."""
        gradient = self.gradients.payload
        index = Signal(range(max(self._config.gradient_engines, 2)))
        distance = Signal(gradient.address.shape())
        row, moves, ends = rows.payload, Signal(), Signal()
        word = row.words[index] if self._config.gradient_engines > 1 else row.words[0]
        m.d.comb += [
            self.gradients.valid.eq(rows.valid),
            moves.eq(rows.valid & self.gradients.ready),
            ends.eq(index == row.more),
            rows.ready.eq(self.gradients.ready & ends),
            gradient.agent.eq(row.agent),
            gradient.address.eq(row.address + distance),
            gradient.last.eq(row.last),
            *(
                number.eq(Mux(there, word[place], 0))
                for place, (number, there) in enumerate(zip(gradient.word, row.there, strict=True))
            ),
        ]
        with m.If(moves):
            m.d.sync += [index.eq(Mux(ends, 0, index + 1)), distance.eq(Mux(ends, 0, distance + row.distance))]
