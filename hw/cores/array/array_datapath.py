"""The array cores in lockstep, each with its accumulators, and what enters and leaves them."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import data
from amaranth.lib.wiring import In, Out, connect, flipped

from ..component import ConfiguredComponent
from ..pipeline import delay
from .accumulator import AccumulatorBank, DrainPort
from .config import WORD_WIDTH
from .core import AdaptiveArrayCore
from .engine_config import ArrayEngineConfig
from .layouts import stationary_layout, streamed_layout

__all__ = ["ArrayDatapath"]


class ArrayDatapath(ConfiguredComponent):
    """``N`` array cores with their accumulators, and the biases of the two accumulator buffers.

    ::

        weight_words, error_words --> stationary words --.
                                                         +--> array core --> accumulators --> drains
        activation_words, error_words --> vectors -------'
        weight_words --> staged biases --> biases of each buffer

    Latency: ``latency`` cycles from the words of a vector until its sums can be drained. Throughput: a stationary row
    and a vector a cycle. No back-pressure.

    Parameters
    ----------
    config : ArrayEngineConfig

    Members
    -------
    stationary : In(stationary_layout(config))
        The request whose words come in this cycle.
    streamed : In(streamed_layout(config))
        The request whose vector comes in this cycle.
    weight_words : In(data.ArrayLayout(32, lanes))
    activation_words, error_words : In(data.ArrayLayout(32, cores * lanes))
        Core after core.
    zero_point : In(signed(18))
        Zero point of the vector's codes.
    commit_bias, commit_buffer : In(1)
        The biases that were staged belong to the buffer from the next cycle on.
    biases : Out(data.ArrayLayout(signed(32), lanes)).array(2)
        The biases of each buffer.
    drains : In(DrainPort(config.array)).array(cores)

    Source
    ------
    FIXAR, sections III and V.
    """

    def __init__(self, config: ArrayEngineConfig):
        self._cores = [AdaptiveArrayCore(config.array) for _ in range(config.cores)]
        self._accumulators = [AccumulatorBank(config.array) for _ in range(config.cores)]
        words = data.ArrayLayout(WORD_WIDTH, config.cores * config.lanes)
        super().__init__(
            config,
            {
                "stationary": In(stationary_layout(config)),
                "streamed": In(streamed_layout(config)),
                "weight_words": In(data.ArrayLayout(WORD_WIDTH, config.lanes)),
                "activation_words": In(words),
                "error_words": In(words),
                "zero_point": In(signed(18)),
                "commit_bias": In(1),
                "commit_buffer": In(1),
                "biases": Out(data.ArrayLayout(signed(WORD_WIDTH), config.lanes)).array(2),
                "drains": In(DrainPort(config.array)).array(config.cores),
            },
        )

    @property
    def latency(self):
        """Cycles from the words of a vector until its sums can be drained."""
        return self._cores[0].latency + self._accumulators[0].revisit

    def elaborate(self, platform):
        m = Module()
        summed = delay(m, self.streamed, self._cores[0].latency, "summed")
        for number in range(self._config.cores):
            m.submodules[f"core_{number}"] = core = self._cores[number]
            m.submodules[f"accumulators_{number}"] = accumulators = self._accumulators[number]
            self._feed(m, number, core)
            connect(m, flipped(self.drains[number]), accumulators.drain)
            add = accumulators.add
            m.d.comb += [
                add.valid.eq(core.sums_valid),
                add.first.eq(summed.first),
                add.buffer.eq(summed.buffer),
                add.entry.eq(summed.entry),
            ]
            for lane in range(self._config.lanes):
                m.d.comb += [add.low[lane].eq(core.sums_low[lane]), add.high[lane].eq(core.sums_high[lane])]
        self._keep_biases(m)
        return m

    def _feed(self, m, number, core):
        """The words of a core."""
        stationary, streamed, lanes = self.stationary, self.streamed, self._config.lanes
        load, vectors = core.load, core.vectors
        m.d.comb += [
            load.enable.eq(stationary.valid & stationary.cores[number]),
            load.transposed.eq(stationary.transposed),
            load.index.eq(stationary.index),
            core.swap.eq(streamed.valid & streamed.swap),
            vectors.valid.eq(streamed.valid),
            vectors.enable.eq(1),
            vectors.half.eq(streamed.half),
            vectors.zero_point.eq(self.zero_point),
            vectors.constant.eq(streamed.constant),
        ]
        for lane in range(lanes):
            activation, error = (words[number * lanes + lane] for words in (self.activation_words, self.error_words))
            weight = Mux(stationary.errors, error, self.weight_words[lane])
            m.d.comb += [
                load.words[lane].eq(Mux(stationary.absent[number], 0, weight)),
                vectors.words[lane].eq(Mux(streamed.errors, error, activation)),
            ]

    def _keep_biases(self, m):
        """Biases are staged as they arrive and belong to a buffer once its block begins."""
        staged = Signal(self.biases[0].shape(), reset_less=True)
        with m.If(self.stationary.valid & self.stationary.bias):
            m.d.sync += staged.eq(self.weight_words)
        for number, biases in enumerate(self.biases):
            with m.If(self.commit_bias & (self.commit_buffer == number)):
                m.d.sync += biases.eq(staged)
