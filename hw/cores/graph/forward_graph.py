"""The forward stages of a graph, connected."""

from amaranth.hdl import Cat, Module, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..attention.attention_forward import AttentionForward
from ..component import ConfiguredComponent
from ..layer.forward_stage import ForwardStage
from ..layer.ports import word_read
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from ..stream.concatenation import StreamConcatenation
from ..stream.fork import StreamFork
from .config import AttentionNode, ConcatenationNode, GraphConfig, InputNode, LinearNode

__all__ = ["ForwardGraph"]


class ForwardGraph(ConfiguredComponent):
    """Computes the output of a graph, one sample after another; every node works on a sample of its own.

    Where ways of different lengths come together, samples of the shorter one wait in buffers. With ``activations``,
    what the backward half needs also leaves.

    Number format: that of the nodes; see :class:`.ForwardStage` and
    :class:`.AttentionForward`.

    Throughput: a sample in the cycles of the slowest node. Back-pressure: each stream of activations holds back the
    node that makes it.

    Parameters
    ----------
    config : GraphConfig
    activations : bool
        Whether they leave.

    Members
    -------
    inputs : In(stream of width).array(input nodes)
        Number 0 of a sample, then 1, and so on.
    outputs : Out(stream of width)
    activations : Out(stream of width).array(``config.activations``), or none
    weights_0, ... : Out(word_read)
        One for each linear node.
    errors : Out
        ``nonfinite``: an output of a node is infinite or NaN.

    Source
    ------
    S. Wiggins et al., section III-B and figure 4; Meng's dissertation, section 4.4.2.2.
    """

    def __init__(self, config: GraphConfig, activations: bool = False):
        elements = stream.Signature(config.arithmetic.format.width)
        self._leaving = config.activations if activations else ()
        members = {"inputs": In(elements).array(len(config.inputs)), "outputs": Out(elements)}
        if activations:
            members["activations"] = Out(elements).array(len(self._leaving))
        members |= {f"weights_{index}": Out(word_read(node.layer)) for index, node in enumerate(config.linear)}
        members["errors"] = Out(data.StructLayout({"nonfinite": 1}))
        super().__init__(config, members)

    def elaborate(self, platform):
        m = Module()
        config = self._config
        inputs = iter(self.inputs)
        # Streams at the places of nodes that take them.
        taken: dict[tuple[str, int], wiring.PureInterface] = {}
        nonfinite: list[Value] = []
        for node in config.nodes:
            sources = [taken[node.name, place] for place in range(len(node.sources))]
            match node:
                case InputNode():
                    elements = wiring.flipped(next(inputs))
                case LinearNode():
                    elements = self._add_layer(m, node, sources, nonfinite)
                case ConcatenationNode():
                    elements = self._add_concatenation(m, node, sources)
                case AttentionNode():
                    elements = self._add_attention(m, node, sources, nonfinite)
            self._share(m, node, elements, taken)
        m.d.comb += self.errors.nonfinite.eq(Cat(nonfinite).any())
        return m

    def _activation(self, name):
        """Where an activation leaves."""
        return wiring.flipped(self.activations[self._leaving.index(name)])

    def _share(self, m, node, elements, taken):
        """A node's output to all who take it."""
        config = self._config
        users = config.users(node.name)
        ways = len(users) + (node.name in self._leaving) + (node is config.output)
        streams = [elements]
        if ways > 1:
            m.submodules[f"{node.name}_fork"] = fork = StreamFork(elements.payload.shape(), ways)
            wiring.connect(m, elements, fork.i)
            streams = list(fork.o)
        for user, place in users:
            taken[user.name, place] = self._wait(m, node, user, place, streams.pop(0))
        if node is config.output:
            wiring.connect(m, streams.pop(0), wiring.flipped(self.outputs))
        if node.name in self._leaving:
            wiring.connect(m, streams.pop(0), self._activation(node.name))

    def _wait(self, m, node, user, place, elements):
        """Samples wait where those of another source come later, or where another user takes numbers at its own pace.

        A concatenation takes none while it takes those of its other source: without a buffer, the node's other users
        would have to wait meanwhile, and the concatenation for them afterwards.
        """
        others = [other for other, _ in self._config.users(node.name) if other is not user]
        samples = self._ahead(node, user) and self._ahead(node, user) + 2
        if any(isinstance(other, ConcatenationNode) and not self._ahead(node, other) for other in others):
            samples = max(samples, 1)
        if not samples:
            return elements
        depth = StreamBufferConfig(depth=max(samples * node.size, 2))
        m.submodules[f"{user.name}_waiting_{place}"] = buffer = StreamBuffer(elements.payload.shape(), depth)
        wiring.connect(m, elements, buffer.i)
        return buffer.o

    def _ahead(self, node, user):
        """Samples by which a node is ahead of the latest source of one of its users."""
        stages = self._config.forward_stages
        return max(stages[source] for source in user.sources) - stages[node.name]

    def _add_layer(self, m, node, sources, nonfinite):
        m.submodules[node.name] = stage = ForwardStage(node.layer)
        wiring.connect(m, sources[0], stage.inputs)
        index = self._config.linear.index(node)
        wiring.connect(m, stage.weights, wiring.flipped(getattr(self, f"weights_{index}")))
        nonfinite.append(stage.errors.nonfinite)
        return stage.outputs

    def _add_concatenation(self, m, node, sources):
        m.submodules[node.name] = both = StreamConcatenation(sources[0].payload.shape(), *node.sizes)
        for source, sink in zip(sources, both.i, strict=True):
            wiring.connect(m, source, sink)
        return both.o

    def _add_attention(self, m, node, sources, nonfinite):
        m.submodules[node.name] = attention = AttentionForward(node.attention)
        for source, name in zip(sources, ("queries", "keys", "values"), strict=True):
            wiring.connect(m, source, getattr(attention, name))
        if self._leaving:
            wiring.connect(m, attention.weights, self._activation(f"{node.name}_weights"))
        else:
            m.d.comb += attention.weights.ready.eq(1)
        nonfinite.append(attention.errors.nonfinite)
        return attention.messages
