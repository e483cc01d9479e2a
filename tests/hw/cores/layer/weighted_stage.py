"""A stage and the weight memory that it reads, which the bench writes."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from rewardware.hw.cores.forwarding import forward_port
from rewardware.hw.cores.layer.ports import word_layout
from rewardware.hw.cores.memory.config import MemoryConfig
from rewardware.hw.cores.memory.memory import Memory
from rewardware.hw.cores.memory.ports import WritePort


class WeightedStage(wiring.Component):
    """The ports of a stage but those of its weights, and ``new_weights``, where the bench writes words.

    Parameters
    ----------
    stage : component
        With ``weights``.
    """

    def __init__(self, stage):
        self.stage = stage
        self._kept = [name for name in stage.signature.members if name != "weights"]
        members = {name: stage.signature.members[name] for name in self._kept}
        write = WritePort(word_layout(stage.config), stage.config.words)
        super().__init__(members | {"new_weights": In(write)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.stage = stage = self.stage
        m.submodules.weights = weights = Memory(word_layout(stage.config), MemoryConfig(depth=stage.config.words))
        wiring.connect(m, stage.weights, weights.reads[0])
        wiring.connect(m, wiring.flipped(self.new_weights), weights.write)
        for name in self._kept:
            forward_port(m, stage, self, name)
        return m
