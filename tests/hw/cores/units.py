"""A small array of equal units, for the tests of the emitter."""

from dataclasses import dataclass

from amaranth.hdl import Module, ResetInserter, Signal, signed
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.replicated import replicated


@dataclass(frozen=True, kw_only=True)
class UnitConfig:
    width: int = 8
    depth: int = 2


class Stage(wiring.Component):
    """Adds one, through a register."""

    def __init__(self, config):
        self.config = config
        super().__init__({"i": In(signed(config.width)), "o": Out(signed(config.width), init=3)})

    def elaborate(self, platform):
        m = Module()
        m.d.sync += self.o.eq(self.i + 1)
        return m


class Chain(wiring.Component):
    """Stages one after the other; a unit made of units."""

    def __init__(self, config):
        self.config = config
        self.latency = config.depth
        layout = data.StructLayout({"value": signed(config.width), "tag": 3})
        super().__init__({"i": In(layout), "o": Out(layout)})

    def elaborate(self, platform):
        m = Module()
        value, tag = self.i.value, self.i.tag
        for index in range(self.config.depth):
            m.submodules[f"stage_{index}"] = stage = replicated(Stage(self.config))
            delayed = Signal.like(self.i.tag)
            m.d.comb += stage.i.eq(value)
            m.d.sync += delayed.eq(tag)
            value, tag = stage.o, delayed
        m.d.comb += [self.o.value.eq(value), self.o.tag.eq(tag)]
        return m


class Array(wiring.Component):
    """Chains one after another, of two configurations, which ``restart`` resets."""

    def __init__(self, chains=3):
        self.chains = chains
        super().__init__(
            {"requests": In(stream.Signature(signed(8), always_ready=True)), "restart": In(1), "o": Out(8)}
        )

    def elaborate(self, platform):
        m = Module()
        value = self.requests.payload
        for index in range(self.chains):
            config = UnitConfig(depth=3) if index == 1 else UnitConfig()
            chain = replicated(Chain(config))
            m.submodules[f"chain_{index}"] = ResetInserter(self.restart)(chain)
            m.d.comb += [chain.i.value.eq(value), chain.i.tag.eq(index)]
            value = (chain.o.value + chain.o.tag).as_signed()
        m.d.comb += self.o.eq(value)
        return m
