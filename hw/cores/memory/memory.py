"""The memories that every core and system is made of."""

from amaranth.hdl import Cat, Module, Mux, Shape, Signal, Value, unsigned
from amaranth.lib import memory
from amaranth.lib.wiring import In

from ..component import ConfiguredComponent
from .config import MemoryConfig
from .ports import ReadPort, WritePort

__all__ = ["Memory", "Rom"]


class Memory(ConfiguredComponent):
    """Rows with one write port and one or more read ports; a reset leaves what they hold.

    Every lane is an array of its own, written as a whole word, so that any tool infers block RAM (with a latency of 0
    distributed RAM) without byte enables.

    Latency: ``config.latency`` cycles from a read to its data; what is written is read from the next cycle on, and
    before as ``config.hazard`` says, lane by lane. Throughput: on each port a row a cycle. No
    back-pressure.

    Parameters
    ----------
    shape : shape-like
        A row.
    config : MemoryConfig
    init : iterable of int
        The rows at power-on, as those of a :class:`Rom`; zeros if there are none.

    Members
    -------
    reads : In(ReadPort(shape, depth, latency)).array(readers)
    write : In(WritePort(shape, depth, lanes))

    Raises
    ------
    ValueError
        A row does not divide into the lanes; more rows than the depth, or rows of more than one lane.
    """

    def __init__(self, shape, config: MemoryConfig, init=()):
        self._init = _checked(init, config)
        read = ReadPort(shape, config.depth, config.latency)
        write = WritePort(shape, config.depth, config.lanes)
        super().__init__(config, {"reads": In(read).array(config.readers), "write": In(write)})

    def elaborate(self, platform):
        m = Module()
        config = self._config
        written = Value.cast(self.write.data)
        width = len(written) // config.lanes
        forwards = config.hazard == "forward"
        # For each read port a word of each lane.
        words: list[list[Value]] = [[] for _ in self.reads]
        for lane in range(config.lanes):
            word = written[lane * width : (lane + 1) * width]
            array = memory.Memory(shape=unsigned(width), depth=config.depth, init=self._init, attrs=_attributes(config))
            m.submodules[f"lane_{lane}" if config.lanes > 1 else "rows"] = array
            port = array.write_port()
            m.d.comb += [port.en.eq(self.write.enable[lane]), port.addr.eq(self.write.address), port.data.eq(word)]
            for number, read in enumerate(self.reads):
                words[number].append(_read(m, array, read, config.latency))
                if forwards:
                    met = self.write.enable[lane] & (self.write.address == read.address)
                    words[number][-1] = _forward(m, read, met, word, words[number][-1], f"{number}_{lane}")
        for number, (read, parts) in enumerate(zip(self.reads, words, strict=True)):
            if forwards and config.latency == 2:
                parts = self._forward_late(m, read, parts, f"{number}")
            _answer(m, read, Cat(parts), config.latency, f"{number}")
        return m

    def _forward_late(self, m, read, words, name):
        """The lanes of a row on their way to the output register, as read or as they are written meanwhile."""
        address = Signal.like(read.address, name=f"read_address_{name}", reset_less=True)
        with m.If(read.enable):
            m.d.sync += address.eq(read.address)
        write = self.write
        written = Value.cast(write.data)
        return [
            Mux(write.enable[lane] & (write.address == address), written.word_select(lane, len(word)), word)
            for lane, word in enumerate(words)
        ]


class Rom(ConfiguredComponent):
    """Rows that are given when the design is built, with one or more read ports.

    Latency: ``config.latency`` cycles from a read to its data. Throughput: on each port a row a cycle. No
    back-pressure.

    Parameters
    ----------
    shape : shape-like
        A row.
    config : MemoryConfig
        With one lane.
    init : iterable of int
        The rows, at most ``config.depth``; zeros stand after the last one.

    Members
    -------
    reads : In(ReadPort(shape, depth, latency)).array(readers)

    Raises
    ------
    ValueError
        More rows than the depth, or more than one lane.
    """

    def __init__(self, shape, config: MemoryConfig, init):
        self._init = _checked(init, config)
        super().__init__(config, {"reads": In(ReadPort(shape, config.depth, config.latency)).array(config.readers)})

    @property
    def init(self):
        """The rows."""
        return self._init

    def elaborate(self, platform):
        m = Module()
        config = self._config
        width = Shape.cast(self.reads[0].signature.shape).width
        m.submodules.rows = array = memory.Memory(
            shape=unsigned(width), depth=config.depth, init=self._init, attrs=_attributes(config)
        )
        for number, read in enumerate(self.reads):
            _answer(m, read, _read(m, array, read, config.latency), config.latency, f"{number}")
        return m


def _checked(init, config):
    """The rows at power-on."""
    rows = tuple(init)
    if len(rows) > config.depth:
        raise ValueError(f"Rows must be at most {config.depth}, not {len(rows)}")
    if rows and config.lanes != 1:
        raise ValueError(f"Lanes must be 1 for a memory with rows at power-on, not {config.lanes}")
    return rows


def _attributes(config):
    """Attributes of an array for synthesis tools."""
    attributes = {} if config.style == "auto" else {"ram_style": config.style}
    # Unless the old word is wanted, synthesis adds nothing that would keep it while a new one is written.
    return attributes | ({} if config.hazard == "old" else {"no_rw_check": 1})


def _read(m, array, read, latency):
    """A read port of an array, combinational or with the array's own register."""
    port = array.read_port(domain="comb" if latency == 0 else "sync")
    m.d.comb += port.addr.eq(read.address)
    if latency:
        m.d.comb += port.en.eq(read.enable)
    return port.data


def _forward(m, read, met, word, stored, name):
    """The word as read, or as it was written in the cycle of the read."""
    was_met = Signal(name=f"was_met_{name}", reset_less=True)
    kept = Signal(len(word), name=f"kept_{name}", reset_less=True)
    with m.If(read.enable):
        m.d.sync += [was_met.eq(met), kept.eq(word)]
    return Mux(was_met, kept, stored)


def _answer(m, read, row, latency, name):
    """The row to its port, through an output register that a block RAM can absorb."""
    if latency == 2:
        output = Signal(len(row), name=f"output_{name}", reset_less=True)
        arrives = Signal(name=f"arrives_{name}")
        m.d.sync += arrives.eq(read.enable)
        with m.If(arrives):
            m.d.sync += output.eq(row)
        row = output
    m.d.comb += Value.cast(read.data).eq(row)
