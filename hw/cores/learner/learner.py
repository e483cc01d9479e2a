"""The base of whole learners: their ports, samples of one batch at a time, transfers, and the end of a step."""

from amaranth.hdl import Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..forwarding import forward_port
from ..layer.config import BATCH_WIDTH
from ..stream.ways import buffer_stream, fork_stream
from .learner_base_config import LearnerCommand
from .sample_gate import SampleGate
from .temporal_difference_loss import TemporalDifferenceLoss, transition_layout

__all__ = ["Learner", "PerceptronLearner", "connect_activations"]


class Learner(ConfiguredComponent):
    """Takes gradient steps of a batch, loads and stores parameters; base of all learners.

    Parameters
    ----------
    config : LearnerConfig
    command : data.StructLayout
        With ``kind`` and ``array``, and with ``network`` where several are trained.
    width : int
        Bits of a number.
    ports : dict
        Members of the signature that only one kind of learner has.

    Members
    -------
    commands, completions, batch, parameters_in, parameters_out, errors
        See :class:`.DQNLearner`, :class:`.DDPGLearner`, :class:`.SACLearner` and :class:`.MAACLearner`.
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
                "parameters_in": In(elements),
                "parameters_out": Out(elements),
                "errors": Out(data.StructLayout({"nonfinite": 1})),
            },
        )

    def _gate(self, m, control, name, elements, samples=None, start=None):
        """Observations of one batch, of so many elements each, from the step's start on, or a later one."""
        numbers = getattr(self, name)
        m.submodules[f"{name}_gate"] = gate = SampleGate(numbers.payload.shape(), elements)
        opens = control.start_step if start is None else start
        m.d.comb += [gate.open.eq(opens), gate.batch.eq(self.batch if samples is None else samples)]
        wiring.connect(m, wiring.flipped(numbers), gate.i)
        return gate.o

    def _take_twice(self, m, name, numbers, sink, depth):
        """Numbers to where they are taken, and once more behind a buffer of a depth."""
        taken, waiting = fork_stream(m, name, numbers)
        wiring.connect(m, taken, sink)
        return buffer_stream(m, name, waiting, depth)

    def _transfer(self, m, control, network, parameters):
        """The parameters of a network to the host and from it while it is meant."""
        chosen = Signal(name=f"{network.name.lower()}_chosen")
        m.d.comb += [
            chosen.eq(control.command.network == network),
            parameters.load.eq(control.command.kind == LearnerCommand.LOAD),
            parameters.array.eq(control.command.array),
            parameters.start_transfer.eq(control.start_transfer & chosen),
            parameters.parameters_in.payload.eq(self.parameters_in.payload),
            parameters.parameters_in.valid.eq(self.parameters_in.valid & chosen),
            parameters.parameters_out.ready.eq(self.parameters_out.ready & chosen),
        ]
        with m.If(chosen):
            m.d.comb += [
                self.parameters_in.ready.eq(parameters.parameters_in.ready),
                self.parameters_out.payload.eq(parameters.parameters_out.payload),
                self.parameters_out.valid.eq(parameters.parameters_out.valid),
            ]

    def _end_step(self, m, control, place, parameters, backward):
        """The end of a gradient step of the network at a place."""
        m.d.comb += [
            backward.batch.eq(self.batch),
            control.aggregated[place].eq(backward.done),
            control.updated[place].eq(parameters.updated),
            parameters.start_update.eq(control.start_update),
        ]

    def _forward_commands(self, m, control):
        """Commands to the control, and completions from it."""
        for name in ("commands", "completions"):
            forward_port(m, control, self, name)


class PerceptronLearner(Learner):
    """Learns from temporal-difference errors; base of DQN's learner and of those with an actor.

    Parameters
    ----------
    config : PerceptronLearnerConfig
    command, width, ports
        See :class:`Learner`.

    Members
    -------
    observations, next_observations, transitions, priorities
        See :class:`.DQNLearner`, :class:`.DDPGLearner` and :class:`.SACLearner`.
    """

    def __init__(self, config, command, width, ports):
        elements = stream.Signature(width)
        super().__init__(
            config,
            command,
            width,
            {
                **ports,
                "observations": In(elements),
                "next_observations": In(elements),
                "transitions": In(stream.Signature(transition_layout(config.temporal_difference))),
                "priorities": Out(elements),
            },
        )

    def _lose(self, m, values, next_values, backward):
        """The loss of the temporal-difference error, and its way back through the network of ``values``."""
        m.submodules.loss = loss = TemporalDifferenceLoss(self._config.temporal_difference)
        wiring.connect(m, wiring.flipped(self.transitions), loss.transitions)
        wiring.connect(m, values.outputs, loss.values)
        wiring.connect(m, next_values.outputs, loss.next_values)
        wiring.connect(m, loss.priorities, wiring.flipped(self.priorities))
        wiring.connect(m, loss.errors, backward.errors)
        connect_activations(m, values, backward)


def connect_activations(m, forward, backward):
    """Outputs of all layers to the way back, which needs their derivatives."""
    for source, sink in zip(forward.activations, backward.activations, strict=True):
        wiring.connect(m, source, sink)
