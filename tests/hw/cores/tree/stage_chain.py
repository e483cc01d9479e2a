"""Level stages one after another, for their tests: the tree without entrance, exit, interconnect and banks."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.layouts import record_layout
from rewardware.hw.cores.replicated import replicated
from rewardware.hw.cores.tree.level_stage import LevelStage
from rewardware.hw.cores.tree.records import REGISTERS
from rewardware.hw.cores.tree.stage_layouts import (
    flit_layout,
    grant_layout,
    routed_command_layout,
    stage_request_layout,
)


class StageChain(wiring.Component):
    """One stage for each level."""

    def __init__(self, config):
        self.config = config
        request = stream.Signature(stage_request_layout(config))
        super().__init__(
            {
                "requests": In(request),
                "forward": Out(request),
                "commands": Out(stream.Signature(routed_command_layout(config))).array(config.levels),
                "nodes": In(stream.Signature(flit_layout(config))).array(config.levels),
                "grants": In(grant_layout(config)).array(config.levels),
                "registers": In(record_layout(REGISTERS)),
                "clear": In(1),
                "idle": Out(1),
                "idles": Out(config.levels),
            }
        )

    def elaborate(self, platform):
        m = Module()
        before = wiring.flipped(self.requests)
        for level in range(self.config.levels):
            name = "last_stage" if level == self.config.levels - 1 else f"stage_{level}"
            m.submodules[name] = stage = replicated(LevelStage(self.config))
            wiring.connect(m, before, stage.requests)
            wiring.connect(m, stage.commands, wiring.flipped(self.commands[level]))
            wiring.connect(m, wiring.flipped(self.nodes[level]), stage.nodes)
            m.d.comb += [
                stage.grant.eq(self.grants[level]),
                stage.registers.eq(self.registers),
                stage.level.eq(level),
                stage.clear.eq(self.clear),
            ]
            m.d.comb += self.idles[level].eq(stage.idle)
            before = stage.forward
        wiring.connect(m, before, wiring.flipped(self.forward))
        m.d.comb += self.idle.eq(self.idles.all())
        return m
