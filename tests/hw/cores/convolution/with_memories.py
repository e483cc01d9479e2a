"""The GEMM engine and the memories around it, which a bench fills and reads through ports of its own."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from rewardware.hw.cores.convolution.gemm_engine import GemmEngine
from rewardware.hw.cores.forwarding import forward_port
from rewardware.hw.cores.memory.config import MemoryConfig, SharedMemoryConfig
from rewardware.hw.cores.memory.memory import Memory
from rewardware.hw.cores.memory.ports import WritePort
from rewardware.hw.cores.memory.shared import SharedMemory
from rewardware.hw.cores.memory.transposable import TransposableMemory, TransposableWritePort


class WithMemories(wiring.Component):
    """An engine with its buffers and accumulators.

    Members
    -------
    commands, completions, busy, errors
        Ports of the engine.
    input_writes, weight_writes
        Ports of the halves of the buffers.
    sum_reads, sum_writes
        Ports of the banks of the accumulators.
    """

    def __init__(self, config):
        self.engine = GemmEngine(config)
        members = self.engine.signature.members
        self.own = ("commands", "completions", "busy", "errors")
        self.weight_row = members["weights"].signature.shape
        self.sum_row = members["sum_reads"].signature.shape
        # Which streams are those of a part: the rule of streams is held there.
        self.passes_streams_of = (self.engine,)
        super().__init__(
            {name: members[name] for name in self.own}
            | {
                "input_writes": In(TransposableWritePort(config.input_memory)).array(2),
                "weight_writes": In(WritePort(self.weight_row, config.weight_rows)).array(2),
                "sum_reads": members["sum_reads"].flip(),
                "sum_writes": members["sum_writes"].flip(),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.engine.config
        m.submodules.engine = engine = self.engine
        for name in self.own:
            forward_port(m, engine, self, name)
        for half in range(2):
            m.submodules[f"inputs_{half}"] = inputs = TransposableMemory(config.input_memory)
            m.submodules[f"weights_{half}"] = weights = Memory(self.weight_row, MemoryConfig(depth=config.weight_rows))
            wiring.connect(m, engine.inputs[half], inputs.read)
            wiring.connect(m, engine.weights[half], weights.reads[0])
            wiring.connect(m, wiring.flipped(self.input_writes[half]), inputs.write)
            wiring.connect(m, wiring.flipped(self.weight_writes[half]), weights.write)
        lanes = config.array.columns
        shared = SharedMemoryConfig(depth=config.bank_rows, readers=2, writers=2, lanes=lanes)
        for bank in range(config.array.drains):
            m.submodules[f"sums_{bank}"] = sums = SharedMemory(self.sum_row, shared)
            for kind in ("reads", "writes"):
                outside, ports = getattr(self, f"sum_{kind}")[bank], getattr(sums, kind)
                wiring.connect(m, getattr(engine, f"sum_{kind}")[bank], ports[0])
                wiring.connect(m, wiring.flipped(outside), ports[1])
        return m
