"""The gradient stage of a layer."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..checks import require_integer
from ..component import ConfiguredComponent
from ..memory.arbiter import ReadArbiter
from ..memory.config import ArbiterConfig, MemoryConfig
from ..memory.memory import Memory
from ..pipeline import delay_record
from ..replicated import replicated
from .config import BATCH_WIDTH, LARGEST_SAMPLES, LayerConfig
from .multiply_accumulate import MultiplyAccumulate
from .ports import next_set, word_layout, word_read
from .running_sums import RunningSums
from .running_sums_config import RunningSumsConfig
from .word_collector import WordCollector

__all__ = ["GradientStage"]


class GradientStage(ConfiguredComponent):
    """Adds up the gradient of a layer's weights over the samples of a batch, and keeps it.

    ::

        gradient[row, output] = sum over samples of x[row] * d[output],    x of the last row, the bias, being 1

    Inputs of a layer come long before the errors at its sums: those of ``samples`` samples wait. With each word of
    errors the stage passes over all rows. The first sample of a batch starts the sums, so nothing has to be cleared.

    ::

        inputs -> Memory of samples -> operand or 1 -.
                                                     +-> multiply -> add -> RunningSums -> gradients
        errors -> WordCollector -> operands ---------'                ^         |
                                                                      `---------'

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
        Samples whose inputs can wait, the one that is worked on included (2 to 256).

    Members
    -------
    inputs : In(stream of width)
        Input 0 of a sample, then 1, and so on.
    errors : In(stream of width)
        At output 0 of a sample, then 1, and so on.
    batch : In(16)
        Samples of a batch, of each set of parameters, at least 1; constant while one is under way.
    done : Out(1)
        All words of a batch have been written.
    gradients : In(word_read)
        Row after row, set after set; read between ``done`` and the next sample.

    Raises
    ------
    TypeError, ValueError
        ``samples`` is no integer, or out of its range.

    Source
    ------
    Meng's dissertation, section 4.4.2.2 and figure 4.6.
    """

    def __init__(self, config: LayerConfig, samples: int = 4):
        require_integer("Samples", samples, 2, LARGEST_SAMPLES)
        self._samples = samples
        width = config.arithmetic.format.width
        super().__init__(
            config,
            {
                "inputs": In(stream.Signature(width)),
                "errors": In(stream.Signature(width)),
                "batch": In(BATCH_WIDTH),
                "done": Out(1),
                "gradients": In(word_read(config)),
            },
        )

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
        wiring.connect(m, wiring.flipped(self.errors), collector.elements)
        m.submodules.inputs_memory = memory = Memory(
            config.arithmetic.format.width, MemoryConfig(depth=self._samples * config.inputs)
        )
        left = Signal()
        waits = self._keep_inputs(m, memory.write, left)
        tag, operand = self._pass(m, collector.words, waits, memory.reads[0], left)
        self._accumulate(m, collector.words.payload, operand, tag)
        return m

    def _after(self, sample):
        """The place of the next sample's inputs."""
        return Mux(sample == self._samples - 1, 0, sample + 1)

    def _keep_inputs(self, m, writer, left):
        """Inputs into the memory, until their sample has ``left``; whether those of a sample are complete."""
        config, samples = self._config, self._samples
        sample, index = Signal(range(samples)), Signal(range(max(config.inputs, 2)))
        complete, taken, last = Signal(range(samples + 1)), Signal(), Signal()
        m.d.comb += [
            self.inputs.ready.eq(complete != samples),
            taken.eq(self.inputs.valid & self.inputs.ready),
            last.eq(index == config.inputs - 1),
            writer.enable.eq(taken),
            writer.address.eq(sample * config.inputs + index),
            writer.data.eq(self.inputs.payload),
        ]
        m.d.sync += complete.eq(complete + (taken & last) - left)
        with m.If(taken):
            m.d.sync += index.eq(index + 1)
            with m.If(last):
                m.d.sync += [index.eq(0), sample.eq(self._after(sample))]
        return complete != 0

    def _pass(self, m, words, waits, reader, left):
        """Goes over all rows with each word; returns what belongs to the input that is read, and that input."""
        config = self._config
        length = config.gradient_pass_cycles
        row, group = Signal(range(length)), Signal(range(max(config.groups, 2)))
        address, base = Signal(range(config.words)), Signal(range(config.words))
        sample, place = Signal(BATCH_WIDTH), Signal(range(self._samples))
        # The batch is constant long before a pass begins, so the difference is not on the way to each pass.
        last_place = Signal(BATCH_WIDTH)
        m.d.sync += last_place.eq(self.batch - 1)
        moves, reads, last_row, last_group, last_set, last_sample = (
            Signal(name=name) for name in ("moves", "reads", "last_row", "last_group", "last_set", "last_sample")
        )
        m.d.comb += [
            moves.eq(words.valid & waits),
            # Passes are so long together that the next sample finds its sums.
            reads.eq(moves & (row < config.rows)),
            last_row.eq(row == length - 1),
            last_group.eq(group == config.groups - 1),
            last_set.eq(base == config.words - config.set_words),
            last_sample.eq(sample == last_place),
            words.ready.eq(moves & last_row),
            left.eq(moves & last_row & last_group),
            reader.enable.eq(reads),
            reader.address.eq(place * config.inputs + row),
        ]
        with m.If(moves):
            m.d.sync += [row.eq(row + 1), address.eq(address + config.groups)]
            with m.If(last_row):
                m.d.sync += [row.eq(0), group.eq(group + 1), address.eq(base + group + 1)]
            with m.If(left):
                following = next_set(config, base)
                m.d.sync += [group.eq(0), address.eq(following), base.eq(following), place.eq(self._after(place))]
                with m.If(last_set):
                    m.d.sync += sample.eq(Mux(last_sample, 0, sample + 1))
        tag = Signal(
            data.StructLayout({"valid": 1, "first": 1, "last": 1, "last_group": 1, "address": range(config.words)})
        )
        m.d.sync += [
            tag.valid.eq(reads),
            tag.first.eq(sample == 0),
            tag.last.eq(last_sample & last_set & last_group & (row == config.rows - 1)),
            tag.last_group.eq(last_group),
            tag.address.eq(address),
        ]
        bias, operand = Signal(), Signal(config.arithmetic.format.width)
        m.d.sync += bias.eq(row == config.inputs)
        m.d.comb += operand.eq(Mux(bias, config.arithmetic.format.one, reader.data))
        return tag, operand

    def _accumulate(self, m, errors, operand, tag):
        """Products to the words of the gradient."""
        config, arithmetic = self._config, self._config.arithmetic
        reads = delay_record(m, tag, arithmetic.multiplier_depth - 1, "to_read")
        adds = delay_record(m, reads, 1, "to_add")
        writes = delay_record(m, adds, arithmetic.adder_depth, "to_write")
        m.submodules.sums = sums = RunningSums(
            word_layout(config),
            RunningSumsConfig(
                depth=config.words,
                adder_depth=arithmetic.adder_depth,
                interval=config.parameter_sets * config.groups * config.gradient_pass_cycles,
            ),
        )
        m.submodules.arbiter = arbiter = ReadArbiter(word_layout(config), ArbiterConfig(depth=config.words, users=2))
        outside, own = arbiter.users
        wiring.connect(m, wiring.flipped(self.gradients), outside)
        wiring.connect(m, arbiter.port, sums.read)
        m.d.comb += [
            own.enable.eq(reads.valid),
            own.address.eq(reads.address),
            sums.write.enable.eq(writes.valid),
            sums.write.address.eq(writes.address),
        ]
        m.d.sync += self.done.eq(writes.valid & writes.last)
        last_lanes = config.outputs - (config.groups - 1) * config.units
        for index in range(config.units):
            error = Signal(arithmetic.format.width, name=f"error_{index}", reset_less=True)
            m.d.sync += error.eq(errors[index])
            m.submodules[f"unit_{index}"] = unit = replicated(MultiplyAccumulate(arithmetic))
            m.d.comb += [
                unit.a.eq(operand),
                unit.b.eq(error),
                unit.accumulator_in.eq(own.data[index]),
                unit.clear.eq(adds.first),
                sums.write.data[index].eq(
                    Mux(writes.last_group, 0, unit.result) if index >= last_lanes else unit.result
                ),
            ]
