"""Parameters and their mean squares, in words: a core's, or the grouping matrices of all."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from ...cores.checks import require_integer
from ...cores.float.config import find_format
from .hardware import LearningGroupHardware

__all__ = ["ParameterMemory", "connect_rows", "parameter_word"]


def parameter_word(hardware):
    """``weight_banks`` numbers of the optimiser's format."""
    return data.ArrayLayout(find_format(hardware.device.optimizer_format).width, hardware.weight_banks)


def connect_rows(m, port, host, *, numbers, squares):
    """A row that the host reads or writes to a memory's ``host`` port.

    Parameters
    ----------
    m : Module
    port : interface
        ``host`` of a :class:`ParameterMemory`, or of what passes it on.
    host : interface or component
        ``memory``, ``row``, ``write``, ``write_data``, ``read``: an access in this cycle, that it is for this one.
    numbers, squares : Memory
        The values of ``memory`` that are meant.
    """
    m.d.comb += [port.address.eq(host.row), Cat(port.word).eq(host.write_data)]
    for name, kind in (("numbers", numbers), ("squares", squares)):
        here = host.memory == kind
        m.d.comb += [
            getattr(port, f"read_{name}").eq(host.read & here),
            getattr(port, f"write_{name}").eq(host.write & here),
        ]


class ParameterMemory(wiring.Component):
    """Two memories side by side, numbers and mean squares, with one read and one write port that all share: any tool
    makes block RAM of them, a memory for each lane.

    Latency: data come one cycle after the address and stay until the next read; a read does not see the write of its
    own cycle. Throughput: a word read and a word, or lanes of it, written a cycle. No back-pressure.

    Parameters
    ----------
    hardware : LearningGroupHardware
    rows : int
        Words.
    readers : int
        Engines that read.

    Members
    -------
    reads : In, array of ``readers``
        ``enable``, ``address``.
    numbers, squares : out, words
        What was read last.
    write_lanes : In(weight_banks)
    write_address, new_numbers, new_squares : in
    host : In
        ``read_numbers``, ``read_squares``: read the word at ``address``; ``write_numbers``, ``write_squares``: write
        ``word`` there.
    memory_conflict : Out(1)
        Two read, or write, in the same cycle.

    Source
    ------
    LearningGroup, section III-C: global parameter memory.
    """

    def __init__(self, hardware: LearningGroupHardware, rows: int, readers: int):
        require_integer("Rows", rows, 2, 1 << 20)
        require_integer("Readers", readers, 1, 8)
        self.config, self.rows, self.readers = hardware, rows, readers
        word, address = parameter_word(hardware), range(rows)
        flags = ("read_numbers", "read_squares", "write_numbers", "write_squares")
        super().__init__(
            {
                "reads": In(wiring.Signature({"enable": Out(1), "address": Out(address)})).array(readers),
                "numbers": Out(word),
                "squares": Out(word),
                "write_lanes": In(hardware.weight_banks),
                "write_address": In(address),
                "new_numbers": In(word),
                "new_squares": In(word),
                "host": In(
                    wiring.Signature(dict.fromkeys(flags, Out(1)) | {"address": Out(address), "word": Out(word)})
                ),
                "memory_conflict": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        host = self.host
        address = Signal(range(self.rows))
        m.d.comb += address.eq(host.address)
        asked = [host.read_numbers | host.read_squares]
        conflicts = []
        for read in self.reads:
            conflicts += [read.enable & other for other in asked]
            asked.append(read.enable)
            with m.If(read.enable):
                m.d.comb += address.eq(read.address)
        conflicts.append((host.write_numbers | host.write_squares) & self.write_lanes.any())
        m.d.comb += self.memory_conflict.eq(Cat(conflicts).any())
        for name, words, new, writes in (
            ("numbers", self.numbers, self.new_numbers, host.write_numbers),
            ("squares", self.squares, self.new_squares, host.write_squares),
        ):
            for lane in range(self.config.weight_banks):
                m.submodules[f"{name}_{lane}"] = bank = memory.Memory(shape=len(words[lane]), depth=self.rows, init=[])
                read, write = bank.read_port(), bank.write_port()
                m.d.comb += [
                    read.en.eq(Cat(asked).any()),
                    read.addr.eq(address),
                    words[lane].eq(read.data),
                    write.en.eq(writes | self.write_lanes[lane]),
                    write.addr.eq(Mux(writes, host.address, self.write_address)),
                    write.data.eq(Mux(writes, host.word[lane], new[lane])),
                ]
        return m
