"""The engine with its memories, which a bench fills."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from rewardware.hw.cores.forwarding import forward_port
from rewardware.hw.cores.fractional_convolution.engine import FractionalConvolutionEngine
from rewardware.hw.cores.memory.config import MemoryConfig
from rewardware.hw.cores.memory.memory import Memory
from rewardware.hw.cores.memory.ports import WritePort

OUTER = ("commands", "completions", "busy", "errors", "outputs")


class WithMemories(wiring.Component):
    """The engine, the input memory and the weight memory.

    Members
    -------
    Those of the engine but for its read ports; ``load_inputs``, ``load_weights`` (write ports).
    """

    def __init__(self, config):
        self.engine = FractionalConvolutionEngine(config)
        members = self.engine.signature.members
        loads = {f"load_{name}": members[f"read_{name}"].signature for name in ("inputs", "weights")}
        super().__init__(
            {name: members[name] for name in OUTER}
            | {name: Out(WritePort(port.shape, port.depth)).flip() for name, port in loads.items()}
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.engine = self.engine
        for name in OUTER:
            forward_port(m, self.engine, self, name)
        for name in ("inputs", "weights"):
            read = getattr(self.engine, f"read_{name}")
            m.submodules[name] = memory = Memory(
                read.signature.shape, MemoryConfig(depth=read.signature.depth, hazard="never")
            )
            wiring.connect(m, read, memory.reads[0])
            wiring.connect(m, wiring.flipped(getattr(self, f"load_{name}")), memory.write)
        return m
