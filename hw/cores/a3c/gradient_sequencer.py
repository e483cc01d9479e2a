"""The order in which the gradient unit goes over a rollout."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..pipeline import delay_record
from .config import READ_LATENCY, A3CConfig
from .layer_constants import choose_constant
from .ports import activation_read, agent_number, error_read, rollout_layout, row_address

__all__ = ["GradientSequencer", "gradient_places", "gradient_step_layout"]


def gradient_places(config: A3CConfig) -> int:
    """Sums of a pass: words of an output's weights, or of a layer's biases."""
    return max(max(layer.blocks, layer.groups) for layer in config.layers)


def gradient_step_layout(config: A3CConfig):
    """Layout of a step of the gradient engine: a word of activations, a word of errors, and their places.

    ``biases``: the word of errors alone. ``first`` and ``last`` step of the rollout; ``ends``: the last block, or
    group, of its layer; ``final``: the last words of the job. ``place`` is that of the sum, ``lanes`` that of the
    errors in their word, in numbers of ``gradient_engines``. ``address`` is that of the first engine's word, and
    ``more`` how many others have one.
    """
    return data.StructLayout(
        {
            "valid": 1,
            "biases": 1,
            "first": 1,
            "last": 1,
            "ends": 1,
            "final": 1,
            "layer": range(len(config.layers)),
            "place": range(gradient_places(config) + 1),
            "lanes": range(max(config.width // config.gradient_engines, 2)),
            "more": range(max(config.gradient_engines, 2)),
            "agent": agent_number(config.agents),
            "address": row_address(config.words),
        }
    )


class GradientSequencer(ConfiguredComponent):
    """Reads the activations and errors of a rollout, layer after layer: outputs in groups of ``gradient_engines``, for
    each group all steps, and in each all blocks; at last the biases, for all steps all groups of ``width`` outputs.

    A pass over blocks that are fewer than the stages of the adder is filled up with cycles in which nothing is read.

    Latency: ``1 + READ_LATENCY`` cycles from a job to the first ``step``, with the words that it belongs to.
    Throughput: a step a cycle. Back-pressure: a job is taken when all reads of the one before have been made; a last
    step, which makes words, waits for ``room``.

    Parameters
    ----------
    config : A3CConfig

    Members
    -------
    jobs : In(stream of rollout_layout)
    room : In(1)
        There is room for a word of each engine.
    makes_words : Out(1)
        It is taken.
    activations : Out(activation_read), without its data
    errors : Out(error_read), without its data
        The data of a pass over blocks stay for all of it.
    step : Out(gradient_step_layout)
    """

    def __init__(self, config: A3CConfig):
        super().__init__(
            config,
            {
                "jobs": In(stream.Signature(rollout_layout(config))),
                "room": In(1),
                "makes_words": Out(1),
                "activations": Out(activation_read(config)),
                "errors": Out(error_read(config)),
                "step": Out(gradient_step_layout(config)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config, layers, engines = self._config, self._config.layers, self._config.gradient_engines
        depth = config.arithmetic.adder_depth
        job, busy, fills = Signal.like(self.jobs.payload), Signal(), Signal()
        layer, biases = Signal(range(len(layers))), Signal()
        place = Signal(range(max(gradient_places(config), depth) + 1))
        of_step = Signal(range(config.steps + 1))
        # Groups of outputs: of a layer, and of a word.
        rows = Signal(range(max(-(-layer.outputs // engines) for layer in layers) + 1))
        lanes = Signal(range(max(config.width // engines, 2)))
        word, error_row = Signal(row_address(config.words)), Signal(range(config.error_rows + 1))
        # Where the rows of a step begin.
        errors_of_step = Signal(range(config.steps * config.error_rows + 1))
        activations_of_step = Signal(range(config.steps * config.activation_rows + 1))
        step = Signal(gradient_step_layout(config), name="reads")

        def constant(name, values):
            return choose_constant(m, layer, values, name)

        blocks = constant("blocks", [layer.blocks for layer in layers])
        groups = constant("groups", [layer.groups for layer in layers])
        last_layer, last_rows, pass_ends, sweep_ends, rows_end, layer_ends, job_ends = (
            Signal(name=name)
            for name in ("last_layer", "last_rows", "pass_ends", "sweep_ends", "rows_end", "layer_ends", "job_ends")
        )
        others = constant("others", [(layer.outputs - 1) % engines for layer in layers])
        input_row = constant("input_row", [layer.input_row for layer in layers])
        m.d.comb += [
            last_layer.eq(layer == len(layers) - 1),
            last_rows.eq(rows == constant("final_rows", [-(-layer.outputs // engines) - 1 for layer in layers])),
            step.valid.eq(busy & ~fills & (~step.last | self.room)),
            step.biases.eq(biases),
            step.first.eq(of_step == 0),
            step.last.eq(of_step == job.steps - 1),
            step.ends.eq(place + 1 == Mux(biases, groups, blocks)),
            step.final.eq(step.ends & biases & last_layer),
            step.layer.eq(layer),
            step.place.eq(place),
            step.lanes.eq(lanes),
            step.more.eq(Mux(biases, 0, Mux(last_rows, others, engines - 1))),
            step.agent.eq(job.agent),
            step.address.eq(word + place),
            self.makes_words.eq(step.valid & step.last),
            # No sum of a last step is wanted again.
            pass_ends.eq(Mux(fills, place == depth - 1, step.valid & step.ends & (step.last | (place >= depth - 1)))),
            sweep_ends.eq(pass_ends & step.last),
            rows_end.eq(sweep_ends & ~biases & last_rows),
            layer_ends.eq(sweep_ends & biases),
            job_ends.eq(layer_ends & last_layer),
            self.jobs.ready.eq(~busy | job_ends),
        ]
        with m.If(step.valid | fills):
            m.d.sync += place.eq(place + 1)
        with m.If(step.valid & step.ends):
            m.d.sync += fills.eq(~pass_ends)
        with m.If(pass_ends):
            m.d.sync += [
                fills.eq(0),
                place.eq(0),
                of_step.eq(of_step + 1),
                errors_of_step.eq(errors_of_step + config.error_rows),
                activations_of_step.eq(activations_of_step + config.activation_rows),
            ]
        with m.If(sweep_ends):
            m.d.sync += [of_step.eq(0), errors_of_step.eq(0), activations_of_step.eq(0), rows.eq(rows + 1)]
            m.d.sync += word.eq(word + constant("words_of_rows", [engines * layer.blocks for layer in layers]))
            m.d.sync += lanes.eq(Mux(lanes == config.width // engines - 1, 0, lanes + 1))
            with m.If(lanes == config.width // engines - 1):
                m.d.sync += error_row.eq(error_row + 1)
        with m.If(rows_end):
            m.d.sync += [
                biases.eq(1),
                word.eq(constant("bias_word", [layer.first_bias_word for layer in layers])),
                error_row.eq(constant("output_row", [layer.output_row for layer in layers])),
            ]
        with m.If(layer_ends):
            # Rows of errors and words of a layer lie after those of the one before.
            m.d.sync += [biases.eq(0), rows.eq(0), lanes.eq(0), layer.eq(layer + 1)]
            m.d.sync += [word.eq(word + groups), error_row.eq(error_row + groups)]
        with m.If(job_ends):
            m.d.sync += busy.eq(0)
        with m.If(self.jobs.valid & self.jobs.ready):
            m.d.sync += [busy.eq(1), job.eq(self.jobs.payload), layer.eq(0), word.eq(0), error_row.eq(0)]
        self._read(m, step, activations_of_step + input_row + place, errors_of_step + error_row)
        return m

    def _read(self, m, step, activation_row, error_row):
        """Reads of this step, in the next cycle."""
        m.d.sync += [
            self.activations.enable.eq(step.valid & ~step.biases),
            self.activations.agent.eq(step.agent),
            self.activations.address.eq(activation_row),
            self.errors.enable.eq(step.valid & (step.biases | (step.place == 0))),
            self.errors.agent.eq(step.agent),
            self.errors.address.eq(error_row + Mux(step.biases, step.place, 0)),
        ]
        m.d.comb += self.step.eq(delay_record(m, step, 1 + READ_LATENCY, "step"))
