"""The aggregator: sums of the cores' partial results."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..float.adder import FloatAdder
from ..float.config import FloatConfig
from ..pipeline import delay
from ..replicated import replicated
from .aggregator_config import AggregatorConfig

__all__ = ["FEATURE_BITS", "Aggregator", "aggregator_command"]

FEATURE_BITS = 10


def aggregator_command(config):
    """Layout of a command: ``share`` features for each core in turn, ``features`` in all."""
    return data.StructLayout(
        {
            "source": config.address_bits,
            "target": config.address_bits,
            "features": FEATURE_BITS,
            "share": FEATURE_BITS,
            "blocks": range(config.blocks + 1),
        }
    )


class Aggregator(wiring.Component):
    """Adds what the cores have of each feature, and gives the sum to the core that owns it.

    For feature f from 0, and each of the first ``blocks`` blocks::

        target memory of core f div share [target + f mod share] = (p_0 + p_1) + p_2 + ...
        p_c = result memory of core c [source + f]

    Number format: that of the configuration; each addition rounds to nearest, ties to even. One core gives what it has.

    Latency: a word is written ``latency`` cycles after it is read. Throughput: ``ceil(blocks / width)`` cycles a
    feature. A command is taken when the one before it is written. No back-pressure.

    Parameters
    ----------
    config : AggregatorConfig

    Members
    -------
    commands : stream, in
        ``aggregator_command(config)``; without features it does nothing.
    completions : stream, out
        One for each command, when everything is written; ready must be 1.
    busy : Out(1)
    errors : Out
        ``nonfinite``: an infinity or NaN was written.
    read_enable, read_address : Out
        Of the result memories of all cores.
    words : In(blocks * block_bits).array(cores)
        In the next cycle.
    write_core : Out(range(cores))
    write_blocks : Out(blocks)
        One enable a block.
    write_address, write_word : Out

    Source
    ------
    LearningGroup, section III, figure 3.
    """

    def __init__(self, config: AggregatorConfig):
        self._config = config
        word = config.blocks * config.block_bits
        super().__init__(
            {
                "commands": In(stream.Signature(aggregator_command(config))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout({"nonfinite": 1})),
                "read_enable": Out(1),
                "read_address": Out(config.address_bits),
                "words": In(word).array(config.cores),
                "write_core": Out(range(max(config.cores, 2))),
                "write_blocks": Out(config.blocks),
                "write_address": Out(config.address_bits),
                "write_word": Out(word),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from the read of a word to the write of its sum."""
        return 3 + (self._config.cores - 1) * self._config.adder_depth

    def elaborate(self, platform):
        m = Module()
        config = self._config
        command = Signal(aggregator_command(config))
        feature, local = Signal(FEATURE_BITS), Signal(FEATURE_BITS)
        core = Signal(range(max(config.cores, 2)))
        group = Signal(range(max(config.blocks, 2)))
        active = Signal()
        last_group = Signal()
        m.d.comb += last_group.eq((group + 1) * config.width >= command.blocks)
        ending = Signal()
        m.d.comb += ending.eq(active & last_group & (feature + 1 == command.features))

        under_way = [active]
        for stage in range(self.latency):
            step = Signal(name=f"under_way_{stage}")
            m.d.sync += step.eq(under_way[-1])
            under_way.append(step)
        moving = Signal()
        m.d.comb += moving.eq(Cat(under_way[1:]).any())
        nothing = Signal()
        m.d.comb += [
            self.commands.ready.eq(~active & ~moving),
            self.busy.eq(active | moving),
            self.completions.valid.eq(nothing | delay(m, ending, self.latency, "ending")),
            self.read_enable.eq(active),
            self.read_address.eq(command.source + feature),
        ]
        m.d.sync += nothing.eq(self.commands.valid & self.commands.ready & (self.commands.payload.features == 0))
        with m.If(self.commands.valid & self.commands.ready):
            m.d.sync += [
                command.eq(self.commands.payload),
                active.eq(self.commands.payload.features != 0),
                feature.eq(0),
                local.eq(0),
                core.eq(0),
                group.eq(0),
            ]
        with m.If(active):
            m.d.sync += group.eq(group + 1)
            with m.If(last_group):
                m.d.sync += [group.eq(0), feature.eq(feature + 1), local.eq(local + 1)]
                with m.If(local + 1 == command.share):
                    m.d.sync += [local.eq(0), core.eq(core + 1)]
            with m.If(ending):
                m.d.sync += active.eq(0)

        total = self._sum(m, group)
        enables = Signal(config.blocks)
        m.d.comb += [
            enables[block].eq(active & (group == block // config.width) & (block < command.blocks))
            for block in range(config.blocks)
        ]
        steps = self.latency - 1
        late_enables = delay(m, enables, steps, "enables")
        fraction_bits, width = config.format.fraction_bits, config.format.width
        nonfinite = 0
        for index in range(config.width):
            numbers = [total.word_select(index * config.lanes + lane, width) for lane in range(config.lanes)]
            written = Cat(late_enables[index :: config.width]).any()
            nonfinite = nonfinite | written & Cat(number[fraction_bits:-1].all() for number in numbers).any()
        m.d.sync += [
            self.write_core.eq(delay(m, core, steps, "core")),
            self.write_blocks.eq(late_enables),
            self.write_address.eq(delay(m, (command.target + local)[: config.address_bits], steps, "address")),
            self.write_word.eq(total.replicate(config.blocks // config.width)),
            self.errors.nonfinite.eq(nonfinite),
        ]
        return m

    def _sum(self, m, group):
        """The sums of ``width`` blocks, ``latency - 1`` cycles after the read."""
        config = self._config
        bits = config.width * config.block_bits
        late_group = delay(m, group, 1, "group")
        partials = []
        for core, word in enumerate(self.words):
            partial = Signal(bits, name=f"partial_{core}", reset_less=True)
            m.d.sync += partial.eq(word.word_select(late_group, bits))
            partials.append(partial)
        total = partials[0]
        width = config.format.width
        for core, partial in enumerate(partials[1:], 1):
            operand = delay(m, partial, (core - 1) * config.adder_depth, f"partial_{core}")
            results = []
            for lane in range(config.width * config.lanes):
                adder = replicated(
                    FloatAdder(FloatConfig(format=config.format, depth=config.adder_depth)), name="float_adder"
                )
                m.submodules[f"adder_{core}_{lane}"] = adder
                m.d.comb += [
                    adder.a.eq(total.word_select(lane, width)),
                    adder.b.eq(operand.word_select(lane, width)),
                    adder.subtract.eq(0),
                ]
                results.append(adder.result)
            total = Signal(bits, name=f"total_{core}")
            m.d.comb += total.eq(Cat(results))
        return total
