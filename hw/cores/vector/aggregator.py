"""The aggregator: sums of the cores' partial results."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.adder import FloatAdder
from ..float.config import FloatConfig
from ..float.nonfinite import any_nonfinite
from ..memory.ports import ReadPort, WritePort
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


class Aggregator(ConfiguredComponent):
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
    reads : Out(ReadPort(word, source_rows)).array(cores)
        The result memory of each core; all are read at once.
    writes : Out(WritePort(word, target_rows, blocks)).array(cores)
        The target memory of each core, with an enable for each block.

    Source
    ------
    LearningGroup, section III, figure 3.
    """

    def __init__(self, config: AggregatorConfig):
        word = config.blocks * config.block_bits
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(aggregator_command(config))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout({"nonfinite": 1})),
                "reads": Out(ReadPort(word, config.source_rows)).array(config.cores),
                "writes": Out(WritePort(word, config.target_rows, config.blocks)).array(config.cores),
            },
        )

    @property
    def latency(self):
        """Cycles from the read of a word to the write of its sum."""
        return 3 + (self._config.cores - 1) * self._config.adder_depth

    def elaborate(self, platform):
        m = Module()
        config, offered = self._config, self.commands.payload
        command, active, ending, nothing = Signal(offered.shape()), Signal(), Signal(), Signal()
        place = Signal(
            data.StructLayout(
                {"core": range(max(config.cores, 2)), "local": FEATURE_BITS, "part": range(max(config.blocks, 2))}
            )
        )
        # A bit for each cycle from read to write: there is a word.
        moving, taken = Signal(self.latency), Signal()
        m.d.sync += [moving.eq(Cat(active, moving)), nothing.eq(taken & (offered.features == 0))]
        m.d.comb += [
            taken.eq(self.commands.valid & self.commands.ready),
            self.commands.ready.eq(~active & ~moving.any()),
            self.busy.eq(active | moving.any()),
            self.completions.valid.eq(nothing | delay(m, ending, self.latency, "ending", reset_less=False)),
        ]
        with m.If(ending):
            m.d.sync += active.eq(0)
        with m.If(taken):
            m.d.sync += [command.eq(offered), active.eq(offered.features != 0), place.eq(0)]
        self._walk(m, command, place, active, ending)
        self._write(m, command, place, active, self._sum(m, place.part))
        return m

    def _walk(self, m, command, place, active, ending):
        """Reads feature by feature, ``width`` blocks at a time; ``ending`` is set with the last one."""
        feature, last_part = Signal(FEATURE_BITS), Signal()
        m.d.comb += [
            last_part.eq((place.part + 1) * self._config.width >= command.blocks),
            ending.eq(active & last_part & (feature + 1 == command.features)),
        ]
        for read in self.reads:
            m.d.comb += [read.enable.eq(active), read.address.eq(command.source + feature)]
        with m.If(~active):
            m.d.sync += feature.eq(0)
        with m.Elif(~last_part):
            m.d.sync += place.part.eq(place.part + 1)
        with m.Else():
            m.d.sync += [place.part.eq(0), feature.eq(feature + 1), place.local.eq(place.local + 1)]
            with m.If(place.local + 1 == command.share):
                m.d.sync += [place.local.eq(0), place.core.eq(place.core + 1)]

    def _sum(self, m, part):
        """The sums of ``width`` blocks, ``latency - 1`` cycles after the read."""
        config = self._config
        bits, width = config.width * config.block_bits, config.format.width
        late_part = delay(m, part, 1, "part")
        partials = [Signal(bits, name=f"partial_{core}", reset_less=True) for core in range(config.cores)]
        for partial, read in zip(partials, self.reads, strict=True):
            m.d.sync += partial.eq(read.data.word_select(late_part, bits))
        total = partials[0]
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

    def _write(self, m, command, place, active, total):
        """Core, address and enables travel beside the sums, and meet them in the last register."""
        config = self._config
        order = Signal(data.StructLayout({"core": place.core.shape(), "address": config.address_bits}))
        enables = Signal(config.blocks)
        m.d.comb += [order.core.eq(place.core), order.address.eq(command.target + place.local)]
        for block in range(config.blocks):
            here = active & (place.part == block // config.width) & (block < command.blocks)
            m.d.comb += enables[block].eq(here)
        written = delay(m, order, self.latency, "order")
        # A reset drops writes that are on their way.
        late_enables = delay(m, enables, self.latency - 1, "enables", reset_less=False)
        written_enables = delay(m, late_enables, 1, "written_enables", reset_less=False)
        word = delay(m, total.replicate(config.blocks // config.width), 1, "word")
        for core, write in enumerate(self.writes):
            m.d.comb += [
                write.enable.eq(Mux(written.core == core, written_enables, 0)),
                write.address.eq(written.address),
                write.data.eq(word),
            ]
        numbers = [total.word_select(lane, config.format.width) for lane in range(config.width * config.lanes)]
        nonfinite = [
            Cat(late_enables[index :: config.width]).any()
            & any_nonfinite(config.format, numbers[index * config.lanes :][: config.lanes])
            for index in range(config.width)
        ]
        m.d.sync += self.errors.nonfinite.eq(Cat(nonfinite).any())
