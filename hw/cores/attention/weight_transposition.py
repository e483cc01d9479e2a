"""Weights from each agent to the others, as weights of each agent from the others."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from ..stream.pipeline import StreamPipeline
from ..stream.pipeline_config import StreamPipelineConfig
from .config import AttentionConfig

__all__ = ["WeightTransposition"]

BANKS = 2


class WeightTransposition(ConfiguredComponent):
    """Gives the numbers that agents have for each other by the other agent: ``o[j, h, i] = i[i, h, j]``, i not j.

    An experience comes in whole, then goes out while the next one comes.

    Latency: ``BANKS`` + 1 cycles from the last number of an experience to the first one out. Throughput: a number a
    cycle. Back-pressure: numbers are taken while a bank is free.

    Parameters
    ----------
    config : AttentionConfig

    Members
    -------
    i : In(stream of width)
        Agent after agent, head after head, ``agents - 1`` numbers for the others.
    o : Out(stream of width)
        Agent after agent, head after head, ``agents - 1`` numbers of the others.
    """

    def __init__(self, config: AttentionConfig):
        elements = stream.Signature(config.arithmetic.format.width)
        super().__init__(config, {"i": In(elements), "o": Out(elements)})

    def elaborate(self, platform):
        m = Module()
        size = self._config.agents * self._config.heads * self._config.others
        width = self._config.arithmetic.format.width
        m.submodules.numbers = memory = Memory(width, MemoryConfig(depth=BANKS * size))
        m.submodules.leaving = leaving = StreamPipeline(width, StreamPipelineConfig(latency=1))
        complete, finished, left = Signal(range(BANKS + 1)), Signal(), Signal()
        m.d.sync += complete.eq(complete + finished - left)
        place, written, read = Signal(range(size)), Signal(), Signal()
        m.d.comb += [
            self.i.ready.eq(complete != BANKS),
            memory.write.enable.eq(self.i.valid & self.i.ready),
            memory.write.address.eq(place + Mux(written, size, 0)),
            memory.write.data.eq(self.i.payload),
            finished.eq(memory.write.enable & (place == size - 1)),
            leaving.begin.eq(leaving.ready & (complete != 0)),
            memory.reads[0].enable.eq(leaving.begin),
            memory.reads[0].address.eq(self._walk(m, leaving.begin, left) + Mux(read, size, 0)),
            leaving.result.eq(memory.reads[0].data),
        ]
        with m.If(memory.write.enable):
            m.d.sync += place.eq(Mux(finished, 0, place + 1))
        m.d.sync += [written.eq(written ^ finished), read.eq(read ^ left)]
        wiring.connect(m, leaving.o, wiring.flipped(self.o))
        return m

    def _walk(self, m, moves, left):
        """The place of a number in its experience; to the next one with each move."""
        config = self._config
        row = config.heads * config.others
        agent, other = Signal(range(config.agents)), Signal(range(config.agents), init=1)
        head = Signal(range(max(config.heads, 2)))
        last_agent, last_head, last_other, next_agent = Signal(), Signal(), Signal(), Signal.like(agent)
        m.d.comb += [
            last_agent.eq(agent == config.agents - 1),
            last_head.eq(head == config.heads - 1),
            last_other.eq(other == Mux(last_agent, config.agents - 2, config.agents - 1)),
            left.eq(moves & last_agent & last_head & last_other),
            next_agent.eq(Mux(last_head, Mux(last_agent, 0, agent + 1), agent)),
        ]
        with m.If(moves):
            m.d.sync += other.eq(other + 1 + (other + 1 == agent))
            with m.If(last_other):
                m.d.sync += [
                    other.eq(next_agent == 0),
                    head.eq(Mux(last_head, 0, head + 1)),
                    agent.eq(next_agent),
                ]
        # Among the others of an agent, one after it has a place less than its number.
        return other * row + head * config.others + agent - (other < agent)
