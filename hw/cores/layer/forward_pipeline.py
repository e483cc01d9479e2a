"""The forward stages of a network, joined."""

from amaranth.hdl import Cat, Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..stream.fork import StreamFork
from .config import NetworkConfig
from .forward_stage import ForwardStage
from .word_memory import WordRead, connect_reader

__all__ = ["ForwardPipeline"]


class ForwardPipeline(wiring.Component):
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
    weights_0, ... : Out(WordRead)
        Of each layer.
    errors : Out
        ``nonfinite``: an output of a layer is infinite or NaN.

    Source
    ------
    Meng's dissertation, section 4.4.2.2 and figure 4.6.
    """

    def __init__(self, config: NetworkConfig, activations: bool = False):
        self._config = config
        numbers = stream.Signature(config.arithmetic.format.width)
        members = {"inputs": In(numbers), "outputs": Out(numbers)}
        if activations:
            members["activations"] = Out(numbers).array(config.cuts)
        members |= {f"weights_{index}": Out(WordRead(layer)) for index, layer in enumerate(config.layers)}
        members["errors"] = Out(data.StructLayout({"nonfinite": 1}))
        super().__init__(members)

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        numbers = wiring.flipped(self.inputs)
        nonfinite = []
        for index, layer in enumerate(self._config.layers):
            m.submodules[f"stage_{index}"] = stage = ForwardStage(layer)
            wiring.connect(m, self._cut(m, index, numbers), stage.inputs)
            connect_reader(m, getattr(self, f"weights_{index}"), stage)
            nonfinite.append(stage.errors.nonfinite)
            numbers = stage.outputs
        wiring.connect(m, self._cut(m, len(self._config.layers), numbers), wiring.flipped(self.outputs))
        m.d.comb += self.errors.nonfinite.eq(Cat(nonfinite).any())
        return m

    def _cut(self, m, index, numbers):
        """A stream that goes on, and leaves if it is wanted."""
        activations = getattr(self, "activations", ())
        if index >= len(activations):
            return numbers
        m.submodules[f"fork_{index}"] = fork = StreamFork(self._config.arithmetic.format.width, 2)
        wiring.connect(m, numbers, fork.i)
        wiring.connect(m, fork.o[1], wiring.flipped(activations[index]))
        return fork.o[0]
