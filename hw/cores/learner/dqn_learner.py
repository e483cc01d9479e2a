"""A whole learner of action values: gradient steps of a DQN."""

from amaranth.hdl import Module
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In

from ..forwarding import forward_port
from ..graph.backward_graph import BackwardGraph
from ..graph.forward_graph import ForwardGraph
from ..graph.perceptron import perceptron_graph
from ..layer.network_parameters import add_parameters
from ..layer.update_stage import rates_layout
from ..layer.update_stage_config import ARRAY_WIDTH
from .learner import PerceptronLearner
from .learner_base_config import LearnerCommand
from .learner_config import DQNLearnerConfig
from .learner_control import LearnerControl

__all__ = ["DQNLearner", "learner_command"]

learner_command = data.StructLayout({"kind": LearnerCommand, "array": ARRAY_WIDTH, "copy": 1})


class DQNLearner(PerceptronLearner):
    """Takes gradient steps of a DQN: an online network with all stages, a target network with forward stages.

    Samples follow each other through forward stages, loss, backward and gradient stages; after the last one of a batch
    all layers are updated side by side. Commands, one at a time:

    ``STEP``
        A gradient step with the next ``batch`` samples. With ``copy`` the target network also gets the new weights.
    ``LOAD``
        The parameters of an array come in: ``array`` is a place in ``config.arrays``. Gradients are not loaded: what
        comes is taken and forgotten.
    ``STORE``
        The parameters of an array go out.

    An array is layer after layer, row after row, output after output; the biases are the last row of a layer.

    Number format: ``config.network.arithmetic.format``; for the order of all operations see the stages
    (:class:`.ForwardGraph`, :class:`.BackwardGraph`, :class:`.TemporalDifferenceLoss`, :class:`.UpdateStage`).

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
        rates = {"rates": In(rates_layout(config.updates[0]))}
        super().__init__(config, learner_command, config.network.arithmetic.format.width, rates)

    def elaborate(self, platform):
        m = Module()
        config, network = self._config, self._config.network
        graph = perceptron_graph(network)
        m.submodules.online = online = ForwardGraph(graph, activations=True)
        m.submodules.target = target = ForwardGraph(graph)
        m.submodules.backward = backward = BackwardGraph(graph)
        m.submodules.control = control = LearnerControl(learner_command)
        parameters = add_parameters(
            m, "parameters", config.updates, readers=[online, backward], target=target, gradients=backward
        )
        for name, pipeline in (("observations", online), ("next_observations", target)):
            wiring.connect(m, self._gate(m, control, name, config.observations), pipeline.inputs[0])
        self._lose(m, online, target, backward)
        self._forward_commands(m, control)
        self._end_step(m, control, 0, parameters, backward)
        for name in ("parameters_in", "parameters_out", "rates"):
            forward_port(m, parameters, self, name)
        m.d.comb += [
            control.transferred.eq(parameters.transferred),
            parameters.load.eq(control.command.kind == LearnerCommand.LOAD),
            parameters.array.eq(control.command.array),
            parameters.start_transfer.eq(control.start_transfer),
            parameters.copy.eq(control.command.copy),
            self.errors.nonfinite.eq(online.errors.nonfinite | target.errors.nonfinite | parameters.nonfinite),
        ]
        return m
