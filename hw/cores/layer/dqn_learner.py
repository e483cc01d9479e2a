"""A whole learner of action values: gradient steps of a DQN."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .backward_pipeline import BackwardPipeline
from .config import ARRAY_WIDTH, BATCH_WIDTH, DQNLearnerConfig, LearnerCommand
from .dqn_loss import DQNLoss, transition_layout
from .forward_pipeline import ForwardPipeline
from .layer_parameters import LayerParameters
from .number_transfer import NumberTransfer
from .sample_gate import SampleGate
from .update_stage import rates_layout

__all__ = ["DQNLearner", "learner_command"]

learner_command = data.StructLayout({"kind": LearnerCommand, "array": ARRAY_WIDTH, "copy": 1})


class DQNLearner(wiring.Component):
    """Takes gradient steps of a DQN: an online network with all stages, a target network with forward stages.

    Samples follow each other through forward stages, loss, backward and gradient stages; behind the last one of a batch
    all layers are updated side by side. Commands, one at a time:

    ``STEP``
        A gradient step with the next ``batch`` samples. With ``copy`` the target network gets the new weights, too.
    ``LOAD``
        The numbers of an array come in: ``array`` is a place in ``config.arrays``. Gradients are not loaded: their
        numbers are taken and forgotten.
    ``STORE``
        The numbers of an array go out.

    An array is layer after layer, row after row, output after output; the biases are the last row of a layer.

    Number format: ``config.network.arithmetic.format``; for the order of all operations see the stages
    (:class:`.ForwardPipeline`, :class:`.BackwardPipeline`, :class:`.DQNLoss`, :class:`.UpdateStage`).

    Throughput: a sample in T_stage cycles, those of the slowest stage; a step of B samples takes about
    ``T_stage * (B + 3 * (layers - 1))`` and the update (``sw/mapping/layer_pipeline.py``). Back-pressure: priorities
    that nobody takes hold a step back.

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
        Of the optimiser; constant while a step is under way.
    observations, next_observations : In(stream of width)
        Input 0 of a sample, then 1, and so on.
    transitions : In(stream of ``transition_layout(config)``)
    priorities : Out(stream of width)
        Magnitude of each sample's TD error.
    numbers_in, numbers_out : streams of width
        Of arrays.
    errors : Out
        ``nonfinite``: an output of a layer, or a number that is updated in this cycle, is infinite or NaN.

    Source
    ------
    Meng's dissertation, section 4.4.2.2; V. Mnih et al., "Human-level control through deep reinforcement learning",
    Nature 518, 2015.
    """

    def __init__(self, config: DQNLearnerConfig):
        self._config = config
        numbers = stream.Signature(config.network.arithmetic.format.width)
        super().__init__(
            {
                "commands": In(stream.Signature(learner_command)),
                "completions": Out(stream.Signature(1)),
                "batch": In(BATCH_WIDTH),
                "rates": In(rates_layout(config.updates[0])),
                "observations": In(numbers),
                "next_observations": In(numbers),
                "transitions": In(stream.Signature(transition_layout(config))),
                "priorities": Out(numbers),
                "numbers_in": In(numbers),
                "numbers_out": Out(numbers),
                "errors": Out(data.StructLayout({"nonfinite": 1})),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        network = self._config.network
        m.submodules.online = online = ForwardPipeline(network, activations=True)
        m.submodules.target = target = ForwardPipeline(network)
        m.submodules.loss = loss = DQNLoss(self._config)
        m.submodules.backward = backward = BackwardPipeline(network)
        m.submodules.transfer = transfer = NumberTransfer(network)
        command = Signal(learner_command)
        start_step, start_update = Signal(), Signal()

        for name, pipeline in (("observations", online), ("next_observations", target)):
            m.submodules[f"{name}_gate"] = gate = SampleGate(network)
            m.d.comb += [gate.open.eq(start_step), gate.batch.eq(self.batch)]
            wiring.connect(m, wiring.flipped(getattr(self, name)), gate.i)
            wiring.connect(m, gate.o, pipeline.inputs)
        wiring.connect(m, online.outputs, loss.values)
        wiring.connect(m, target.outputs, loss.next_values)
        wiring.connect(m, wiring.flipped(self.transitions), loss.transitions)
        wiring.connect(m, loss.priorities, wiring.flipped(self.priorities))
        wiring.connect(m, loss.errors, backward.errors)
        for source, sink in zip(online.activations, backward.activations, strict=True):
            wiring.connect(m, source, sink)
        m.d.comb += backward.batch.eq(self.batch)

        layers = []
        for index, update in enumerate(self._config.updates):
            layers.append(LayerParameters(update, backward=index > 0))
            m.submodules[f"layer_{index}"] = layer = layers[-1]
            m.d.comb += [layer.start.eq(start_update), layer.copy.eq(command.copy), layer.rates.eq(self.rates)]
            wiring.connect(m, getattr(online, f"weights_{index}"), layer.forward)
            wiring.connect(m, getattr(target, f"weights_{index}"), layer.target)
            wiring.connect(m, layer.gradients, getattr(backward, f"gradients_{index}"))
            if index:
                wiring.connect(m, getattr(backward, f"weights_{index}"), layer.backward)
        nonfinite = [online.errors.nonfinite, target.errors.nonfinite, *(layer.nonfinite for layer in layers)]
        m.d.comb += self.errors.nonfinite.eq(Cat(nonfinite).any())
        self._host(m, command, layers, transfer)
        self._control(m, command, start_step, start_update, backward.done, transfer, layers)
        return m

    def _host(self, m, command, layers, transfer):
        """Numbers of arrays to the host, and from it."""
        wiring.connect(m, wiring.flipped(self.numbers_in), transfer.i)
        wiring.connect(m, transfer.o, wiring.flipped(self.numbers_out))
        m.d.comb += transfer.load.eq(command.kind == LearnerCommand.LOAD)
        read = Signal.like(transfer.layer)
        m.d.sync += read.eq(transfer.layer)
        for index, layer in enumerate(layers):
            m.d.comb += [
                layer.array.eq(command.array),
                layer.access.enable.eq(transfer.enable & (transfer.layer == index)),
                layer.access.write.eq(transfer.write),
                layer.access.address.eq(transfer.address),
                layer.access.lane.eq(transfer.lane),
                layer.access.value.eq(transfer.value),
            ]
            with m.If(read == index):
                m.d.comb += transfer.number.eq(layer.access.number)

    def _control(self, m, command, start_step, start_update, aggregated, transfer, layers):
        """One command after the other."""
        updated = Signal(len(layers))
        for index, layer in enumerate(layers):
            with m.If(layer.done):
                m.d.sync += updated[index].eq(1)
        with m.FSM(name="learner"):
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                m.d.sync += [command.eq(self.commands.payload), updated.eq(0)]
                with m.If(self.commands.valid):
                    with m.If(self.commands.payload.kind == LearnerCommand.STEP):
                        m.next = "START"
                    with m.Else():
                        m.next = "TRANSFER"
            with m.State("START"):
                m.d.comb += start_step.eq(1)
                m.next = "GRADIENTS"
            with m.State("GRADIENTS"):
                with m.If(aggregated):
                    m.d.comb += start_update.eq(1)
                    m.next = "UPDATE"
            with m.State("UPDATE"):
                with m.If(updated.all()):
                    m.next = "COMPLETE"
            with m.State("TRANSFER"):
                m.d.comb += transfer.start.eq(1)
                m.next = "TRANSFERRING"
            with m.State("TRANSFERRING"):
                with m.If(transfer.done):
                    m.next = "COMPLETE"
            with m.State("COMPLETE"):
                m.d.comb += self.completions.valid.eq(1)
                with m.If(self.completions.ready):
                    m.next = "IDLE"
