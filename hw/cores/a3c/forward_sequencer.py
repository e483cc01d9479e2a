"""The order in which a forward engine goes over an agent's network."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..pipeline import delay_record
from .config import A3CConfig
from .layer_constants import choose_constant
from .ports import READ_LATENCY, activation_read, agent_number, inference_layout, parameter_read

__all__ = ["ForwardSequencer", "forward_step_layout"]


def forward_step_layout(config: A3CConfig):
    """Layout of a step of the forward engine, which accompanies the words of a cycle.

    ``valid``: a word of weights and its inputs; ``biases``: a word of biases instead. ``first`` and ``last`` block of a
    layer; ``final``: its last output; ``results``: it is the last layer. ``target`` is the row of activations where its
    outputs begin.
    """
    return data.StructLayout(
        {
            "valid": 1,
            "biases": 1,
            "first": 1,
            "last": 1,
            "final": 1,
            "results": 1,
            "output": range(max(layer.outputs for layer in config.layers) + 1),
            "target": range(config.slots * config.activation_rows),
            "agent": agent_number(config.agents),
            "slot": range(config.slots),
        }
    )


class ForwardSequencer(ConfiguredComponent):
    """Reads an agent's parameters and activations, a word a cycle: block after block of a layer, in each all outputs.

    A word of biases is read once every ``width`` outputs of a layer's first block. A pass over outputs that are fewer
    than the stages of the adder is filled up with cycles in which nothing is read, so that a sum is there when it is
    wanted again. A row of inputs is waited for until it has been written.

    Latency: ``1 + READ_LATENCY`` cycles from a job to the first ``step``, with the words that it belongs to.
    Throughput: a word a cycle. Back-pressure: a job is taken when all reads of the one before have been made, while
    there is ``room``.

    Parameters
    ----------
    config : A3CConfig

    Members
    -------
    jobs : In(stream of inference_layout)
    room : In(1)
        A job may begin.
    begins : Out(1)
        One does.
    row_written : In(1)
        A row of activations is written in the next cycle.
    parameters : Out(parameter_read), without its data
    activations : Out(activation_read), without its data
    step : Out(forward_step_layout)
    """

    def __init__(self, config: A3CConfig):
        super().__init__(
            config,
            {
                "jobs": In(stream.Signature(inference_layout(config))),
                "room": In(1),
                "begins": Out(1),
                "row_written": In(1),
                "parameters": Out(parameter_read(config)),
                "activations": Out(activation_read(config)),
                "step": Out(forward_step_layout(config)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config, layers = self._config, self._config.layers
        layer = Signal(range(len(layers)))
        busy, has_biases, job = Signal(), Signal(), Signal.like(self.jobs.payload)
        block = Signal(range(max(layer.blocks for layer in layers) + 1))
        output = Signal(range(max(config.arithmetic.adder_depth, *(layer.outputs for layer in layers)) + 1))
        lane = Signal(range(max(config.width, 2)))
        word, bias_word = Signal.like(self.parameters.address), Signal.like(self.parameters.address)
        base = Signal(range(config.slots * config.activation_rows))
        row = Signal(range(config.activation_rows + 1))
        available = Signal.like(row)
        step = Signal(forward_step_layout(config), name="reads")

        def constant(name, values):
            return choose_constant(m, layer, values, name)

        depth = config.arithmetic.adder_depth
        last_output = constant("last_output", [layer.outputs - 1 for layer in layers])
        last_place = constant("last_place", [max(layer.outputs, depth) - 1 for layer in layers])
        blocks = constant("blocks", [layer.blocks for layer in layers])
        following = [*layers[1:], layers[0]]
        next_word = constant("next_word", [layer.first_word for layer in following])
        next_bias_word = constant("next_bias_word", [layer.first_bias_word for layer in following])
        first_word = constant("first_word", [layer.first_word for layer in layers])

        first_block, last_block, last_layer, there, pass_ends, job_ends, moves = (
            Signal(name=name)
            for name in ("first_block", "last_block", "last_layer", "there", "pass_ends", "job_ends", "moves")
        )
        m.d.comb += [
            first_block.eq(block == 0),
            last_block.eq(block + 1 == blocks),
            last_layer.eq(layer == len(layers) - 1),
            there.eq(output <= last_output),
            step.biases.eq(busy & first_block & (lane == 0) & there & ~has_biases),
            step.valid.eq(busy & there & ~step.biases & ((output != 0) | (row < available))),
            moves.eq(step.valid | (busy & ~there)),
            # No sum of a last block is wanted again.
            pass_ends.eq(moves & (output == Mux(last_block, last_output, last_place))),
            job_ends.eq(pass_ends & last_block & last_layer),
            step.first.eq(first_block),
            step.last.eq(last_block),
            step.final.eq(output == last_output),
            step.results.eq(last_layer),
            step.output.eq(output),
            step.target.eq(base + constant("next_row", [layer.input_row for layer in following])),
            step.agent.eq(job.agent),
            step.slot.eq(job.slot),
            self.jobs.ready.eq((~busy | job_ends) & self.room),
            self.begins.eq(self.jobs.valid & self.jobs.ready),
        ]
        m.d.sync += available.eq(available + self.row_written)
        with m.If(step.biases):
            m.d.sync += [has_biases.eq(1), bias_word.eq(bias_word + 1)]
        with m.If(moves):
            m.d.sync += [
                has_biases.eq(0),
                output.eq(output + 1),
                lane.eq(Mux(lane == config.width - 1, 0, lane + 1)),
                word.eq(word + blocks),
            ]
        with m.If(pass_ends):
            # The rows of a layer lie after those of the one before.
            m.d.sync += [
                output.eq(0),
                lane.eq(0),
                block.eq(block + 1),
                row.eq(row + 1),
                word.eq(first_word + block + 1),
            ]
            with m.If(last_block):
                m.d.sync += [block.eq(0), layer.eq(layer + 1), word.eq(next_word), bias_word.eq(next_bias_word)]
        with m.If(job_ends):
            m.d.sync += busy.eq(0)
        with m.If(self.begins):
            # Whatever the job before wrote it has read, so nothing of it is on its way.
            m.d.sync += [
                busy.eq(1),
                layer.eq(0),
                row.eq(0),
                word.eq(layers[0].first_word),
                bias_word.eq(layers[0].first_bias_word),
                available.eq(layers[1].input_row),
                base.eq(self.jobs.payload.slot * config.activation_rows),
                job.eq(self.jobs.payload),
            ]
        self._read(m, step, Mux(step.biases, bias_word, word), base + row, step.valid & (output == 0))
        return m

    def _read(self, m, step, word, row, reads_row):
        """Reads of this step, in the next cycle."""
        m.d.sync += [
            self.parameters.enable.eq(step.valid | step.biases),
            self.parameters.agent.eq(step.agent),
            self.parameters.address.eq(word),
            self.activations.enable.eq(reads_row),
            self.activations.agent.eq(step.agent),
            self.activations.address.eq(row),
        ]
        m.d.comb += self.step.eq(delay_record(m, step, 1 + READ_LATENCY, "step"))
