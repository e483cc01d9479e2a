"""The sums of a layer's forward stage."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..pipeline import delay_record
from ..replicated import replicated
from .config import LayerConfig
from .multiply_accumulate import MultiplyAccumulate
from .ports import word_layout, word_read
from .running_sums import RunningSums
from .running_sums_config import RunningSumsConfig

__all__ = ["ForwardSums", "partial_sums_layout"]


def partial_sums_layout(config: LayerConfig):
    """A word of sums: which partial sum and group it is, and whether it is the last of its sample."""
    return data.StructLayout(
        {
            "valid": 1,
            "last": 1,
            "place": range(max(config.partial_sums, 2)),
            "group": range(max(config.groups, 2)),
            "word": word_layout(config),
        }
    )


class ForwardSums(ConfiguredComponent):
    """Multiplies each input by all words of its row, and adds the products to the sums of all outputs.

    Row i goes to partial sum ``i % config.partial_sums``; every sum starts with its first product. Each word of sums
    that is formed comes out: the last one of a partial sum and group is the complete one.

    ::

        inputs --> operand ---------.
                                    +-> multiply -> add -> RunningSums, sums
        weights -> word ------------'               ^          |
                                                    `----------'

    Number format: ``config.arithmetic.format``; every product and every sum is rounded to nearest even.

    Latency: ``latency`` cycles from an input that is taken to the sums of its last word. Throughput: a word of weights
    a cycle. Back-pressure: a sample is begun while there is ``room``, and its inputs are waited for.

    Parameters
    ----------
    config : LayerConfig

    Members
    -------
    inputs : In(stream of width)
        Input 0 of a sample, then 1, and so on.
    weights : Out(word_read)
        Row after row, the biases last; set after set.
    room : In(1)
        A sample may begin.
    begins : Out(1)
        One does.
    sums : Out(partial_sums_layout)
    """

    def __init__(self, config: LayerConfig):
        super().__init__(
            config,
            {
                "inputs": In(stream.Signature(config.arithmetic.format.width)),
                "weights": Out(word_read(config)),
                "room": In(1),
                "begins": Out(1),
                "sums": Out(partial_sums_layout(config)),
            },
        )

    @property
    def latency(self):
        """Cycles from the read of a word of weights to its sums."""
        return 1 + self._config.arithmetic.multiplier_depth + self._config.arithmetic.adder_depth

    def elaborate(self, platform):
        m = Module()
        arithmetic = self._config.arithmetic
        tag, operand = self._walk(m)
        reads = delay_record(m, tag, arithmetic.multiplier_depth - 1, "to_read")
        adds = delay_record(m, reads, 1, "to_add")
        writes = delay_record(m, adds, arithmetic.adder_depth, "to_write")
        self._accumulate(m, operand, reads, adds, writes)
        return m

    def _walk(self, m):
        """Goes over the words of a sample; returns what belongs to the word of weights that comes, and its operand."""
        config = self._config
        row, group, place = (
            Signal(range(config.rows)),
            Signal(range(max(config.groups, 2))),
            Signal(range(max(config.partial_sums, 2))),
        )
        moves, last_group, first, last, bias = (
            Signal(name=name) for name in ("moves", "last_group", "first", "last", "bias")
        )
        address = Signal.like(self.weights.address)
        m.d.comb += [
            first.eq((row == 0) & (group == 0)),
            last_group.eq(group == config.groups - 1),
            last.eq(last_group & (row == config.rows - 1)),
            bias.eq(row == config.inputs),
            moves.eq((self.inputs.valid | bias) & (self.room | ~first)),
            self.begins.eq(moves & first),
            self.inputs.ready.eq(moves & last_group & ~bias),
            self.weights.enable.eq(moves),
            self.weights.address.eq(address),
        ]
        with m.If(moves):
            # On to the next set of parameters after the last word of one.
            m.d.sync += [address.eq(Mux(address == config.words - 1, 0, address + 1)), group.eq(group + 1)]
            with m.If(last_group):
                m.d.sync += [
                    group.eq(0),
                    row.eq(row + 1),
                    place.eq(Mux(place == config.partial_sums - 1, 0, place + 1)),
                ]
            with m.If(last):
                m.d.sync += [row.eq(0), place.eq(0)]
        tag = Signal(
            data.StructLayout({"valid": 1, "first": 1, "last": 1, "group": group.shape(), "place": place.shape()})
        )
        operand = Signal(self.inputs.payload.shape(), reset_less=True)
        m.d.sync += [
            operand.eq(Mux(bias, config.arithmetic.format.one, self.inputs.payload)),
            tag.valid.eq(moves),
            tag.first.eq(row < config.partial_sums),
            tag.last.eq(last),
            tag.group.eq(group),
            tag.place.eq(place),
        ]
        return tag, operand

    def _accumulate(self, m, operand, reads, adds, writes):
        """Products to their sums."""
        config = self._config
        m.submodules.running = running = RunningSums(
            word_layout(config),
            RunningSumsConfig(
                depth=max(2, config.groups * config.partial_sums),
                adder_depth=config.arithmetic.adder_depth,
                interval=max(config.groups * config.partial_sums, config.arithmetic.adder_depth),
            ),
        )
        m.d.comb += [
            running.read.enable.eq(reads.valid),
            running.read.address.eq(reads.place * config.groups + reads.group),
            running.write.enable.eq(writes.valid),
            running.write.address.eq(writes.place * config.groups + writes.group),
            running.write.data.eq(self.sums.word),
        ]
        for index in range(config.units):
            m.submodules[f"unit_{index}"] = unit = replicated(MultiplyAccumulate(config.arithmetic))
            m.d.comb += [
                unit.a.eq(self.weights.data[index]),
                unit.b.eq(operand),
                unit.accumulator_in.eq(running.read.data[index]),
                unit.clear.eq(adds.first),
                self.sums.word[index].eq(unit.result),
            ]
        m.d.comb += [getattr(self.sums, name).eq(writes[name]) for name in ("valid", "last", "place", "group")]
