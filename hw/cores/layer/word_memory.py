"""The memory of a layer's weights, or of what an optimiser keeps for each."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..checks import require_integer
from .config import LayerConfig

__all__ = ["NumberAccess", "WordMemory", "WordRead", "WordWrite", "connect_reader"]


class WordRead(wiring.Signature):
    """A port where words are read, seen from who reads.

    Parameters
    ----------
    config : LayerConfig

    Members
    -------
    enable : Out(1)
    address : Out(range(words))
    word : In(width).array(units)
        In the next cycle.
    """

    def __init__(self, config: LayerConfig):
        super().__init__(
            {
                "enable": Out(1),
                "address": Out(range(config.words)),
                "word": In(config.arithmetic.format.width).array(config.units),
            }
        )


class WordWrite(wiring.Signature):
    """A port where words are written, seen from who writes.

    Parameters
    ----------
    config : LayerConfig

    Members
    -------
    enable : Out(1)
    address : Out(range(words))
    word : Out(width).array(units)
    """

    def __init__(self, config: LayerConfig):
        super().__init__(
            {
                "enable": Out(1),
                "address": Out(range(config.words)),
                "word": Out(config.arithmetic.format.width).array(config.units),
            }
        )


class NumberAccess(wiring.Signature):
    """A port where single numbers are read and written, seen from who does.

    Parameters
    ----------
    config : LayerConfig

    Members
    -------
    enable, write : Out(1)
    address : Out(range(words))
    lane : Out(range(units))
        Of the word.
    value : Out(width)
        What is written.
    number : In(width)
        What was read in the cycle before.
    """

    def __init__(self, config: LayerConfig):
        width = config.arithmetic.format.width
        super().__init__(
            {
                "enable": Out(1),
                "write": Out(1),
                "address": Out(range(config.words)),
                "lane": Out(range(max(config.units, 2))),
                "value": Out(width),
                "number": In(width),
            }
        )


class WordMemory(wiring.Component):
    """A number for each weight of a layer, words of ``units`` at an address (:class:`.LayerConfig`), at first +0.

    Several ports read, each from a copy of the memory, and one writes. Through ``access`` a host gets at single
    numbers; it goes before the first of the others.

    Latency: a word a cycle after its address. A word that is written in the cycle of its read is read as it was.

    Parameters
    ----------
    config : LayerConfig
    readers : int
        1 to 4.

    Members
    -------
    reads : In(WordRead).array(readers)
    write : In(WordWrite)
    access : In(NumberAccess)

    Raises
    ------
    TypeError, ValueError
        ``readers`` is no integer, or out of its range.
    """

    def __init__(self, config: LayerConfig, readers: int = 1):
        require_integer("Readers", readers, 1, 4)
        self._config = config
        super().__init__(
            {
                "reads": In(WordRead(config)).array(readers),
                "write": In(WordWrite(config)),
                "access": In(NumberAccess(config)),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def readers(self):
        """Ports where words are read."""
        return len(self.reads)

    def elaborate(self, platform):
        m = Module()
        config, access = self._config, self.access
        shape = data.ArrayLayout(config.arithmetic.format.width, config.units)
        m.submodules.memory = memory = Memory(shape=shape, depth=config.words, init=[])
        writer = memory.write_port(granularity=1)
        for index, read in enumerate(self.reads):
            port = memory.read_port()
            m.d.comb += [port.en.eq(read.enable), port.addr.eq(read.address)]
            m.d.comb += [number.eq(port.data[lane]) for lane, number in enumerate(read.word)]
            if index == 0:
                lane_read = Signal(access.lane.shape())
                m.d.sync += lane_read.eq(access.lane)
                m.d.comb += access.number.eq(port.data[lane_read])
                with m.If(access.enable):
                    m.d.comb += [port.en.eq(1), port.addr.eq(access.address)]
        m.d.comb += writer.addr.eq(Mux(access.enable, access.address, self.write.address))
        for lane, number in enumerate(self.write.word):
            chosen = access.write & (access.lane == lane)
            m.d.comb += [
                writer.en[lane].eq(Mux(access.enable, chosen, self.write.enable)),
                writer.data[lane].eq(Mux(access.enable, access.value, number)),
            ]
        return m


def connect_reader(m, port, stage):
    """Connects a stage, which has ``read_enable``, ``read_address`` and ``word``, to a port that reads."""
    m.d.comb += [port.enable.eq(stage.read_enable), port.address.eq(stage.read_address)]
    m.d.comb += [number.eq(read) for number, read in zip(stage.word, port.word, strict=True)]
