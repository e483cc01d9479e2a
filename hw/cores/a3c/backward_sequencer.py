"""The order in which a backward engine goes over an agent's network."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..pipeline import delay, delay_record
from .config import READ_LATENCY, A3CConfig
from .layer_constants import choose_constant
from .ports import agent_number, error_read, parameter_read, rollout_layout

__all__ = ["BackwardSequencer", "backward_places", "backward_step_layout"]


def backward_places(config: A3CConfig) -> int:
    """Sums of a layer's pass."""
    return config.steps * max(layer.blocks for layer in config.layers[1:])


def backward_step_layout(config: A3CConfig):
    """Layout of a step of the backward engine: a word of weights, an error, and their places.

    ``first`` and ``last`` output of the layer; ``final``: its last sum, in the last layer of all; ``wanted``: there is
    a layer before it that takes its sums as errors. ``lane`` is the output's number in its word, ``place`` that of the
    sum. ``signs`` and ``target`` are rows of the sum's signs and of the errors that it becomes.
    """
    return data.StructLayout(
        {
            "valid": 1,
            "first": 1,
            "last": 1,
            "final": 1,
            "wanted": 1,
            "lane": range(max(config.width, 2)),
            "place": range(backward_places(config) + 1),
            "agent": agent_number(config.agents),
            "steps": range(config.steps + 1),
            "signs": range(config.slots * config.activation_rows),
            "target": range(config.steps * config.error_rows),
        }
    )


class BackwardSequencer(ConfiguredComponent):
    """Reads an agent's weights and errors, layers from the last to the second: output after output, in each all
    blocks, in each all steps.

    A word of weights is read for its first step, an error's word for each. A pass over blocks and steps that are fewer
    than the stages of the adder is filled up with cycles in which nothing is read. A layer waits for a word of errors
    of all steps until it has been written.

    Latency: ``2 + READ_LATENCY`` cycles from a job to the first ``step``, with the words of weights that it belongs to;
    words of errors are there a cycle before. Throughput: a step a cycle. Back-pressure: a job is taken when all reads
    of the one before have been made, while there is ``room``.

    Parameters
    ----------
    config : A3CConfig

    Members
    -------
    jobs : In(stream of rollout_layout)
    room : In(1)
        A job may begin.
    begins : Out(1)
        One does.
    row_written : In(1)
        A row of errors that is ``wanted`` is written in the next cycle.
    parameters : Out(parameter_read), without its data
    errors : Out(error_read), without its data
    lane : Out(range(width))
        Lane of the error in its word, when the word is there.
    step : Out(backward_step_layout)
    """

    def __init__(self, config: A3CConfig):
        super().__init__(
            config,
            {
                "jobs": In(stream.Signature(rollout_layout(config))),
                "room": In(1),
                "begins": Out(1),
                "row_written": In(1),
                "parameters": Out(parameter_read(config)),
                "errors": Out(error_read(config)),
                "lane": Out(range(max(config.width, 2))),
                "step": Out(backward_step_layout(config)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        # The last layer first; after the second comes the last one of the next job.
        layers = config.layers[:0:-1]
        following = [*layers[1:], layers[0]]
        depth = config.arithmetic.adder_depth
        job, busy, fills = Signal.like(self.jobs.payload), Signal(), Signal()
        layer, lane = Signal(range(max(len(layers), 2))), Signal(range(max(config.width, 2)))
        output = Signal(range(max(layer.outputs for layer in layers) + 1))
        block, of_step = Signal(range(max(layer.blocks for layer in layers) + 1)), Signal(range(config.steps + 1))
        place = Signal(range(max(backward_places(config), depth) + 1))
        word = Signal.like(self.parameters.address)
        error_row = Signal(range(config.error_rows + 1))
        # Where the rows of a step begin.
        errors_of_step = Signal(range(config.steps * config.error_rows + 1))
        activations_of_step = Signal(range(config.steps * config.activation_rows + 1))
        # Rows of errors that the layer before has given, and how many must be there for a word of all steps.
        written, needed = Signal(range(backward_places(config) + 1)), Signal(range(backward_places(config) + 1))
        step = Signal(backward_step_layout(config), name="reads")

        def constant(name, values):
            return choose_constant(m, layer, values, name)

        last_layer, last_output, last_block, last_step, begins_word, sums_end, pass_ends, layer_ends, job_ends = (
            Signal(name=name)
            for name in (
                *("last_layer", "last_output", "last_block", "last_step", "begins_word"),
                *("sums_end", "pass_ends", "layer_ends", "job_ends"),
            )
        )
        m.d.comb += [
            last_layer.eq(layer == len(layers) - 1),
            last_output.eq(output == constant("final_output", [layer.outputs - 1 for layer in layers])),
            last_block.eq(block == constant("final_block", [layer.blocks - 1 for layer in layers])),
            last_step.eq(of_step == job.steps - 1),
            begins_word.eq((lane == 0) & (place == 0)),
            step.valid.eq(busy & ~fills & ((layer == 0) | ~begins_word | (written >= needed))),
            sums_end.eq(step.valid & last_block & last_step),
            # No sum of a last output is wanted again.
            pass_ends.eq((sums_end & last_output) | ((sums_end | fills) & (place >= depth - 1))),
            layer_ends.eq(pass_ends & last_output),
            job_ends.eq(layer_ends & last_layer),
            step.first.eq(output == 0),
            step.last.eq(last_output),
            step.final.eq(last_block & last_step & last_layer),
            step.wanted.eq(~last_layer),
            step.lane.eq(lane),
            step.place.eq(place),
            step.agent.eq(job.agent),
            step.steps.eq(job.steps),
            step.signs.eq(activations_of_step + constant("input_row", [layer.input_row for layer in layers]) + block),
            step.target.eq(
                errors_of_step
                + constant(
                    "target_row", [config.layers[number].output_row for number in range(len(layers) - 1, -1, -1)]
                )
                + block
            ),
            self.jobs.ready.eq((~busy | job_ends) & self.room),
            self.begins.eq(self.jobs.valid & self.jobs.ready),
        ]
        m.d.sync += written.eq(written + self.row_written)
        with m.If(step.valid):
            m.d.sync += [
                of_step.eq(of_step + 1),
                errors_of_step.eq(errors_of_step + config.error_rows),
                activations_of_step.eq(activations_of_step + config.activation_rows),
            ]
            with m.If(last_step):
                m.d.sync += [of_step.eq(0), errors_of_step.eq(0), activations_of_step.eq(0)]
                m.d.sync += [block.eq(block + 1), word.eq(word + 1)]
            with m.If(begins_word):
                m.d.sync += needed.eq(needed + job.steps)
            with m.If(last_output & (place == 0)):
                # The layer has all of its own rows; the next one counts those that come out of this pass.
                m.d.sync += [written.eq(0), needed.eq(job.steps)]
        with m.If(step.valid | fills):
            m.d.sync += place.eq(place + 1)
        with m.If(sums_end):
            m.d.sync += fills.eq(~pass_ends)
        with m.If(pass_ends):
            m.d.sync += [fills.eq(0), place.eq(0), block.eq(0), output.eq(output + 1)]
            m.d.sync += lane.eq(Mux(lane == config.width - 1, 0, lane + 1))
            with m.If(lane == config.width - 1):
                m.d.sync += error_row.eq(error_row + 1)
        with m.If(layer_ends):
            m.d.sync += [
                output.eq(0),
                lane.eq(0),
                layer.eq(layer + 1),
                word.eq(constant("next_word", [layer.first_word for layer in following])),
                error_row.eq(constant("next_row", [layer.output_row for layer in following])),
            ]
        with m.If(job_ends):
            m.d.sync += busy.eq(0)
        with m.If(self.begins):
            m.d.sync += [
                busy.eq(1),
                job.eq(self.jobs.payload),
                layer.eq(0),
                word.eq(layers[0].first_word),
                error_row.eq(layers[0].output_row),
            ]
        self._read(m, step, word, errors_of_step + error_row, of_step == 0)
        return m

    def _read(self, m, step, word, error_row, reads_word):
        """Reads of this step: of its error in the next cycle, of its word of weights in the one after."""
        weights = Signal(
            data.StructLayout({"enable": 1, "agent": step.agent.shape(), "address": word.shape()}), name="weights"
        )
        m.d.sync += [
            self.errors.enable.eq(step.valid),
            self.errors.agent.eq(step.agent),
            self.errors.address.eq(error_row),
            weights.enable.eq(step.valid & reads_word),
            weights.agent.eq(step.agent),
            weights.address.eq(word),
            *(getattr(self.parameters, name).eq(weights[name]) for name in ("enable", "agent", "address")),
        ]
        m.d.comb += [
            self.lane.eq(delay(m, step.lane, 1 + READ_LATENCY, "lane")),
            self.step.eq(delay_record(m, step, 2 + READ_LATENCY, "step")),
        ]
