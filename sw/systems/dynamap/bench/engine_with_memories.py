"""The engine of fractionally strided convolutions with its memories: what benches and tests count cycles on."""

from typing import Any

from amaranth.hdl import Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .....hw.cores.forwarding import forward_port
from .....hw.cores.fractional_convolution.config import FractionalConvolutionConfig
from .....hw.cores.fractional_convolution.engine import FractionalConvolutionEngine
from .....hw.cores.memory.config import MemoryConfig
from .....hw.cores.memory.memory import Memory

__all__ = ["EngineWithMemories"]

OUTER = ("commands", "completions", "busy", "errors", "outputs")
MEMORIES = ("inputs", "weights")


class EngineWithMemories(wiring.Component):
    """The engine, its input memory and its weight memory, into which rows come by streams, one a cycle.

    Parameters
    ----------
    config : FractionalConvolutionConfig

    Members
    -------
    commands, completions, busy, errors, outputs
        Ports of the engine.
    load_inputs, load_weights : In(stream.Signature(StructLayout))
        ``row`` to ``address``, which is past the end of no memory.
    loaded_inputs, loaded_weights : Out(stream.Signature(1))
        A transfer with each row, in the same cycle: a row waits until it is taken.
    """

    def __init__(self, config: FractionalConvolutionConfig):
        self._engine = FractionalConvolutionEngine(config)
        members = self._engine.signature.members
        streams: dict[str, Any] = {}
        for name in MEMORIES:
            port = members[f"read_{name}"].signature
            row = data.StructLayout({"row": port.shape, "address": range(port.depth)})
            streams |= {f"load_{name}": In(stream.Signature(row)), f"loaded_{name}": Out(stream.Signature(1))}
        super().__init__({name: members[name] for name in OUTER} | streams)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.engine = self._engine
        for name in OUTER:
            forward_port(m, self._engine, self, name)
        for name in MEMORIES:
            read, load, loaded = (
                getattr(part, f"{verb}_{name}")
                for part, verb in ((self._engine, "read"), (self, "load"), (self, "loaded"))
            )
            config = MemoryConfig(depth=read.signature.depth, hazard="never")
            m.submodules[name] = memory = Memory(read.signature.shape, config)
            wiring.connect(m, read, memory.reads[0])
            m.d.comb += [
                loaded.valid.eq(load.valid),
                load.ready.eq(loaded.ready),
                memory.write.enable.eq(load.valid & load.ready),
                memory.write.address.eq(load.payload.address),
                memory.write.data.eq(load.payload.row),
            ]
        return m
