"""The engine that takes errors back through an agent's network."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..pipeline import delay_record
from ..stream.buffer_config import StreamBufferConfig
from ..stream.pipeline import CreditBuffer
from .backward_sequencer import BackwardSequencer, backward_places
from .config import READ_LATENCY, A3CConfig
from .ports import error_read, error_write, parameter_read, rollout_layout, sign_read
from .word_sums import WordSums
from .word_sums_config import WordSumsConfig

__all__ = ["BackwardEngine"]


class BackwardEngine(ConfiguredComponent):
    """Takes the errors of a rollout from the outputs of the last layer to those of the first, all steps side by side.

    ::

        parameters --> word of weights --> WordSums --> where the sign is set --> words of errors
        errors -----> error of an output -----'   signs ------'

    A sum begins with its first product; those of the other outputs are added in their order. Where the activation that
    an error belongs to was 0, it becomes +0.

    Number format: ``config.arithmetic.format``; every product and every sum is rounded to nearest even.

    Latency: ``latency`` cycles from the last read of a word of weights to ``done``. Throughput: a word of weights, or
    another step of it, a cycle; the cycles of a job are ``steps * outputs * blocks`` of all layers but the first, those
    in which passes over few blocks and steps are filled up, and those in which a layer waits for its first errors
    (:func:`.cycles.backward_cycles`). The next job begins while the last errors of one are still under way.
    Back-pressure: a job is begun while there is room for its end; two may wait.

    Parameters
    ----------
    config : A3CConfig

    Members
    -------
    jobs : In(stream of rollout_layout)
        The errors at logits and value are among the errors.
    parameters : Out(parameter_read)
    errors : Out(error_read)
    signs : Out(sign_read)
    new_errors : Out(error_write)
    done : Out(stream of rollout_layout)
        The jobs in their order. All errors have been written.

    Source
    ------
    Ge et al., section 4.4.
    """

    def __init__(self, config: A3CConfig):
        super().__init__(
            config,
            {
                "jobs": In(stream.Signature(rollout_layout(config))),
                "parameters": Out(parameter_read(config)),
                "errors": Out(error_read(config)),
                "signs": Out(sign_read(config)),
                "new_errors": Out(error_write(config)),
                "done": Out(stream.Signature(rollout_layout(config))),
            },
        )

    @property
    def latency(self):
        """Cycles from the last read of a job to its end."""
        return READ_LATENCY + self._config.arithmetic.multiplier_depth + self._config.arithmetic.adder_depth + 2

    def elaborate(self, platform):
        m = Module()
        config, arithmetic = self._config, self._config.arithmetic
        m.submodules.sequencer = sequencer = BackwardSequencer(config)
        m.submodules.buffer = buffer = CreditBuffer(self.done.payload.shape(), StreamBufferConfig(depth=2, latency=1))
        m.submodules.sums = sums = WordSums(
            WordSumsConfig(
                width=config.width,
                depth=backward_places(config),
                interval=max(arithmetic.adder_depth, min(layer.blocks for layer in config.layers[1:])),
                arithmetic=arithmetic,
            )
        )
        wiring.connect(m, wiring.flipped(self.jobs), sequencer.jobs)
        wiring.connect(m, buffer.o, wiring.flipped(self.done))
        for name in ("parameters", "errors"):
            wiring.connect(m, getattr(sequencer, name), wiring.flipped(getattr(self, name)))
        error, step = Signal(arithmetic.format.width, reset_less=True), sequencer.step
        m.d.sync += error.eq(self.errors.data[sequencer.lane] if config.width > 1 else self.errors.data[0])
        m.d.comb += [
            sequencer.room.eq(buffer.room),
            buffer.reserve.eq(sequencer.begins),
            sums.valid.eq(step.valid),
            sums.first.eq(step.first),
            sums.place.eq(step.place),
            sums.word.eq(self.parameters.data),
            sums.factor.eq(error),
        ]
        reads = delay_record(m, step, sums.latency - READ_LATENCY, "to_signs")
        self._write_errors(m, sequencer, buffer, sums.sums, reads)
        return m

    def _write_errors(self, m, sequencer, buffer, sums, reads):
        """Sums that are complete, where their activation was above 0."""
        writes = delay_record(m, reads, READ_LATENCY, "to_write")
        complete = Signal()
        m.d.comb += [
            self.signs.enable.eq(reads.valid & reads.last),
            self.signs.agent.eq(reads.agent),
            self.signs.address.eq(reads.signs),
            complete.eq(writes.valid & writes.last),
            sequencer.row_written.eq(complete & writes.wanted),
        ]
        m.d.sync += [
            self.new_errors.enable.eq(complete),
            self.new_errors.agent.eq(writes.agent),
            self.new_errors.address.eq(writes.target),
            *(
                error.eq(Mux(self.signs.data[index], sums[index], 0))
                for index, error in enumerate(self.new_errors.data)
            ),
            buffer.arrive.eq(complete & writes.final),
            buffer.value.agent.eq(writes.agent),
            buffer.value.steps.eq(writes.steps),
        ]
