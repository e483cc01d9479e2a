"""The elementwise unit: passes of arithmetic and functions over words of vectors."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import layout_of_fields, take_fields
from ..memory.ports import ReadPort, WritePort
from ..pipeline import delay
from ..replicated import replicated
from .elementwise_block import ElementwiseBlock
from .elementwise_config import STATE_MEMORIES, Combination, Destination, ElementwiseConfig, Operand
from .elementwise_layouts import COMPUTED, OWN_BLOCK, elementwise_command
from .elementwise_sequencer import ElementwiseSequencer

__all__ = ["ElementwiseUnit"]


class ElementwiseUnit(ConfiguredComponent):
    """Passes over words of vectors, ``width`` blocks a cycle.

    ::

        commands ──> ElementwiseSequencer ──> reads ──> blocks chosen ──> exchange ──> ElementwiseBlock ──> writes
                              │                                                                              ^
                              └──> destinations, addresses, enables (delay line) ───────────────────────────┘

    A command does, for each feature f from 0 and each of the first ``blocks`` blocks::

        value = (a first exchange(b)) second c;   result = function(value)
        destination i [base + f * stride] = result if after_function else value

    An operand is block ``block`` of word ``base + f * stride`` of its memory, or with ``OWN_BLOCK`` the block that is
    being computed; a scalar is number ``base + f * stride`` for all lanes. ``exchange`` 0 leaves b as it is, k takes
    for each lane that of lane xor 2**(k-1). What :class:`~.elementwise_lane.ElementwiseLane` computes is chosen by
    ``first``, ``second`` and ``function``.

    A memory gives one word a cycle: operands that are used come from different memories or from the same word.
    The two destinations are different memories, or ``NONE``. Commands overlap in the pipeline; one with ``wait``
    starts when all before it is written.

    Number format and rounding: those of the lane.

    Latency: a word is written ``latency`` cycles after it is read. Throughput: ``ceil(blocks / width)`` cycles a
    feature, commands back to back unless one waits, or one gradient follows the other. No back-pressure.

    Parameters
    ----------
    config : ElementwiseConfig

    Members
    -------
    commands : In(stream.Signature(elementwise_command(config)))
        A command without features does nothing.
    completions : Out(stream.Signature(1))
        One for each command, when everything is written; ready must be 1.
    busy : Out(1)
    errors : Out
        ``nonfinite``: an infinity or NaN was written; ``memory_conflict``: operands or destinations cannot be served.
    read_states : Out(ReadPort(word, state_rows)).array(3)
    read_results : Out(ReadPort(word, result_rows)).array(2)
    read_aggregate, read_choice : Out(ReadPort)
    read_scalar : Out(ReadPort(format.width, scalar_rows))
        The memories of ``Operand``.
    write_states : Out(WritePort(word, state_rows, blocks)).array(3)
    write_error, write_activation, write_logit : Out(WritePort)
        The memories of ``Destination``, with an enable for each block.

    Raises
    ------
    ValueError
        See :class:`~.elementwise_config.ElementwiseConfig`.

    Source
    ------
    LearningGroup, section III; docs/learninggroup.md, "Numbers".
    """

    def __init__(self, config: ElementwiseConfig):
        self._blocks = [replicated(ElementwiseBlock(config), name="elementwise_block") for _ in range(config.width)]
        word = config.blocks * config.block_bits
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(elementwise_command(config))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout({"nonfinite": 1, "memory_conflict": 1})),
                "read_states": Out(ReadPort(word, config.state_rows)).array(STATE_MEMORIES),
                "read_results": Out(ReadPort(word, config.result_rows)).array(2),
                "read_aggregate": Out(ReadPort(word, config.aggregate_rows)),
                "read_choice": Out(ReadPort(word, config.choice_rows)),
                "read_scalar": Out(ReadPort(config.lane.format.width, config.scalar_rows)),
                "write_states": Out(WritePort(word, config.state_rows, config.blocks)).array(STATE_MEMORIES),
                "write_error": Out(WritePort(word, config.error_rows, config.blocks)),
                "write_activation": Out(WritePort(word, config.activation_rows, config.blocks)),
                "write_logit": Out(WritePort(word, config.logit_rows, config.blocks)),
            },
        )

    @property
    def _reads(self):
        """The ports by ``Operand``."""
        low, high = self.read_results
        return [*self.read_states, low, self.read_aggregate, self.read_choice, high, self.read_scalar]

    @property
    def _writes(self):
        """The ports by ``Destination``."""
        return [*self.write_states, self.write_error, self.write_activation, self.write_logit]

    @property
    def latency(self):
        """Cycles from the read of a word to its write."""
        return self._blocks[0].latency + 3

    def elaborate(self, platform):
        m = Module()
        m.submodules.sequencer = sequencer = ElementwiseSequencer(self._config, self.latency)
        wiring.connect(m, wiring.flipped(self.commands), sequencer.commands)
        wiring.connect(m, sequencer.completions, wiring.flipped(self.completions))
        m.d.comb += self.busy.eq(sequencer.busy)
        self._read(m, sequencer.issue)
        # A cycle later the words are there. Their blocks are chosen, and wait in a register before the lanes.
        self._compute(m, sequencer.issue)
        self._write(m, sequencer.issue)
        return m

    def _read(self, m, issue):
        """Addresses to the memories, and whether they can serve all."""
        command = issue.command
        used = [1, command.first != Combination.PASS, command.second != Combination.PASS]
        operands = list(zip((command.a, command.b, command.c), issue.addresses, used, strict=True))
        for number, port in enumerate(self._reads):
            for operand, address, use in reversed(operands):
                with m.If(issue.active & use & (operand.memory == number)):
                    m.d.comb += [port.enable.eq(1), port.address.eq(address)]
        first, second = command.destinations
        conflicts = [(first.memory == second.memory) & (first.memory != Destination.NONE)]
        for index, other in ((0, 1), (0, 2), (1, 2)):
            (one, place, use), (another, other_place, other_use) = operands[index], operands[other]
            conflicts.append(use & other_use & (one.memory == another.memory) & (place != other_place))
        m.d.sync += self.errors.memory_conflict.eq(issue.active & Cat(conflicts).any())

    def _compute(self, m, issue):
        """Operands and settings of the lanes, in registers."""
        command = Signal(layout_of_fields(issue.command.shape(), COMPUTED), reset_less=True)
        m.d.sync += take_fields(command, issue.command)
        active, part = delay(m, issue.active, 1, "active"), delay(m, issue.part, 1, "part")
        operands = {name: self._operand(m, command, part, name) for name in "abc"}
        settings = Signal(data.StructLayout({"first": 3, "second": 3, "function": 2}))
        m.d.sync += [
            settings.first.eq(command.first),
            # Between commands no gradient may hold the unit that makes both.
            settings.second.eq(Mux(active, command.second, Combination.PASS)),
            settings.function.eq(command.function),
        ]
        for index, block in enumerate(self._blocks):
            m.submodules[f"block_{index}"] = block
            m.d.comb += [
                *(getattr(block, name).eq(operand[index]) for name, operand in operands.items()),
                *(getattr(block, name).eq(settings[name]) for name in ("first", "second", "function")),
            ]

    def _operand(self, m, command, part, name):
        """Registers with the ``width`` blocks of an operand."""
        config, operand = self._config, command[name]
        block_layout = data.ArrayLayout(config.lane.format.width, config.lanes)
        word = Signal(data.ArrayLayout(block_layout, config.blocks), name=f"word_{name}")
        with m.Switch(operand.memory):
            for number, port in enumerate(self._reads[: Operand.SCALAR]):
                with m.Case(number):
                    m.d.comb += word.eq(port.data)
            with m.Default():
                m.d.comb += word.eq(self.read_scalar.data.replicate(config.lanes * config.blocks))
        registers = []
        for index in range(config.width):
            block, register = (
                Signal(block_layout, name=f"block_{name}_{index}"),
                Signal(block_layout, name=f"operand_{name}_{index}", reset_less=True),
            )
            own = Signal(range(max(config.blocks, 2)), name=f"own_{name}_{index}")
            m.d.comb += own.eq(Mux(operand.block == OWN_BLOCK, part * config.width + index, operand.block))
            with m.Switch(own):
                for number in range(config.blocks):
                    with m.Case(number):
                        m.d.comb += block.eq(word[number])
            m.d.sync += register.eq(block)
            if name == "b":
                self._exchange(m, command.exchange, block, register)
            registers.append(register)
        return registers

    def _exchange(self, m, exchange, block, register):
        """The lanes of a block in another order, if they are wanted so."""
        with m.Switch(exchange):
            for code, distance in enumerate(self._config.exchanges, 1):
                with m.Case(code):
                    m.d.sync += [register[lane].eq(block[lane ^ distance]) for lane in range(self._config.lanes)]

    def _write(self, m, issue):
        """Destinations and enables travel beside the lanes, and meet the values in the last register."""
        config, command = self._config, issue.command
        destinations, targets = command.destinations.shape(), issue.targets.shape()
        order = Signal(data.StructLayout({"destinations": destinations, "targets": targets}))
        enables = Signal(config.blocks)
        m.d.comb += [order.destinations.eq(command.destinations), order.targets.eq(issue.targets)]
        for block in range(config.blocks):
            here = issue.active & (issue.part == block // config.width) & (block < command.blocks)
            m.d.comb += enables[block].eq(here)
        late = delay(m, order, self.latency - 1, "order")
        # A reset drops writes that are on their way.
        late_enables = delay(m, enables, self.latency - 1, "enables", reset_less=False)
        parts = config.blocks // config.width
        values = Cat(block.value.as_value() for block in self._blocks)
        results = Cat(block.result.as_value() for block in self._blocks)
        m.d.sync += [port.enable.eq(0) for port in self._writes]
        for index, (destination, target) in enumerate(zip(late.destinations, late.targets, strict=True)):
            word = Signal(len(values), name=f"written_{index}")
            m.d.comb += word.eq(Mux(destination.after_function, results, values))
            for number, port in enumerate(self._writes):
                with m.If(destination.memory == number):
                    m.d.sync += [
                        port.enable.eq(late_enables),
                        port.address.eq(target),
                        port.data.eq(word.replicate(parts)),
                    ]
        nonfinite = [
            block.nonfinite & Cat(late_enables[index :: config.width]).any() for index, block in enumerate(self._blocks)
        ]
        m.d.sync += self.errors.nonfinite.eq(Cat(nonfinite).any())
