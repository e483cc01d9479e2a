"""The backward and gradient stages of a graph, connected."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..attention.attention_backward import AttentionBackward
from ..component import ConfiguredComponent
from ..layer.activation_derivative import ActivationDerivative
from ..layer.backward_stage import BackwardStage
from ..layer.config import BATCH_WIDTH
from ..layer.gradient_stage import GradientStage
from ..layer.ports import word_read
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from ..stream.concatenation import StreamSplit
from ..stream.fork import StreamFork
from .config import AttentionNode, ConcatenationNode, GraphConfig, InputNode, LinearNode
from .error_sum import ErrorSum

__all__ = ["BackwardGraph"]


class BackwardGraph(ConfiguredComponent):
    """Takes errors at the output of a graph back through all of its nodes, and keeps the gradients of the batch.

    A source of several nodes gets the sum of their errors, in the order in which these stand in the graph.
    Errors go back as far as something there needs them: parameters, or an input node that is named.

    Number format: that of the nodes; see :class:`.BackwardStage`,
    :class:`.GradientStage`, :class:`.ActivationDerivative` and
    :class:`.AttentionBackward`.

    Throughput: a sample in the cycles of the slowest of all stages. Back-pressure: activations of
    ``config.waiting_samples`` samples can wait for their errors.

    Parameters
    ----------
    config : GraphConfig
    to_input : str
        The input node whose errors are wanted, if any.
    gradients : bool
        Compute the gradient of the weights.
    late : int
        Samples on their way from the network's outputs to their errors, beside the one in the loss.

    Members
    -------
    activations : In(stream of width).array(``config.activations``)
        Activations of :class:`.ForwardGraph`; those that nobody needs are taken at once.
    errors : In(stream of width)
        Derivatives of the loss by output 0 of a sample, then 1, and so on.
    batch : In(16), with ``gradients``
        Experiences of a batch, at least 1, and their samples less than 65536; constant while one is under way.
    done : Out(1), with ``gradients``
        The gradients of all nodes are complete; results may still be on their way.
    results : Out(stream of width), with ``to_input``
        Derivatives of the loss by number 0 of that input, then 1, and so on.
    weights_0, ... : Out(word_read)
        One for each linear node that errors go back through.
    gradients_0, ... : In(word_read), with ``gradients``
        One for each linear node; read between ``done`` and the next sample.

    Raises
    ------
    ValueError
        Neither gradients nor errors at an input are wanted; no input node of that name.

    Source
    ------
    S. Wiggins et al., section III-B and figure 4; Meng's dissertation, section 4.4.2.2.
    """

    def __init__(self, config: GraphConfig, to_input: str = "", *, gradients: bool = True, late: int = 0):
        if not (to_input or gradients):
            raise ValueError("Gradients must be computed where errors do not go back to an input")
        if to_input and to_input not in [node.name for node in config.inputs]:
            raise ValueError(f"To input must be the name of an input node, not {to_input!r}")
        self._to_input, self._gradients, self._late = to_input, gradients, late
        self._needs = config.behind(to_input, gradients=gradients)
        elements = stream.Signature(config.arithmetic.format.width)
        members = {"activations": In(elements).array(len(config.activations)), "errors": In(elements)}
        if gradients:
            members |= {"batch": In(BATCH_WIDTH), "done": Out(1)}
        if to_input:
            members["results"] = Out(elements)
        for index, node in enumerate(config.linear):
            if gradients:
                members[f"gradients_{index}"] = In(word_read(node.layer))
            if node.source in self._needs:
                members[f"weights_{index}"] = Out(word_read(node.layer))
        super().__init__(config, members)

    @property
    def to_input(self):
        """The input node whose errors are wanted, or nothing."""
        return self._to_input

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
        config = self._config
        activations = self._share_activations(m)
        complete = Signal(len(config.linear))
        # Errors at the outputs of nodes, from each that takes them.
        coming: dict[str, dict[tuple[str, int], wiring.PureInterface]] = {node.name: {} for node in config.nodes}
        coming[config.output.name]["", 0] = wiring.flipped(self.errors)
        for node in reversed(config.nodes):
            if node.name not in self._needs:
                continue
            errors = self._sum(m, node, coming[node.name])
            match node:
                case InputNode():
                    wiring.connect(m, errors, wiring.flipped(self.results))
                    continue
                case LinearNode():
                    found = self._pass_layer(m, node, errors, activations, complete)
                case ConcatenationNode():
                    found = self._pass_concatenation(m, node, errors)
                case AttentionNode():
                    found = self._pass_attention(m, node, errors, activations)
            for place, source in enumerate(node.sources):
                if source in self._needs:
                    coming[source][node.name, place] = found[place]
                elif found:
                    m.d.comb += found[place].ready.eq(1)
        if self._gradients:
            m.d.comb += self.done.eq(complete.all())
            with m.If(self.done):
                m.d.sync += complete.eq(0)
        return m

    def _share_activations(self, m):
        """Activations for all who need them, by the name of the activation and that of its user."""
        config = self._config
        shared = {}
        for name, elements in zip(config.activations, self.activations, strict=True):
            users = self._activation_users(name)
            streams = [wiring.flipped(elements)]
            if not users:
                m.d.comb += streams.pop().ready.eq(1)
            if len(users) > 1:
                m.submodules[f"{name}_activation_fork"] = fork = StreamFork(elements.payload.shape(), len(users))
                wiring.connect(m, streams[0], fork.i)
                streams = list(fork.o)
            shared.update({(name, user): way for user, way in zip(users, streams, strict=True)})
        return shared

    def _activation_users(self, name):
        """Who needs an activation: layers their inputs and outputs, attention its vectors and weights."""
        config = self._config
        attention = config.attention_of(name)
        if attention is not None:
            return [(name, 0)] if attention.name in self._needs else []
        node = config.node(name)
        # An input of a layer is needed for its gradient alone.
        kinds = (AttentionNode, LinearNode) if self._gradients else AttentionNode
        users = [
            (user.name, place)
            for user, place in config.users(name)
            if isinstance(user, kinds) and user.name in self._needs
        ]
        own = isinstance(node, LinearNode) and node.layer.activation != "linear" and name in self._needs
        return users + [("", 0)] * own

    def _sum(self, m, node, coming):
        """The sum of errors that come from several nodes, in the order of the graph."""
        config = self._config
        order = [(user.name, place) for user, place in config.users(node.name)]
        order = [key for key in [("", 0), *order] if key in coming]
        stages = {key: self._stages(key, node) for key in order}
        total = None
        for key in order:
            errors = coming[key]
            ahead = max(stages.values()) - stages[key]
            if ahead:
                depth = StreamBufferConfig(depth=(ahead + 2) * node.size)
                name = f"{node.name}_errors_waiting_{order.index(key)}"
                m.submodules[name] = buffer = StreamBuffer(errors.payload.shape(), depth)
                wiring.connect(m, errors, buffer.i)
                errors = buffer.o
            if total is None:
                total = errors
                continue
            m.submodules[f"{node.name}_error_sum_{order.index(key)}"] = both = ErrorSum(config.arithmetic)
            wiring.connect(m, total, both.i[0])
            wiring.connect(m, errors, both.i[1])
            total = both.o
        return total

    def _stages(self, key, node):
        """Samples on their way from the network's inputs to the errors that one node has for another."""
        config = self._config
        return config.stages_behind(key[0]) if key[0] else config.backward_stages[node.name]

    def _pass_layer(self, m, node, errors, activations, complete):
        """Errors at the inputs of a layer, and its gradient."""
        config, layer = self._config, node.layer
        index = config.linear.index(node)
        samples = config.waiting_samples(node.source, node.name, self._late)
        if layer.activation != "linear":
            m.submodules[f"{node.name}_derivative"] = derivative = ActivationDerivative(layer, samples)
            wiring.connect(m, activations[node.name, ("", 0)], derivative.outputs)
            wiring.connect(m, errors, derivative.errors)
            errors = derivative.results
        goes_on = node.source in self._needs
        further = errors
        if goes_on and self._gradients:
            m.submodules[f"{node.name}_errors_fork"] = fork = StreamFork(errors.payload.shape(), 2)
            wiring.connect(m, errors, fork.i)
            errors, further = fork.o
        if self._gradients:
            m.submodules[f"{node.name}_gradient"] = stage = GradientStage(layer, samples)
            wiring.connect(m, activations[node.source, (node.name, 0)], stage.inputs)
            wiring.connect(m, errors, stage.errors)
            wiring.connect(m, wiring.flipped(getattr(self, f"gradients_{index}")), stage.gradients)
            # One set of parameters for all agents sees each of their samples.
            m.d.comb += stage.batch.eq(self.batch * (config.agents // layer.parameter_sets))
            with m.If(stage.done):
                m.d.sync += complete[index].eq(1)
        if not goes_on:
            return []
        m.submodules[f"{node.name}_backward"] = back = BackwardStage(layer)
        wiring.connect(m, further, back.errors)
        wiring.connect(m, back.weights, wiring.flipped(getattr(self, f"weights_{index}")))
        return [back.results]

    def _pass_concatenation(self, m, node, errors):
        m.submodules[f"{node.name}_split"] = split = StreamSplit(errors.payload.shape(), *node.sizes)
        wiring.connect(m, errors, split.i)
        return split.o

    def _pass_attention(self, m, node, errors, activations):
        config = self._config
        m.submodules[f"{node.name}_backward"] = attention = AttentionBackward(config.attention(node, self._late))
        wiring.connect(m, errors, attention.message_errors)
        for place, (source, name) in enumerate(zip(node.sources, ("queries", "keys", "values"), strict=True)):
            wiring.connect(m, activations[source, (node.name, place)], getattr(attention, name))
        wiring.connect(m, activations[f"{node.name}_weights", (f"{node.name}_weights", 0)], attention.weights)
        return [attention.query_errors, attention.key_errors, attention.value_errors]
