"""The engine that infers."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.adder import FloatAdder
from ..float.adder_tree import FloatAdderTree
from ..float.adder_tree_config import FloatAdderTreeConfig
from ..float.config import FloatConfig
from ..float.multiplier import FloatMultiplier
from ..layer.running_sums import RunningSums
from ..layer.running_sums_config import RunningSumsConfig
from ..pipeline import delay, delay_record
from ..replicated import replicated
from ..stream.buffer_config import StreamBufferConfig
from ..stream.pipeline import CreditBuffer
from .config import A3CConfig
from .forward_sequencer import ForwardSequencer
from .ports import (
    READ_LATENCY,
    activation_read,
    activation_write,
    inference_layout,
    parameter_read,
    result_layout,
    sign_write,
)

__all__ = ["ForwardEngine"]


class ForwardEngine(ConfiguredComponent):
    """Infers with an agent's parameters: all layers of its network, one after the other.

    ::

        parameters --> multipliers -> adder tree -> adder <--> RunningSums
        activations ------'                           |
                                                      +--> ReLU -> words of activations, their signs (shared layers)
                                                      '--> results (last layer)

    A sum begins with its bias, and the trees of blocks of ``width`` products are added in their order. Outputs of the
    shared layers with a negative sign become +0; a word of them is written when its last one is there, its other places
    +0, and a bit for each number that is not 0.

    Number format: ``config.arithmetic.format``; every product and every sum is rounded to nearest even.

    Latency: ``latency`` cycles from the last read of a job to its result. Throughput: a word of parameters a cycle; the
    cycles of a job are ``config.words``, those in which passes over few outputs are filled up, and those in which a
    layer waits for the first outputs of the one before (:func:`.cycles.forward_cycles`). The next job begins while the
    last outputs of one are still under way. Back-pressure: a job is begun while there is room for its result; two may
    wait.

    Parameters
    ----------
    config : A3CConfig

    Members
    -------
    jobs : In(stream of inference_layout)
        The observation is among the activations.
    parameters : Out(parameter_read)
    activations : Out(activation_read)
    new_activations : Out(activation_write)
    new_signs : Out(sign_write)
    results : Out(stream of result_layout)
        In the order of the jobs. All activations have been written by then.

    Source
    ------
    Ge et al., section 4.2.
    """

    def __init__(self, config: A3CConfig):
        super().__init__(
            config,
            {
                "jobs": In(stream.Signature(inference_layout(config))),
                "parameters": Out(parameter_read(config)),
                "activations": Out(activation_read(config)),
                "new_activations": Out(activation_write(config)),
                "new_signs": Out(sign_write(config)),
                "results": Out(stream.Signature(result_layout(config))),
            },
        )

    @property
    def _to_sum(self):
        """Cycles from words to their sum of products."""
        arithmetic = self._config.arithmetic
        return arithmetic.multiplier_depth + (self._config.width - 1).bit_length() * arithmetic.adder_depth

    @property
    def latency(self):
        """Cycles from the last read of a job to its result."""
        return READ_LATENCY + self._to_sum + self._config.arithmetic.adder_depth + 2

    def elaborate(self, platform):
        m = Module()
        m.submodules.sequencer = sequencer = ForwardSequencer(self._config)
        m.submodules.buffer = buffer = CreditBuffer(
            self.results.payload.shape(), StreamBufferConfig(depth=2, latency=1)
        )
        wiring.connect(m, wiring.flipped(self.jobs), sequencer.jobs)
        wiring.connect(m, buffer.o, wiring.flipped(self.results))
        m.d.comb += [sequencer.room.eq(buffer.room), buffer.reserve.eq(sequencer.begins)]
        for name in ("parameters", "activations"):
            wiring.connect(m, getattr(sequencer, name), wiring.flipped(getattr(self, name)))
        sums, step = self._accumulate(m, sequencer.step)
        self._give_result(m, buffer, sums, step)
        self._write_activations(m, sequencer, sums, step)
        return m

    def _accumulate(self, m, step):
        """The sum of this cycle, and the step that it belongs to."""
        config, arithmetic = self._config, self._config.arithmetic
        number_format, depth = arithmetic.format, arithmetic.adder_depth
        m.submodules.tree = tree = FloatAdderTree(
            FloatAdderTreeConfig(terms=config.width, format=number_format, depth=depth)
        )
        for index in range(config.width):
            multiplier = FloatMultiplier(FloatConfig(format=number_format, depth=arithmetic.multiplier_depth))
            m.submodules[f"multiplier_{index}"] = multiplier = replicated(multiplier)
            m.d.comb += [
                multiplier.a.eq(self.parameters.data[index]),
                multiplier.b.eq(self.activations.data[index]),
                tree.terms[index].eq(multiplier.result),
            ]
        # Biases of the outputs that come: a register that moves on costs less than to choose one of a word.
        biases = Signal(config.width * number_format.width, reset_less=True)
        with m.If(step.biases):
            m.d.sync += biases.eq(Value.cast(self.parameters.data))
        with m.Elif(step.valid):
            m.d.sync += biases.eq(biases >> number_format.width)
        bias = delay(m, biases[: number_format.width], self._to_sum, "bias")

        outputs = [layer.outputs for layer in config.layers]
        m.submodules.running = running = RunningSums(
            number_format.width,
            RunningSumsConfig(depth=max(2, *outputs), adder_depth=depth, interval=max(depth, min(outputs))),
        )
        m.submodules.adder = adder = FloatAdder(FloatConfig(format=number_format, depth=depth))
        reads = delay_record(m, step, self._to_sum - 1, "to_read")
        adds = delay_record(m, reads, 1, "to_add")
        writes = delay_record(m, adds, depth, "to_write")
        m.d.comb += [
            running.read.enable.eq(reads.valid & ~reads.first),
            running.read.address.eq(reads.output),
            adder.a.eq(Mux(adds.first, bias, running.read.data)),
            adder.b.eq(tree.result),
            adder.subtract.eq(0),
            running.write.enable.eq(writes.valid),
            running.write.address.eq(writes.output),
            running.write.data.eq(adder.result),
        ]
        return adder.result, writes

    def _give_result(self, m, buffer, sums, step):
        """Outputs of the last layer side by side."""
        result = Signal(self.results.payload.shape(), reset_less=True)
        m.d.sync += buffer.arrive.eq(step.valid & step.last & step.results & step.final)
        m.d.comb += buffer.value.eq(result)
        with m.If(step.valid & step.last & step.results):
            m.d.sync += [result.agent.eq(step.agent), result.slot.eq(step.slot)]
            for index in range(self._config.outputs):
                with m.If(step.output == index):
                    m.d.sync += result.outputs[index].eq(sums)

    def _write_activations(self, m, sequencer, sums, step):
        """Rectified outputs of the shared layers, in words."""
        config = self._config
        lane = Signal(range(max(config.width, 2)))
        group = Signal(range(max(layer.groups for layer in config.layers) + 1))
        rectified, complete, valid = Signal(sums.shape()), Signal(), Signal()
        m.d.comb += [
            valid.eq(step.valid & step.last & ~step.results),
            rectified.eq(Mux(sums[-1], 0, sums)),
            complete.eq(valid & (step.final | (lane == config.width - 1))),
            sequencer.row_written.eq(complete),
        ]
        word, bits = Signal(self.new_activations.data.shape(), reset_less=True), Signal(config.width, reset_less=True)
        m.d.sync += [self.new_activations.enable.eq(complete), self.new_signs.enable.eq(complete)]
        with m.If(valid):
            for index in range(config.width):
                with m.If(lane == index):
                    m.d.sync += [word[index].eq(rectified), bits[index].eq(rectified.any())]
                with m.Elif(lane == 0):
                    # The word that was here has been written.
                    m.d.sync += [word[index].eq(0), bits[index].eq(0)]
            m.d.sync += [
                lane.eq(lane + 1),
                self.new_activations.agent.eq(step.agent),
                self.new_activations.address.eq(step.target + group),
            ]
        with m.If(complete):
            m.d.sync += [lane.eq(0), group.eq(Mux(step.final, 0, group + 1))]
        m.d.comb += [
            self.new_activations.data.eq(word),
            self.new_signs.agent.eq(self.new_activations.agent),
            self.new_signs.address.eq(self.new_activations.address),
            self.new_signs.data.eq(bits),
        ]
