"""The forward stages of a network, connected."""

from amaranth.hdl import Cat, Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..stream.fork import StreamFork
from .config import NetworkConfig
from .forward_stage import ForwardStage
from .ports import word_read

__all__ = ["ForwardPipeline"]


class ForwardPipeline(ConfiguredComponent):
    """Computes the outputs of a network, one sample after another; every layer works on a sample of its own.

    The half of a learner in front of the cut, or a network that acts: with ``activations``, what the backward half
    needs leaves, too.

    Number format: that of the layers; see :class:`.ForwardStage`.

    Latency: the layers' together. Throughput: a sample in the ``forward_cycles`` of the slowest layer. Back-pressure:
    each stream of activations holds back the layer that makes it.

    Parameters
    ----------
    config : NetworkConfig
    activations : bool
        Whether inputs of layers leave.

    Members
    -------
    inputs : In(stream of width)
        Input 0 of a sample, then 1, and so on.
    outputs : Out(stream of width)
    activations : Out(stream of width).array(``config.cuts``), or none
        Inputs of layer 0, then of 1, and so on; at the end outputs, if their activation is not linear.
    weights_0, ... : Out(word_read)
        One for each layer.
    errors : Out
        ``nonfinite``: an output of a layer is infinite or NaN.

    Source
    ------
    Meng's dissertation, section 4.4.2.2 and figure 4.6.
    """

    def __init__(self, config: NetworkConfig, activations: bool = False):
        elements = stream.Signature(config.arithmetic.format.width)
        members = {"inputs": In(elements), "outputs": Out(elements)}
        if activations:
            members["activations"] = Out(elements).array(config.cuts)
        members |= {f"weights_{index}": Out(word_read(layer)) for index, layer in enumerate(config.layers)}
        members["errors"] = Out(data.StructLayout({"nonfinite": 1}))
        super().__init__(config, members)

    def elaborate(self, platform):
        m = Module()
        elements = wiring.flipped(self.inputs)
        nonfinite = []
        for index, layer in enumerate(self._config.layers):
            m.submodules[f"stage_{index}"] = stage = ForwardStage(layer)
            wiring.connect(m, self._cut(m, index, elements), stage.inputs)
            wiring.connect(m, stage.weights, wiring.flipped(getattr(self, f"weights_{index}")))
            nonfinite.append(stage.errors.nonfinite)
            elements = stage.outputs
        wiring.connect(m, self._cut(m, len(self._config.layers), elements), wiring.flipped(self.outputs))
        m.d.comb += self.errors.nonfinite.eq(Cat(nonfinite).any())
        return m

    def _cut(self, m, index, elements):
        """A stream that goes on, and leaves if it is wanted."""
        activations = getattr(self, "activations", ())
        if index >= len(activations):
            return elements
        m.submodules[f"fork_{index}"] = fork = StreamFork(self._config.arithmetic.format.width, 2)
        wiring.connect(m, elements, fork.i)
        wiring.connect(m, fork.o[1], wiring.flipped(activations[index]))
        return fork.o[0]
