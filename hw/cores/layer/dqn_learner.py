"""A whole learner of action values: gradient steps of a DQN."""

from amaranth.hdl import Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..forwarding import forward_port
from .backward_pipeline import BackwardPipeline
from .config import BATCH_WIDTH
from .forward_pipeline import ForwardPipeline
from .learner_config import DQNLearnerConfig, LearnerCommand
from .learner_control import LearnerControl
from .network_parameters import add_parameters
from .sample_gate import SampleGate
from .temporal_difference_loss import TemporalDifferenceLoss, transition_layout
from .update_stage import rates_layout
from .update_stage_config import ARRAY_WIDTH

__all__ = ["DQNLearner", "learner_command"]

learner_command = data.StructLayout({"kind": LearnerCommand, "array": ARRAY_WIDTH, "copy": 1})


class DQNLearner(ConfiguredComponent):
    """Takes gradient steps of a DQN: an online network with all stages, a target network with forward stages.

    Samples follow each other through forward stages, loss, backward and gradient stages; behind the last one of a batch
    all layers are updated side by side. Commands, one at a time:

    ``STEP``
        A gradient step with the next ``batch`` samples. With ``copy`` the target network gets the new weights, too.
    ``LOAD``
        The parameters of an array come in: ``array`` is a place in ``config.arrays``. Gradients are not loaded: what
        comes is taken and forgotten.
    ``STORE``
        The parameters of an array go out.

    An array is layer after layer, row after row, output after output; the biases are the last row of a layer.

    Number format: ``config.network.arithmetic.format``; for the order of all operations see the stages
    (:class:`.ForwardPipeline`, :class:`.BackwardPipeline`, :class:`.TemporalDifferenceLoss`, :class:`.UpdateStage`).

    Throughput: a sample in T_stage cycles, those of the slowest stage; for a whole step see
    ``sw/mapping/layer_pipeline.py``. Back-pressure: priorities that nobody takes hold a step back.

    Parameters
    ----------
    config : DQNLearnerConfig

    Members
    -------
    commands : In(stream of ``learner_command``)
    completions : Out(stream of 1)
        One for each command that is done; priorities may still wait.
    batch : In(16)
        Samples of a step, at least 1; constant while it is under way.
    rates : In(rates_layout)
        For the optimiser; constant while a step is under way.
    observations, next_observations : In(stream of width)
        Input 0 of a sample, then 1, and so on.
    transitions : In(stream of ``transition_layout(config.temporal_difference)``)
    priorities : Out(stream of width)
        Magnitude of each sample's temporal-difference error.
    parameters_in, parameters_out : streams of width
        The parameters of arrays.
    errors : Out
        ``nonfinite``: an output of a layer, or a number that is updated in this cycle, is infinite or NaN.

    Source
    ------
    Meng's dissertation, section 4.4.2.2; V. Mnih et al., "Human-level control through deep reinforcement learning",
    Nature 518, 2015.
    """

    def __init__(self, config: DQNLearnerConfig):
        elements = stream.Signature(config.network.arithmetic.format.width)
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(learner_command)),
                "completions": Out(stream.Signature(1)),
                "batch": In(BATCH_WIDTH),
                "rates": In(rates_layout(config.updates[0])),
                "observations": In(elements),
                "next_observations": In(elements),
                "transitions": In(stream.Signature(transition_layout(config.temporal_difference))),
                "priorities": Out(elements),
                "parameters_in": In(elements),
                "parameters_out": Out(elements),
                "errors": Out(data.StructLayout({"nonfinite": 1})),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config, network = self._config, self._config.network
        m.submodules.online = online = ForwardPipeline(network, activations=True)
        m.submodules.target = target = ForwardPipeline(network)
        m.submodules.loss = loss = TemporalDifferenceLoss(config.temporal_difference)
        m.submodules.backward = backward = BackwardPipeline(network)
        m.submodules.control = control = LearnerControl(learner_command)
        parameters = add_parameters(
            m, "parameters", config.updates, readers=[online, backward], target=target, gradients=backward
        )

        for name, pipeline in (("observations", online), ("next_observations", target)):
            m.submodules[f"{name}_gate"] = gate = SampleGate(network)
            m.d.comb += [gate.open.eq(control.start_step), gate.batch.eq(self.batch)]
            wiring.connect(m, wiring.flipped(getattr(self, name)), gate.i)
            wiring.connect(m, gate.o, pipeline.inputs)
        wiring.connect(m, online.outputs, loss.values)
        wiring.connect(m, target.outputs, loss.next_values)
        wiring.connect(m, wiring.flipped(self.transitions), loss.transitions)
        wiring.connect(m, loss.priorities, wiring.flipped(self.priorities))
        wiring.connect(m, loss.errors, backward.errors)
        for source, sink in zip(online.activations, backward.activations, strict=True):
            wiring.connect(m, source, sink)

        for name in ("commands", "completions"):
            forward_port(m, control, self, name)
        for name in ("parameters_in", "parameters_out", "rates"):
            forward_port(m, parameters, self, name)
        m.d.comb += [
            backward.batch.eq(self.batch),
            control.aggregated.eq(backward.done),
            control.updated.eq(parameters.updated),
            control.transferred.eq(parameters.transferred),
            parameters.start_update.eq(control.start_update),
            parameters.start_transfer.eq(control.start_transfer),
            parameters.load.eq(control.command.kind == LearnerCommand.LOAD),
            parameters.array.eq(control.command.array),
            parameters.copy.eq(control.command.copy),
            self.errors.nonfinite.eq(online.errors.nonfinite | target.errors.nonfinite | parameters.nonfinite),
        ]
        return m
