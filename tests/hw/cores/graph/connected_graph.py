"""Both halves of a graph, connected, and the weights that both read, which the bench writes."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.forwarding import forward_port
from rewardware.hw.cores.graph.backward_graph import BackwardGraph
from rewardware.hw.cores.graph.config import GraphConfig
from rewardware.hw.cores.graph.forward_graph import ForwardGraph
from rewardware.hw.cores.layer.parameter_array import ParameterArray
from rewardware.hw.cores.layer.ports import parameter_write


class ConnectedGraph(wiring.Component):
    """The ports of both halves but their activations, and after ``new_weights_0`` and so on single parameters.

    Parameters
    ----------
    config : GraphConfig
    """

    def __init__(self, config: GraphConfig):
        self.config = config
        self.forward, self.backward = ForwardGraph(config, activations=True), BackwardGraph(config)
        members = {name: self.forward.signature.members[name] for name in ("inputs", "outputs")}
        members |= {name: self.backward.signature.members[name] for name in ("errors", "batch", "done")}
        for index, node in enumerate(config.linear):
            members[f"gradients_{index}"] = self.backward.signature.members[f"gradients_{index}"]
            members[f"new_weights_{index}"] = In(parameter_write(node.layer))
        super().__init__(members | {"nonfinite": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.forward, m.submodules.backward = forward, backward = self.forward, self.backward
        for source, sink in zip(forward.activations, backward.activations, strict=True):
            wiring.connect(m, source, sink)
        for inner, port in zip(forward.inputs, self.inputs, strict=True):
            wiring.connect(m, wiring.flipped(port), inner)
        wiring.connect(m, forward.outputs, wiring.flipped(self.outputs))
        wiring.connect(m, wiring.flipped(self.errors), backward.errors)
        m.d.comb += [
            backward.batch.eq(self.batch),
            self.done.eq(backward.done),
            self.nonfinite.eq(forward.errors.nonfinite),
        ]
        for index, node in enumerate(self.config.linear):
            forward_port(m, backward, self, f"gradients_{index}")
            m.submodules[f"weights_{index}"] = memory = ParameterArray(node.layer, 2)
            wiring.connect(m, wiring.flipped(getattr(self, f"new_weights_{index}")), memory.host_write)
            wiring.connect(m, getattr(forward, f"weights_{index}"), memory.reads[0])
            if hasattr(backward, f"weights_{index}"):
                wiring.connect(m, getattr(backward, f"weights_{index}"), memory.reads[1])
        return m
