"""The elementwise unit: passes of arithmetic and functions over words of vectors."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..pipeline import delay
from ..replicated import replicated
from .elementwise_block import ElementwiseBlock
from .elementwise_config import DESTINATIONS, Combination, Destination, ElementwiseConfig, Operand

__all__ = ["OWN_BLOCK", "ElementwiseUnit", "elementwise_command"]

# Value of a block field that says: each block its own.
OWN_BLOCK = 4
STRIDE_BITS = 10
FEATURE_BITS = 10


def elementwise_command(config):
    """Layout of a command: one pass over features."""
    operand = data.StructLayout({"memory": 3, "base": config.address_bits, "stride": STRIDE_BITS, "block": 3})
    destination = data.StructLayout(
        {"memory": 3, "base": config.address_bits, "stride": STRIDE_BITS, "after_function": 1}
    )
    return data.StructLayout(
        {
            "a": operand,
            "b": operand,
            "c": operand,
            "exchange": 4,
            "first": 3,
            "second": 3,
            "function": 2,
            "destinations": data.ArrayLayout(destination, 2),
            "features": FEATURE_BITS,
            "blocks": 3,
            "wait": 1,
        }
    )


class ElementwiseUnit(wiring.Component):
    """Passes over words of vectors, ``width`` blocks a cycle.

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
    feature, without a gap between commands unless one waits, or one gradient follows the other. No back-pressure.

    Parameters
    ----------
    config : ElementwiseConfig

    Members
    -------
    commands : stream, in
        ``elementwise_command(config)``; a command without features does nothing.
    completions : stream, out
        One for each command, when everything is written; ready must be 1.
    busy : Out(1)
    errors : Out
        ``nonfinite``: an infinity or NaN was written; ``memory_conflict``: operands or destinations cannot be served.
    reads : array of 7 of {enable : Out(1), address : Out(address_bits), word : In(blocks * block_bits)}
        Of the memories of ``Operand`` but the last; the word comes in the next cycle.
    scalar_address, scalar : Out(address_bits), In(format.width)
        The number comes in the next cycle.
    writes : array of 6 of {blocks : Out(blocks), address : Out(address_bits), word : Out(blocks * block_bits)}
        Of the memories of ``Destination``; one enable a block.

    Raises
    ------
    ValueError
        See :class:`~.elementwise_config.ElementwiseConfig`.

    Source
    ------
    LearningGroup, section III; docs/learninggroup.md, "Numbers".
    """

    def __init__(self, config: ElementwiseConfig):
        self._config = config
        self._blocks = [
            replicated(ElementwiseBlock(config), name="elementwise_block", hierarchical=config.lanes >= 16)
            for _ in range(config.width)
        ]
        word = config.blocks * config.block_bits
        super().__init__(
            {
                "commands": In(stream.Signature(elementwise_command(config))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout({"nonfinite": 1, "memory_conflict": 1})),
                "reads": Out(
                    wiring.Signature({"enable": Out(1), "address": Out(config.address_bits), "word": In(word)})
                ).array(Operand.SCALAR),
                "scalar_address": Out(config.address_bits),
                "scalar": In(config.lane.format.width),
                "writes": Out(
                    wiring.Signature(
                        {"blocks": Out(config.blocks), "address": Out(config.address_bits), "word": Out(word)}
                    )
                ).array(DESTINATIONS),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from the read of a word to its write."""
        return self._blocks[0].latency + 3

    def elaborate(self, platform):
        m = Module()
        config = self._config
        command = Signal(elementwise_command(config))
        active, conflict = Signal(), Signal()
        feature = Signal(FEATURE_BITS)
        group = Signal(range(config.blocks))
        sources = [command.a, command.b, command.c]
        addresses = [Signal(config.address_bits, name=f"address_{name}") for name in "abc"]
        targets = [Signal(config.address_bits, name=f"target_{index}") for index in range(2)]
        used = [1, command.first != Combination.PASS, command.second != Combination.PASS]

        under_way = self._issue(m, command, active, conflict, feature, group, addresses, targets)

        # Reads
        for memory, port in enumerate(self.reads):
            for source, address, use in reversed(list(zip(sources, addresses, used, strict=True))):
                with m.If(active & use & (source.memory == memory)):
                    m.d.comb += [port.enable.eq(1), port.address.eq(address)]
        for source, address in reversed(list(zip(sources, addresses, strict=True))):
            with m.If(source.memory == Operand.SCALAR):
                m.d.comb += self.scalar_address.eq(address)
        for index, other in ((0, 1), (0, 2), (1, 2)):
            with m.If(
                active
                & used[index]
                & used[other]
                & (sources[index].memory == sources[other].memory)
                & (addresses[index] != addresses[other])
            ):
                m.d.comb += conflict.eq(1)
        first, second = command.destinations
        with m.If(active & (first.memory == second.memory) & (first.memory != Destination.NONE)):
            m.d.comb += conflict.eq(1)

        # A cycle later the words are there: blocks are chosen, and rest in a register before the lanes.
        late = Signal.like(command)
        late_group, late_active = Signal.like(group), Signal()
        m.d.sync += [late.eq(command), late_group.eq(group), late_active.eq(active)]
        operands = [
            self._operand(m, source, late_group, name, late.exchange if name == "b" else None)
            for name, source in zip("abc", (late.a, late.b, late.c), strict=True)
        ]
        settings = Signal(data.StructLayout({"first": 3, "second": 3, "function": 2}))
        m.d.sync += [
            settings.first.eq(late.first),
            # Between commands no gradient may hold the unit that makes both.
            settings.second.eq(Mux(late_active, late.second, Combination.PASS)),
            settings.function.eq(late.function),
        ]
        for index, block in enumerate(self._blocks):
            m.submodules[f"block_{index}"] = block
            m.d.comb += [
                *(getattr(block, name).eq(operand[index]) for name, operand in zip("abc", operands, strict=True)),
                block.first.eq(settings.first),
                block.second.eq(settings.second),
                block.function.eq(settings.function),
            ]

        self._write(m, command, active, group, targets)
        m.d.sync += self.errors.memory_conflict.eq(conflict)
        m.d.comb += self.busy.eq(active | under_way)
        return m

    def _issue(self, m, command, active, conflict, feature, group, addresses, targets):
        """Takes commands and counts features and groups of blocks; returns whether words are under way."""
        config = self._config
        groups = config.blocks // config.width
        last_group = Signal()
        if groups == 1:
            m.d.comb += last_group.eq(1)
        else:
            m.d.comb += last_group.eq((group + 1) * config.width >= command.blocks)
        last_feature = Signal()
        m.d.comb += last_feature.eq(feature + 1 == command.features)
        ending = Signal()
        m.d.comb += ending.eq(active & last_group & last_feature)

        # Valid and last of the words between read and write.
        steps = [active]
        ends = [ending]
        for stage in range(self.latency):
            step, end = Signal(name=f"under_way_{stage}"), Signal(name=f"end_{stage}")
            m.d.sync += [step.eq(steps[-1]), end.eq(ends[-1])]
            steps.append(step)
            ends.append(end)
        under_way = Signal()
        m.d.comb += under_way.eq(Cat(steps[1:]).any())

        incoming = self.commands.payload
        empty = Signal()
        gradients = (Combination.SIGMOID_GRADIENT, Combination.TANH_GRADIENT)
        last_gradient = Signal(3)
        other_gradient = Signal()
        m.d.comb += [
            empty.eq(incoming.features == 0),
            other_gradient.eq((incoming.second >= gradients[0]) & (incoming.second != last_gradient)),
        ]
        # Nothing may be under way, the command that ends in this cycle included.
        must_wait = Signal()
        m.d.comb += must_wait.eq((incoming.wait | other_gradient) & (active | under_way))
        free = Signal()
        # The completion of a command that does nothing must not meet another's.
        m.d.comb += free.eq((~active | ending) & ~must_wait & ~(empty & (active | under_way)))
        m.d.comb += self.commands.ready.eq(free)
        nothing = Signal()
        m.d.sync += nothing.eq(self.commands.valid & free & empty)
        m.d.comb += [self.completions.valid.eq(ends[-1] | nothing), self.completions.payload.eq(0)]

        with m.If(active):
            with m.If(last_group):
                m.d.sync += [group.eq(0), feature.eq(feature + 1)]
                m.d.sync += [
                    address.eq(address + source.stride)
                    for address, source in zip(addresses, (command.a, command.b, command.c), strict=True)
                ]
                m.d.sync += [
                    target.eq(target + destination.stride)
                    for target, destination in zip(targets, command.destinations, strict=True)
                ]
            with m.Else():
                m.d.sync += group.eq(group + 1)
            with m.If(ending):
                m.d.sync += active.eq(0)
        with m.If(self.commands.valid & free):
            m.d.sync += [command.eq(incoming), feature.eq(0), group.eq(0), active.eq(~empty)]
            m.d.sync += [
                address.eq(source.base)
                for address, source in zip(addresses, (incoming.a, incoming.b, incoming.c), strict=True)
            ]
            m.d.sync += [
                target.eq(destination.base) for target, destination in zip(targets, incoming.destinations, strict=True)
            ]
            with m.If(incoming.second >= gradients[0]):
                m.d.sync += last_gradient.eq(incoming.second)
        return under_way

    def _operand(self, m, source, group, name, exchange):
        """Registers with the ``width`` blocks of an operand, a cycle after its word."""
        config = self._config
        number = config.lane.format.width
        block_layout = data.ArrayLayout(number, config.lanes)
        words = data.ArrayLayout(block_layout, config.blocks)
        word = Signal(words, name=f"word_{name}")
        with m.Switch(source.memory):
            for memory, port in enumerate(self.reads):
                with m.Case(memory):
                    m.d.comb += word.as_value().eq(port.word)
            with m.Default():
                m.d.comb += word.as_value().eq(self.scalar.replicate(config.lanes * config.blocks))
        chosen = []
        for index in range(config.width):
            block = Signal(block_layout, name=f"block_{name}_{index}")
            own = Signal(range(max(config.blocks, 2)), name=f"own_{name}_{index}")
            m.d.comb += own.eq(Mux(source.block == OWN_BLOCK, group * config.width + index, source.block))
            with m.Switch(own):
                for which in range(config.blocks):
                    with m.Case(which):
                        m.d.comb += block.eq(word[which])
            if exchange is not None:
                plain, block = block, Signal(block_layout, name=f"exchanged_{name}_{index}")
                with m.Switch(exchange):
                    for code, distance in enumerate(config.exchanges, 1):
                        with m.Case(code):
                            m.d.comb += [block[lane].eq(plain[lane ^ distance]) for lane in range(config.lanes)]
                    with m.Default():
                        m.d.comb += block.eq(plain)
            register = Signal(block_layout, name=f"operand_{name}_{index}", reset_less=True)
            m.d.sync += register.eq(block)
            chosen.append(register)
        return chosen

    def _write(self, m, command, active, group, targets):
        """Destinations and enables travel beside the lanes, and meet the values in the last register."""
        config = self._config
        enables = Signal(config.blocks)
        m.d.comb += [
            enables[block].eq(active & (group == block // config.width) & (block < command.blocks))
            for block in range(config.blocks)
        ]
        steps = self.latency - 1
        enables_late = delay(m, enables, steps, "enables")
        values = Cat(block.value.as_value() for block in self._blocks)
        results = Cat(block.result.as_value() for block in self._blocks)
        repeats = config.blocks // config.width
        writes = [Signal.like(port.blocks, name=f"write_{index}") for index, port in enumerate(self.writes)]
        for index, (destination, target) in enumerate(zip(command.destinations, targets, strict=True)):
            memory = delay(m, destination.memory, steps, f"memory_{index}")
            address = delay(m, target, steps, f"target_{index}")
            after_function = delay(m, destination.after_function, steps, f"after_function_{index}")
            word = Signal(len(values), name=f"written_{index}")
            m.d.comb += word.eq(Mux(after_function, results, values))
            for which, port in enumerate(self.writes):
                with m.If(memory == which):
                    m.d.comb += writes[which].eq(enables_late)
                    m.d.sync += [port.address.eq(address), port.word.eq(word.replicate(repeats))]
        m.d.sync += [port.blocks.eq(write) for port, write in zip(self.writes, writes, strict=True)]
        nonfinite = 0
        for index, block in enumerate(self._blocks):
            present = Cat(enables_late[index + turn * config.width] for turn in range(repeats)).any()
            nonfinite = nonfinite | block.nonfinite & present
        m.d.sync += self.errors.nonfinite.eq(nonfinite)
