"""The backward and gradient stages of a network, connected."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..stream.fork import StreamFork
from .activation_derivative import ActivationDerivative
from .backward_stage import BackwardStage
from .config import BATCH_WIDTH, NetworkConfig
from .gradient_stage import GradientStage
from .ports import word_read

__all__ = ["BackwardPipeline"]


class BackwardPipeline(ConfiguredComponent):
    """Computes the gradient of a network's weights over a batch, one sample after another, and keeps it.

    The half of a learner behind the cut. Every layer works on a sample of its own. Where other layers are in front of
    these, on another device perhaps, the errors at the inputs leave for them (``to_inputs``). Without ``gradients``
    these errors are all that is computed.

    Number format: that of the layers; see :class:`.BackwardStage`, :class:`.GradientStage`,
    :class:`.ActivationDerivative`.

    Latency: the layers' together. Throughput: a sample in the ``backward_cycles`` or ``gradient_cycles`` of the slowest
    layer, the first one going without the former. Back-pressure: activations of ``config.waiting_samples(layer, late)``
    samples can wait for their errors; those that nobody needs are taken at once.

    Parameters
    ----------
    config : NetworkConfig
    to_inputs : bool
        Go back through the first layer, too.
    gradients : bool
        Compute the gradient of the weights.
    late : int
        Samples on their way from the network's outputs to their errors, beside the one in the loss.

    Members
    -------
    activations : In(stream of width).array(``config.cuts``)
        Inputs of layer 0, then of 1, and so on; at the end outputs, if their activation is not linear.
    errors : In(stream of width)
        Derivatives of the loss by output 0 of a sample, then 1, and so on.
    batch : In(16), with ``gradients``
        Samples of a batch, at least 1; constant while one is under way.
    done : Out(1), with ``gradients``
        The gradients of all layers are complete; results may still be on their way.
    results : Out(stream of width), with ``to_inputs``
        Derivatives of the loss by input 0 of a sample, then 1, and so on.
    weights_0, ... : Out(word_read)
        Each layer that errors go back through has one: all, or all but the first.
    gradients_0, ... : In(word_read), with ``gradients``
        One for each layer; read between ``done`` and the next sample.

    Raises
    ------
    ValueError
        Neither gradients nor errors at the inputs are wanted.

    Source
    ------
    Meng's dissertation, section 4.4.2.2 and figure 4.6.
    """

    def __init__(self, config: NetworkConfig, to_inputs: bool = False, *, gradients: bool = True, late: int = 0):
        if not (to_inputs or gradients):
            raise ValueError("Gradients must be computed where errors do not go back to the inputs")
        self._to_inputs, self._gradients, self._late = to_inputs, gradients, late
        elements = stream.Signature(config.arithmetic.format.width)
        members = {"activations": In(elements).array(config.cuts), "errors": In(elements)}
        if gradients:
            members |= {"batch": In(BATCH_WIDTH), "done": Out(1)}
        if to_inputs:
            members["results"] = Out(elements)
        for index, layer in enumerate(config.layers):
            if gradients:
                members[f"gradients_{index}"] = In(word_read(layer))
            if index or to_inputs:
                members[f"weights_{index}"] = Out(word_read(layer))
        super().__init__(config, members)

    @property
    def to_inputs(self):
        """Whether errors go back through the first layer, too."""
        return self._to_inputs

    @property
    def gradients(self):
        """Whether the gradient of the weights is computed."""
        return self._gradients

    @property
    def late(self):
        """Samples on their way from the network's outputs to their errors."""
        return self._late

    def elaborate(self, platform):
        m = Module()
        layers = self._config.layers
        inputs, outputs = self._share(m)
        errors = wiring.flipped(self.errors)
        complete = Signal(len(layers))
        for index in reversed(range(len(layers))):
            if layers[index].activation != "linear":
                errors = self._differentiate(m, index, outputs[index], errors)
            goes_on = index or self._to_inputs
            further = errors
            if goes_on and self._gradients:
                errors, further = self._fork(m, f"errors_{index}", errors)
            if self._gradients:
                self._aggregate(m, index, inputs[index], errors, complete[index])
            if goes_on:
                m.submodules[f"backward_{index}"] = stage = BackwardStage(layers[index])
                wiring.connect(m, further, stage.errors)
                wiring.connect(m, stage.weights, wiring.flipped(getattr(self, f"weights_{index}")))
                errors = stage.results
        if self._to_inputs:
            wiring.connect(m, errors, wiring.flipped(self.results))
        if self._gradients:
            m.d.comb += self.done.eq(complete.all())
            with m.If(self.done):
                m.d.sync += complete.eq(0)
        return m

    def _share(self, m):
        """Activations for the gradient of each layer, its inputs, and for the derivative of each, its outputs."""
        inputs = [wiring.flipped(elements) for elements in self.activations]
        outputs = inputs[1:]
        nonlinear = [layer.activation != "linear" for layer in self._config.layers]
        for index in range(len(nonlinear)):
            if not self._gradients and (index == 0 or not nonlinear[index - 1]):
                m.d.comb += inputs[index].ready.eq(1)
            elif self._gradients and index and nonlinear[index - 1]:
                inputs[index], outputs[index - 1] = self._fork(m, f"activations_{index}", inputs[index])
        return inputs, outputs

    def _differentiate(self, m, index, outputs, errors):
        """Errors at the sums of a layer, of those at its outputs."""
        stage = ActivationDerivative(self._config.layers[index], self._config.waiting_samples(index, self._late))
        m.submodules[f"derivative_{index}"] = stage
        wiring.connect(m, outputs, stage.outputs)
        wiring.connect(m, errors, stage.errors)
        return stage.results

    def _aggregate(self, m, index, inputs, errors, complete):
        stage = GradientStage(self._config.layers[index], self._config.waiting_samples(index, self._late))
        m.submodules[f"gradient_{index}"] = stage
        wiring.connect(m, inputs, stage.inputs)
        wiring.connect(m, errors, stage.errors)
        wiring.connect(m, wiring.flipped(getattr(self, f"gradients_{index}")), stage.gradients)
        m.d.comb += stage.batch.eq(self.batch)
        with m.If(stage.done):
            m.d.sync += complete.eq(1)

    def _fork(self, m, name, elements):
        m.submodules[f"fork_{name}"] = fork = StreamFork(self._config.arithmetic.format.width, 2)
        wiring.connect(m, elements, fork.i)
        return fork.o
