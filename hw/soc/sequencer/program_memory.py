"""The instructions of a program, written word by word and read one at a time."""

from amaranth.hdl import Cat, Const, Module, Signal, unsigned
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from ...cores.component import ConfiguredComponent
from ...cores.memory.config import MemoryConfig
from ...cores.memory.memory import Memory
from ...cores.memory.ports import ReadPort
from ..bus.register_bank import window_signature
from .config import SequencerConfig

__all__ = ["ProgramMemory"]

LATENCY = 2


class ProgramMemory(ConfiguredComponent):
    """Collects the 32-bit words of an instruction and stores it when the last one is written.

    Latency: two cycles from a read to its instruction, with an output register. Throughput: a word and an instruction a
    cycle. No back-pressure.

    Parameters
    ----------
    config : SequencerConfig

    Members
    -------
    words : In(window_signature(words))
        Lowest word of an instruction first.
    read : In(ReadPort(instruction, depth))
    """

    def __init__(self, config: SequencerConfig):
        read = ReadPort(unsigned(config.instruction_set.width), config.depth, LATENCY)
        super().__init__(config, {"words": In(window_signature(config.words)), "read": In(read)})

    def elaborate(self, platform):
        m = Module()
        width = self.config.instruction_set.width
        # An instruction that is issued was written before it was read. One may be fetched while it is written, after
        # the end of a program, but then it is not issued.
        memory = Memory(unsigned(width), MemoryConfig(depth=self.config.depth, latency=LATENCY, hazard="never"))
        m.submodules.memory = memory
        wiring.connect(m, wiring.flipped(self.read), memory.reads[0])
        words, write = self.words, memory.write
        low_bits = (width // 32 - 1).bit_length()
        place, low = words.address[:low_bits], Signal(width - 32) if width > 32 else Const(0, 0)
        for index in range(width // 32 - 1):
            with m.If(words.valid & (place == index)):
                m.d.sync += low.word_select(index, 32).eq(words.data)
        m.d.comb += [
            write.address.eq(words.address[low_bits:]),
            write.data.eq(Cat(low, words.data)),
            write.enable.eq(words.valid & (place == width // 32 - 1)),
        ]
        return m
