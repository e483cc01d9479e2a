"""A stage and the weight memory that it reads, which the bench writes."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In

from rewardware.hw.cores.forwarding import forward_port


class WeightedStage(wiring.Component):
    """The ports of a stage but those of its weights, and ``write_enable``, ``write_address`` and ``write_word``.

    Parameters
    ----------
    stage : component
        With ``read_enable``, ``read_address`` and ``word``.
    """

    def __init__(self, stage):
        self.stage = stage
        self._width = stage.config.arithmetic.format.width
        members = dict(stage.signature.members)
        for name in ("read_enable", "read_address", "word"):
            del members[name]
        self._kept = list(members)
        super().__init__(
            members
            | {
                "write_enable": In(1),
                "write_address": In(range(stage.config.words)),
                "write_word": In(self._width * stage.config.units),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.stage.config
        m.submodules.stage = stage = self.stage
        m.submodules.weights = weights = Memory(shape=self._width * config.units, depth=config.words, init=[])
        writer, reader = weights.write_port(), weights.read_port()
        m.d.comb += [
            writer.en.eq(self.write_enable),
            writer.addr.eq(self.write_address),
            writer.data.eq(self.write_word),
            reader.en.eq(stage.read_enable),
            reader.addr.eq(stage.read_address),
        ]
        m.d.comb += [word.eq(reader.data.word_select(index, self._width)) for index, word in enumerate(stage.word)]
        for name in self._kept:
            forward_port(m, stage, self, name)
        return m
