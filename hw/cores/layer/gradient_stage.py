"""The gradient stage of a layer."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..checks import require_integer
from ..pipeline import delay
from ..replicated import replicated
from .config import BATCH_WIDTH, LARGEST_WAITING, LayerConfig
from .multiply_accumulate import MultiplyAccumulate
from .word_collector import WordCollector

__all__ = ["GradientStage"]


class GradientStage(wiring.Component):
    """Adds up the gradient of a layer's weights over the samples of a batch, and keeps it.

    ::

        gradient[row, output] = sum over samples of x[row] * d[output],    x of the last row, the bias, being 1

    Inputs of a layer come long before the errors at its sums: those of ``samples`` samples wait. With each word of
    errors the stage passes over all rows. The first sample of a batch starts the sums, so nothing has to be cleared.

    Number format: ``config.arithmetic.format``; every product and every sum is rounded to nearest even, and a sum
    starts with its first product. Lanes of the last group that are no outputs have +0.

    Latency: ``latency`` cycles from the last error of a sample's first word to ``done``, if the sample is the last one
    and errors are there when they are wanted. Throughput: a sample in ``config.gradient_cycles`` cycles. Back-pressure:
    inputs are taken while there is room for them; a pass begins when its word of errors and the sample's inputs are
    there.

    Parameters
    ----------
    config : LayerConfig
    samples : int
        Samples whose inputs can wait, the one that is worked on included (2 to 64).

    Members
    -------
    inputs : In(stream of width)
        Input 0 of a sample, then 1, and so on.
    errors : In(stream of width)
        At output 0 of a sample, then 1, and so on.
    batch : In(16)
        Samples of a batch, at least 1; constant while one is under way.
    done : Out(1)
        All words of a batch have been written.
    read_enable : In(1)
    read_address : In(range(words))
        Of the gradient: row after row; between ``done`` and the next sample.
    word : Out(width).array(units)
        In the next cycle.

    Raises
    ------
    TypeError, ValueError
        ``samples`` is no integer, or out of its range.

    Source
    ------
    Meng's dissertation, section 4.4.2.2 and figure 4.6.
    """

    def __init__(self, config: LayerConfig, samples: int = 4):
        require_integer("Samples", samples, 2, LARGEST_WAITING)
        self._config, self._samples = config, samples
        width = config.arithmetic.format.width
        super().__init__(
            {
                "inputs": In(stream.Signature(width)),
                "errors": In(stream.Signature(width)),
                "batch": In(BATCH_WIDTH),
                "done": Out(1),
                "read_enable": In(1),
                "read_address": In(range(config.words)),
                "word": Out(width).array(config.units),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def samples(self):
        """Samples whose inputs can wait."""
        return self._samples

    @property
    def latency(self):
        """Cycles from the transfer of the last error of the first word to ``done``."""
        config, arithmetic = self._config, self._config.arithmetic
        last = config.gradient_pass_cycles * (config.groups - 1) + config.rows
        return 2 + last + arithmetic.multiplier_depth + arithmetic.adder_depth + 1

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.collector = collector = WordCollector(config)
        m.d.comb += [
            collector.numbers.payload.eq(self.errors.payload),
            collector.numbers.valid.eq(self.errors.valid),
            self.errors.ready.eq(collector.numbers.ready),
        ]
        left, slot_read, row, turn = Signal(), Signal(range(self._samples)), Signal(range(config.rows)), Signal()
        waits, operand = self._keep_inputs(m, left, slot_read, row, turn)
        tag = self._pass(m, collector.words, waits, left, slot_read, row, turn)
        self._accumulate(m, collector.words.payload, operand, tag)
        return m

    def _keep_inputs(self, m, left, slot_read, row, turn):
        """Inputs into the memory; returns whether a sample is complete, and what is read of it."""
        config, samples = self._config, self._samples
        width = config.arithmetic.format.width
        m.submodules.inputs_memory = memory = Memory(shape=width, depth=samples * config.inputs, init=[])
        writer, reader = memory.write_port(), memory.read_port()
        slot, index = Signal(range(samples)), Signal(range(max(config.inputs, 2)))
        complete, taken, last = Signal(range(samples + 1)), Signal(), Signal()
        m.d.comb += [
            self.inputs.ready.eq(complete != samples),
            taken.eq(self.inputs.valid & self.inputs.ready),
            last.eq(index == config.inputs - 1),
            writer.en.eq(taken),
            writer.addr.eq(slot * config.inputs + index),
            writer.data.eq(self.inputs.payload),
            reader.en.eq(turn),
            reader.addr.eq(slot_read * config.inputs + row),
        ]
        m.d.sync += complete.eq(complete + (taken & last) - left)
        with m.If(taken):
            m.d.sync += index.eq(index + 1)
            with m.If(last):
                m.d.sync += [index.eq(0), slot.eq(Mux(slot == samples - 1, 0, slot + 1))]
        bias = Signal()
        m.d.sync += bias.eq(row == config.inputs)
        operand = Signal(width)
        m.d.comb += operand.eq(Mux(bias, config.arithmetic.format.one, reader.data))
        return complete != 0, operand

    def _pass(self, m, words, waits, left, slot, row, turn):
        """Goes over all rows with each word; returns what belongs to the input that is read."""
        config = self._config
        length = config.gradient_pass_cycles
        cycle, group = Signal(range(length)), Signal(range(max(config.groups, 2)))
        address, sample = Signal(range(config.words)), Signal(BATCH_WIDTH)
        moves, last_cycle, last_group, last_sample = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            row.eq(cycle),
            moves.eq(words.valid & waits),
            # Passes are so long together that the next sample finds its sums.
            turn.eq(moves & (cycle < config.rows)),
            last_cycle.eq(cycle == length - 1),
            last_group.eq(group == config.groups - 1),
            last_sample.eq(sample == self.batch - 1),
            words.ready.eq(moves & last_cycle),
            left.eq(moves & last_cycle & last_group),
        ]
        with m.If(moves):
            m.d.sync += [cycle.eq(cycle + 1), address.eq(address + config.groups)]
            with m.If(last_cycle):
                m.d.sync += [cycle.eq(0), group.eq(group + 1), address.eq(group + 1)]
            with m.If(left):
                m.d.sync += [
                    group.eq(0),
                    address.eq(0),
                    slot.eq(Mux(slot == self._samples - 1, 0, slot + 1)),
                    sample.eq(Mux(last_sample, 0, sample + 1)),
                ]
        tag = Signal(
            data.StructLayout({"valid": 1, "first": 1, "last": 1, "last_group": 1, "address": range(config.words)}),
            name="tag",
        )
        m.d.sync += [
            tag.valid.eq(turn),
            tag.first.eq(sample == 0),
            tag.last.eq(last_sample & last_group & (cycle == config.inputs)),
            tag.last_group.eq(last_group),
            tag.address.eq(address),
        ]
        return tag

    def _accumulate(self, m, errors, operand, tag):
        """Products to the words of the gradient."""
        config, arithmetic = self._config, self._config.arithmetic
        width = arithmetic.format.width
        reads = delay(m, tag.as_value(), arithmetic.multiplier_depth - 1, "to_read", reset_less=False)
        adds = delay(m, reads, 1, "to_add", reset_less=False)
        writes = delay(m, adds, arithmetic.adder_depth, "to_write", reset_less=False)
        reads, adds, writes = (data.View(tag.shape(), bits) for bits in (reads, adds, writes))
        shape = data.ArrayLayout(width, config.units)
        m.submodules.gradient = gradient = Memory(shape=shape, depth=config.words, init=[])
        writer = gradient.write_port()
        reader = gradient.read_port(transparent_for=(writer,))
        again = Signal()
        m.d.comb += [
            again.eq(writes.valid & (writes.address == adds.address)),
            reader.en.eq(reads.valid | self.read_enable),
            reader.addr.eq(Mux(self.read_enable, self.read_address, reads.address)),
            writer.en.eq(writes.valid),
            writer.addr.eq(writes.address),
        ]
        m.d.sync += self.done.eq(writes.valid & writes.last)
        last_lanes = config.outputs - (config.groups - 1) * config.units
        for index in range(config.units):
            error = Signal(width, name=f"error_{index}", reset_less=True)
            m.d.sync += error.eq(errors[index])
            m.submodules[f"unit_{index}"] = unit = replicated(MultiplyAccumulate(arithmetic))
            m.d.comb += [
                unit.a.eq(operand),
                unit.b.eq(error),
                unit.kept.eq(reader.data[index]),
                unit.first.eq(adds.first),
                unit.again.eq(again),
                writer.data[index].eq(Mux(writes.last_group, 0, unit.result) if index >= last_lanes else unit.result),
                self.word[index].eq(reader.data[index]),
            ]
