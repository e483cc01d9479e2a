"""Uniform numbers for the choices of a word."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..random.generator import following_state
from ..random.xorshift import NUMBERS_A_STATE, STATE_WIDTH, SUBSTITUTE_FOR_ZERO, UNIFORM_BITS
from .softmax_config import SoftmaxConfig

__all__ = ["UniformSource"]


class UniformSource(ConfiguredComponent):
    """Draws a uniform number for every lane of the blocks in use, in order: the upper 11 bits of each quarter of the
    states of a 64-bit xorshift generator, lower quarters first.

    Latency: ``latency(blocks)`` cycles. Throughput: four numbers a cycle. No back-pressure.

    Parameters
    ----------
    config : SoftmaxConfig

    Members
    -------
    start : In(1)
    blocks : In(range(blocks + 1))
        The blocks in use, with ``start``.
    drawn : Out(1)
        All numbers are there.
    uniform : Out(ArrayLayout(ArrayLayout(11, lanes), blocks))
    seed, load : In(64), In(1)
        Takes ``seed`` as the state of the generator; zero is replaced by a constant.
    state : Out(64)
        Before the next number.

    Source
    ------
    G. Marsaglia, "Xorshift RNGs", 2003.
    """

    def __init__(self, config: SoftmaxConfig):
        super().__init__(
            config,
            {
                "start": In(1),
                "blocks": In(range(config.blocks + 1)),
                "drawn": Out(1),
                "uniform": Out(data.ArrayLayout(data.ArrayLayout(UNIFORM_BITS, config.lanes), config.blocks)),
                "seed": In(STATE_WIDTH),
                "load": In(1),
                "state": Out(STATE_WIDTH, init=SUBSTITUTE_FOR_ZERO),
            },
        )

    def latency(self, blocks):
        """Cycles from ``start`` to ``drawn``."""
        return blocks * self._config.lanes // NUMBERS_A_STATE + 1

    def elaborate(self, platform):
        m = Module()
        steps = self._config.lanes // NUMBERS_A_STATE
        following, quarter = following_state(m, self.state), STATE_WIDTH // NUMBERS_A_STATE
        numbers = Signal(NUMBERS_A_STATE * UNIFORM_BITS)
        blocks, block, step = Signal.like(self.blocks), Signal.like(self.blocks), Signal(range(max(steps, 2)))
        m.d.comb += [
            numbers.eq(Cat(following.word_select(index, quarter)[-UNIFORM_BITS:] for index in range(NUMBERS_A_STATE))),
            self.drawn.eq(block == blocks),
        ]
        with m.If(self.start):
            m.d.sync += [blocks.eq(self.blocks), block.eq(0), step.eq(0)]
        with m.Elif(~self.drawn):
            m.d.sync += [self.state.eq(following), step.eq(step + 1)]
            with m.If(step == steps - 1):
                m.d.sync += [step.eq(0), block.eq(block + 1)]
            for index, lanes in enumerate(self.uniform):
                with m.If(block == index):
                    m.d.sync += lanes.eq(Cat(lanes.as_value()[len(numbers) :], numbers))
        with m.If(self.load):
            m.d.sync += self.state.eq(Mux(self.seed == 0, SUBSTITUTE_FOR_ZERO, self.seed))
        return m
