"""Both halves of a learner, cut apart, and the weights of each, which the bench writes."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.forwarding import forward_port
from rewardware.hw.cores.graph.backward_graph import BackwardGraph
from rewardware.hw.cores.graph.forward_graph import ForwardGraph
from rewardware.hw.cores.graph.perceptron import perceptron_graph
from rewardware.hw.cores.layer.config import NetworkConfig
from rewardware.hw.cores.layer.parameter_array import ParameterArray
from rewardware.hw.cores.layer.ports import parameter_write


class Segments(wiring.Component):
    """The ports of both halves but those of their weights, which are behind ports for single parameters.

    Parameters
    ----------
    config : NetworkConfig
    """

    OUTSIDE = ("inputs", "outputs", "activations")

    def __init__(self, config: NetworkConfig):
        graph = perceptron_graph(config)
        self.forward, self.backward = ForwardGraph(graph, activations=True), BackwardGraph(graph, "input_0")
        members = {f"forward_{name}": self.forward.signature.members[name] for name in self.OUTSIDE}
        for name in ("activations", "errors", "results", "batch", "done"):
            members[f"backward_{name}"] = self.backward.signature.members[name]
        for index, layer in enumerate(config.layers):
            members[f"gradients_{index}"] = self.backward.signature.members[f"gradients_{index}"]
            members[f"weights_{index}"] = In(parameter_write(layer))
        super().__init__(members | {"nonfinite": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.forward, m.submodules.backward = forward, backward = self.forward, self.backward
        for prefix, part in (("forward", forward), ("backward", backward)):
            for name in part.signature.members:
                if hasattr(self, f"{prefix}_{name}"):
                    _outside(m, part, name, getattr(self, f"{prefix}_{name}"))
        m.d.comb += self.nonfinite.eq(forward.errors.nonfinite)
        for index, layer in enumerate(node.layer for node in forward.config.linear):
            forward_port(m, backward, self, f"gradients_{index}")
            m.submodules[f"weights_{index}"] = memory = ParameterArray(layer, 2)
            wiring.connect(m, wiring.flipped(getattr(self, f"weights_{index}")), memory.host_write)
            wiring.connect(m, getattr(forward, f"weights_{index}"), memory.reads[0])
            wiring.connect(m, getattr(backward, f"weights_{index}"), memory.reads[1])
        return m


def _outside(m, part, name, port):
    """A part's port to a port of another name."""
    inner = getattr(part, name)
    if name in ("batch", "done"):
        m.d.comb += inner.eq(port) if part.signature.members[name].flow == In else port.eq(inner)
    elif isinstance(inner, (list, tuple)):
        for one, other in zip(inner, port, strict=True):
            wiring.connect(m, one, wiring.flipped(other))
    else:
        wiring.connect(m, inner, wiring.flipped(port))
