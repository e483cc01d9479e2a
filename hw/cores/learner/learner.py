"""What whole learners share: their ports, samples of one batch at a time, and the end of a step."""

from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..forwarding import forward_port
from ..layer.config import BATCH_WIDTH
from .learner_config import LearnerCommand
from .sample_gate import SampleGate
from .temporal_difference_loss import TemporalDifferenceLoss, transition_layout

__all__ = ["Learner", "connect_activations"]


class Learner(ConfiguredComponent):
    """Takes gradient steps of a batch, loads and stores parameters; base of DQN's and of DDPG's.

    Parameters
    ----------
    config : DQNLearnerConfig or DDPGLearnerConfig
    command : data.StructLayout
        With ``kind`` and ``array``.
    width : int
        Bits of a number.
    ports : dict
        Members of the signature that only one kind of learner has.

    Members
    -------
    commands, completions, batch, observations, next_observations, transitions, priorities, parameters_in,
    parameters_out, errors
        See :class:`.DQNLearner` and :class:`.DDPGLearner`.
    """

    def __init__(self, config, command, width, ports):
        elements = stream.Signature(width)
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(command)),
                "completions": Out(stream.Signature(1)),
                "batch": In(BATCH_WIDTH),
                **ports,
                "observations": In(elements),
                "next_observations": In(elements),
                "transitions": In(stream.Signature(transition_layout(config.temporal_difference))),
                "priorities": Out(elements),
                "parameters_in": In(elements),
                "parameters_out": Out(elements),
                "errors": Out(data.StructLayout({"nonfinite": 1})),
            },
        )

    def _gate(self, m, control, name, network):
        """Observations of one batch."""
        m.submodules[f"{name}_gate"] = gate = SampleGate(network)
        m.d.comb += [gate.open.eq(control.start_step), gate.batch.eq(self.batch)]
        wiring.connect(m, wiring.flipped(getattr(self, name)), gate.i)
        return gate.o

    def _lose(self, m, values, next_values, backward):
        """The loss of the temporal-difference error, and its way back through the network of ``values``."""
        m.submodules.loss = loss = TemporalDifferenceLoss(self._config.temporal_difference)
        wiring.connect(m, wiring.flipped(self.transitions), loss.transitions)
        wiring.connect(m, values.outputs, loss.values)
        wiring.connect(m, next_values.outputs, loss.next_values)
        wiring.connect(m, loss.priorities, wiring.flipped(self.priorities))
        wiring.connect(m, loss.errors, backward.errors)
        connect_activations(m, values, backward)

    def _end_step(self, m, control, network, parameters, backward):
        """The end of a gradient step of the network at a place, and which of its arrays is meant."""
        m.d.comb += [
            backward.batch.eq(self.batch),
            control.aggregated[network].eq(backward.done),
            control.updated[network].eq(parameters.updated),
            parameters.start_update.eq(control.start_update),
            parameters.load.eq(control.command.kind == LearnerCommand.LOAD),
            parameters.array.eq(control.command.array),
        ]

    def _forward_commands(self, m, control):
        """Commands to the control, and completions from it."""
        for name in ("commands", "completions"):
            forward_port(m, control, self, name)


def connect_activations(m, forward, backward):
    """Outputs of all layers to the way back, which needs their derivatives."""
    for source, sink in zip(forward.activations, backward.activations, strict=True):
        wiring.connect(m, source, sink)
