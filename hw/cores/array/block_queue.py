"""Output blocks on their way from filled to drained."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .config import Operation
from .engine_config import ArrayEngineConfig
from .layouts import block_layout

__all__ = ["BlockQueue", "reads_activations", "reads_errors"]

# Cycles in which the first row of a block is worked out: strides, products, sums.
PREPARATION = 3


def reads_activations(operation):
    """Whether the auxiliary words of an operation are in the activation memories."""
    return (operation == Operation.RELU_GRADIENT) | (operation == Operation.TANH_GRADIENT)


def reads_errors(operation):
    """Whether the auxiliary words of an operation are in the error memories."""
    return (
        (operation == Operation.MULTIPLY_ADD)
        | (operation == Operation.DIFFERENCE)
        | (operation == Operation.TANH_NOISE)
    )


class BlockQueue(ConfiguredComponent):
    """Knows the blocks in the two accumulator buffers, and begins the drain of each when its sums are complete.

    Latency: a block begins ``fill_latency`` cycles or more after it was filled, in the cycle after the one before has
    ended at the earliest, but four cycles after that one began. No back-pressure: whoever announces looks at
    ``buffer_busy``.

    Parameters
    ----------
    config : ArrayEngineConfig
    fill_latency : int
        Cycles from ``filled`` until all sums of the block can be read.

    Members
    -------
    announced, block : In(1), In(block_layout(config))
        A block begins to fill its buffer for the last time.
    filled : In(1)
        Pulses with the last vector of an announced block.
    ended : In(1)
        The last row of the active block is drained in this cycle.
    begin : Out(1)
        The drain of ``upcoming`` begins in the next cycle.
    upcoming : Out(block_layout(config))
        The block that is drained next; it stands for four cycles or more before ``begin``.
    active, buffer : Out(1)
        A block is being drained, and from which buffer.
    waiting : Out(1)
        A block is announced or active.
    buffer_busy : Out(2)
        Buffers with announced blocks that are not drained.
    auxiliary_busy : Out(2)
        Announced or active blocks read the activation memories (bit 0), the error memories (bit 1).
    """

    def __init__(self, config: ArrayEngineConfig, *, fill_latency: int):
        self._fill_latency = fill_latency
        block = block_layout(config)
        super().__init__(
            config,
            {
                "announced": In(1),
                "block": In(block),
                "filled": In(1),
                "ended": In(1),
                "begin": Out(1),
                "upcoming": Out(block),
                "active": Out(1),
                "buffer": Out(1),
                "waiting": Out(1),
                "buffer_busy": Out(2),
                "auxiliary_busy": Out(2),
            },
        )

    @property
    def fill_latency(self):
        """Cycles from ``filled`` until all sums of the block can be read."""
        return self._fill_latency

    def elaborate(self, platform):
        m = Module()
        blocks = [Signal(block_layout(self._config), name=f"block_{number}", reset_less=True) for number in range(2)]
        # Which memories the drains of both buffers read, known as early as that they are busy.
        operation = self.block.command.operation
        reads = Cat(reads_activations(operation), reads_errors(operation))
        memories = [Signal(2, name=f"memories_{number}") for number in range(2)]
        left = Signal(2)
        m.d.comb += [
            left.eq(self.buffer_busy & ~((self.active & self.ended) << self.buffer)),
            self.waiting.eq(self.announced | self.buffer_busy.any() | self.active),
        ]
        m.d.sync += [
            self.buffer_busy.eq(left | self.announced << self.block.buffer),
            self.auxiliary_busy.eq(
                Mux(left[0], memories[0], 0) | Mux(left[1], memories[1], 0) | Mux(self.announced, reads, 0)
            ),
        ]
        for number in range(2):
            with m.If(self.announced & (self.block.buffer == number)):
                m.d.sync += [blocks[number].eq(self.block), memories[number].eq(reads)]
        self._begin(m, blocks)
        return m

    def _begin(self, m, blocks):
        """Blocks end in the order in which they were filled, one buffer after the other."""
        # The sums of a block are complete a fixed time after its last vector.
        filling = Signal(self._fill_latency)
        complete = Signal(range(3))
        # The beginning of a block is computed in the cycles after it is known which one is next.
        prepared = Signal(PREPARATION)
        following = Signal()
        m.d.comb += [
            self.begin.eq((complete != 0) & prepared[-1] & (~self.active | self.ended)),
            self.upcoming.eq(Mux(following, blocks[1], blocks[0])),
        ]
        m.d.sync += [
            filling.eq(Cat(self.filled, filling)),
            complete.eq(complete + filling[-1] - self.begin),
            prepared.eq(Mux(self.begin, 0, Cat(1, prepared))),
            following.eq(following ^ self.begin),
        ]
        with m.If(self.begin):
            m.d.sync += [self.active.eq(1), self.buffer.eq(following)]
        with m.Elif(self.ended):
            m.d.sync += self.active.eq(0)
