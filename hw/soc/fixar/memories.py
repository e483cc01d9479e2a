"""Weight banks, gradients and moments, shared by three engines."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory as Storage
from amaranth.lib.wiring import In, Out

from ...cores.array.gradient_writeback import GradientWriteback
from ...cores.memory.transposable import TransposableMemory
from ...cores.pipeline import delay
from .config import FixarConfig
from .instructions import BANKS, Memory
from .matrix_engine import MatrixEngine, gradient_config
from .transfer_engine import READ_LATENCY, TransferEngine

__all__ = ["NetworkMemories"]


class Port:
    """What one user wants of a memory port in this cycle.

    Parameters
    ----------
    name : str
        Prefix of the signals.
    rows : int
    shape : shape-like or None
        Of the words to write; None for a reader.

    Attributes
    ----------
    enable, row, words : Signal
        ``words`` is None for a reader.
    """

    def __init__(self, name, rows, shape=None):
        self.enable = Signal(name=f"{name}_enable")
        self.row = Signal(range(rows), name=f"{name}_row")
        self.words = None if shape is None else Signal(shape, name=f"{name}_words")


class SharedMemory:
    """One memory with a read and a write port, each for several users; two in one cycle are a conflict.

    Parameters
    ----------
    m : Module
    name : str
    rows : int
    shape : shape-like
        Of a row.
    readers, writers : tuple of str
        The earlier has precedence; name those first that are known early in the cycle.

    Attributes
    ----------
    read, write : dict
        A :class:`Port` for each user.
    data : Value
        What was read, one cycle after the request.
    conflict : Signal
        Two users of one port in this cycle.
    """

    def __init__(self, m, name, rows, shape, readers, writers):
        self.read = {user: Port(f"{name}_read_{user}", rows) for user in readers}
        self.write = {user: Port(f"{name}_write_{user}", rows, shape) for user in writers}
        m.submodules[name] = storage = Storage(shape=shape, depth=rows, init=[])
        read, write = storage.read_port(), storage.write_port()
        self.data = read.data
        self.conflict = Signal(name=f"{name}_conflict")
        m.d.comb += [
            write.en.eq(Cat(port.enable for port in self.write.values()).any()),
            self.conflict.eq(several(self.read.values()) | several(self.write.values())),
        ]
        # A row is read in every cycle; where nobody asks it is the last user's.
        *earlier, last = self.read.values()
        m.d.comb += read.addr.eq(last.row)
        for port in reversed(earlier):
            with m.If(port.enable):
                m.d.comb += read.addr.eq(port.row)
        *earlier, last = self.write.values()
        m.d.comb += [write.addr.eq(last.row), write.data.eq(last.words)]
        for port in reversed(earlier):
            with m.If(port.enable):
                m.d.comb += [write.addr.eq(port.row), write.data.eq(port.words)]


def several(ports):
    """Whether more than one of the ports is enabled."""
    enables = [port.enable for port in ports]
    return Cat(first & Cat(enables[number + 1 :]).any() for number, first in enumerate(enables[:-1])).any()


class HostRequest:
    """A row that the host reads or writes, decoded and registered: it has time, and the memories' addresses none.

    Parameters
    ----------
    m : Module
    config : FixarConfig
    request : view
        With ``memory``, ``row`` and ``index``.
    valid : Value
    name : str
        Prefix of the signals.

    Attributes
    ----------
    memory, row, index : Signal
    bank, bank_row : Signal
        The same row as one of a weight bank.
    """

    def __init__(self, m, config, request, valid, name):
        rows = config.weight_rows
        self.memory = delay(m, request.memory, 1, f"{name}_memory")
        self.row = delay(m, request.row, 1, f"{name}_row")
        self.index = delay(m, request.index, 1, f"{name}_index")
        self.bank = Signal(range(len(BANKS)), name=f"{name}_bank")
        self.bank_row = Signal(range(rows), name=f"{name}_bank_row")
        bank = Signal.like(self.bank, name=f"{name}_bank_next")
        m.d.sync += [self.bank.eq(bank), self.bank_row.eq(request.row)]
        for number in range(1, len(BANKS)):
            with m.If(request.row >= number * rows):
                m.d.comb += bank.eq(number)
                m.d.sync += self.bank_row.eq(request.row - number * rows)
        self._of_memory = {}
        for memory in Memory:
            enable = Signal(name=f"{name}_{memory.name.lower()}_enable")
            m.d.sync += enable.eq(valid & (request.memory == memory))
            self._of_memory[memory] = enable
        self._of_bank = []
        for number in range(len(BANKS)):
            enable = Signal(name=f"{name}_bank_{number}_enable")
            m.d.sync += enable.eq(valid & (request.memory == Memory.WEIGHT) & (bank == number))
            self._of_bank.append(enable)

    def of_memory(self, memory):
        """Whether it is for this memory."""
        return self._of_memory[memory]

    def of_bank(self, bank):
        """Whether it is for this bank of weights."""
        return self._of_bank[bank]


class NetworkMemories(wiring.Component):
    """The memories of whole networks: four weight banks, gradients, first and second moments.

    A bank a network lets the optimiser sweep one network while the matrix engine reads another. The program keeps
    users of one port apart; where it does not, ``conflict`` says so. Only the gradient memory is arbitrated: the
    optimiser waits a cycle where gradients are being added.

    Parameters
    ----------
    matrix, optimizer, transfer : MatrixEngine, OptimizerEngine, TransferEngine
        The users. Their memory ports are connected here.
    config : FixarConfig

    Members
    -------
    sweep_start : In(range(lanes))
        First row of the optimiser's command, modulo the lanes.
    conflict : Out(1)
        There was one in the cycle before.
    read_data : Out
        Row that the transfer engine asked for, ``READ_LATENCY`` cycles after its request.
    gradient_saturations : Out
        Gradient words clamped in this cycle.
    """

    def __init__(self, config: FixarConfig, *, matrix: MatrixEngine, optimizer, transfer: TransferEngine):
        self.config = config
        self.matrix, self.optimizer, self.transfer = matrix, optimizer, transfer
        super().__init__(
            {
                "sweep_start": In(range(config.lanes)),
                "conflict": Out(1),
                "read_data": Out(data.ArrayLayout(32, config.lanes)),
                "gradient_saturations": Out(range(2 * config.lanes + 1)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        self.reads = HostRequest(m, self.config, self.transfer.read.payload, self.transfer.read.valid, "read")
        self.writes = HostRequest(m, self.config, self.transfer.write, self.transfer.write.valid, "write")
        words = Signal(data.ArrayLayout(32, self.config.lanes))
        m.d.sync += words.eq(self.transfer.write.words)
        self.written_words = words
        # Rows read from the other memories, by their numbers.
        self.other_rows = {}
        self.conflicts = []
        self.elaborate_weights(m)
        self.elaborate_moments(m)
        self.elaborate_gradients(m)
        found = Signal(len(self.conflicts))
        m.d.sync += found.eq(Cat(self.conflicts))
        m.d.comb += self.conflict.eq(found.any())

        self.elaborate_answers(m)
        return m

    def elaborate_answers(self, m):
        """What the host asked for: chosen among the banks and among the other memories, then between these two."""
        words = data.ArrayLayout(32, self.config.lanes)
        memory = delay(m, self.reads.memory, 1, "answering_memory")
        bank = delay(m, self.reads.bank, 1, "answering_bank")
        of_bank = Signal(words)
        other = Signal(words)
        with m.Switch(bank):
            for number, row in enumerate(self.weight_rows):
                with m.Case(number):
                    m.d.sync += of_bank.eq(row)
        with m.Switch(memory):
            for number, row in self.other_rows.items():
                with m.Case(number):
                    m.d.sync += other.eq(row)
        is_weight = delay(m, memory == Memory.WEIGHT, 1, "is_weight")
        m.d.comb += self.read_data.eq(delay(m, Mux(is_weight, of_bank, other), READ_LATENCY - 3, "answer"))

    def elaborate_weights(self, m):
        rows = self.config.weight_rows
        words = data.ArrayLayout(32, self.config.lanes)
        matrix, optimizer = self.matrix, self.optimizer
        banks = []
        for bank, name in enumerate(BANKS):
            memory = SharedMemory(m, name, rows, words, ("host", "matrix", "optimizer"), ("host", "optimizer"))
            role = "weight" if bank < 2 else "target"
            m.d.comb += [
                memory.read["matrix"].enable.eq(matrix.weight_read.enable & (matrix.weight_read.bank == bank)),
                memory.read["matrix"].row.eq(matrix.weight_read.row),
                memory.read["optimizer"].enable.eq(
                    getattr(optimizer, f"{role}_read_enable") & (optimizer.network == bank % 2)
                ),
                memory.read["optimizer"].row.eq(getattr(optimizer, f"{role}_read_row")),
                memory.read["host"].enable.eq(self.reads.of_bank(bank)),
                memory.read["host"].row.eq(self.reads.bank_row),
                memory.write["optimizer"].enable.eq(
                    getattr(optimizer, f"{role}_write_enable") & (optimizer.network == bank % 2)
                ),
                memory.write["optimizer"].row.eq(getattr(optimizer, f"{role}_write_row")),
                memory.write["optimizer"].words.eq(getattr(optimizer, f"{role}_write_words")),
                memory.write["host"].enable.eq(self.writes.of_bank(bank)),
                memory.write["host"].row.eq(self.writes.bank_row),
                memory.write["host"].words.eq(self.written_words),
            ]
            self.conflicts.append(memory.conflict)
            banks.append(memory)

        chosen = Signal(2)
        m.d.sync += chosen.eq(matrix.weight_read.bank)
        row = Signal(words)
        with m.Switch(chosen):
            for bank, memory in enumerate(banks):
                with m.Case(bank):
                    m.d.comb += row.eq(memory.data)
        m.d.sync += matrix.weight_words.eq(row)
        m.d.comb += [
            optimizer.weight.eq(Mux(optimizer.network, banks[1].data, banks[0].data)),
            optimizer.target.eq(Mux(optimizer.network, banks[3].data, banks[2].data)),
        ]

        self.weight_rows = [memory.data for memory in banks]

    def elaborate_moments(self, m):
        rows = 2 * self.config.weight_rows
        words = data.ArrayLayout(32, self.config.lanes)
        optimizer = self.optimizer
        offset = Signal(range(rows))
        m.d.comb += offset.eq(Mux(optimizer.network, self.config.weight_rows, 0))
        halves = {
            "first": [(Memory.FIRST_MOMENT, "first_moment", None)],
            "second": [
                (Memory.SECOND_MOMENT_LOW, "second_moment_low", 0),
                (Memory.SECOND_MOMENT_HIGH, "second_moment_high", 1),
            ],
        }
        for moment, parts in halves.items():
            for number, name, half in parts:
                memory = SharedMemory(m, name, rows, words, ("host", "optimizer"), ("host", "optimizer"))
                written = getattr(optimizer, f"{moment}_write_words")
                read = getattr(optimizer, f"{moment}_moment")
                m.d.comb += [
                    memory.read["optimizer"].enable.eq(optimizer.moment_read_enable),
                    memory.read["optimizer"].row.eq(optimizer.moment_read_row + offset),
                    memory.read["host"].enable.eq(self.reads.of_memory(number)),
                    memory.read["host"].row.eq(self.reads.row),
                    memory.write["optimizer"].enable.eq(getattr(optimizer, f"{moment}_write_enable")),
                    memory.write["optimizer"].row.eq(getattr(optimizer, f"{moment}_write_row") + offset),
                    memory.write["host"].enable.eq(self.writes.of_memory(number)),
                    memory.write["host"].row.eq(self.writes.row),
                    memory.write["host"].words.eq(self.written_words),
                ]
                for lane in range(self.config.lanes):
                    bits = slice(None) if half is None else slice(32 * half, 32 * half + 32)
                    m.d.comb += [
                        memory.write["optimizer"].words[lane].eq(written[lane][bits]),
                        read[lane][bits].eq(memory.data[lane]),
                    ]
                self.conflicts.append(memory.conflict)
                self.other_rows[number] = memory.data

    def elaborate_gradients(self, m):
        config = gradient_config(self.config)
        lanes = self.config.lanes
        matrix, optimizer = self.matrix, self.optimizer
        m.submodules.gradient = memory = TransposableMemory(config)
        m.submodules.gradient_writeback = writeback = GradientWriteback(config, interval=self.config.lane_interval)
        assert writeback.latency <= matrix.path.latency  # what `MatrixEngine.write_latency` counts on
        m.d.comb += [
            writeback.valid.eq(matrix.gradient_valid),
            writeback.control.eq(matrix.gradient_control),
            self.gradient_saturations.eq(writeback.saturations),
        ]
        host_reads = self.reads.of_memory(Memory.GRADIENT)
        host_writes = self.writes.of_memory(Memory.GRADIENT)
        accumulates = Signal()
        sweep_index = self.sweep_index(m)
        m.d.comb += [
            accumulates.eq(writeback.read_enable),
            optimizer.gradient_ready.eq(~accumulates),
            memory.read_enable.eq(accumulates | host_reads | optimizer.moment_read_enable),
            memory.read_row.eq(optimizer.moment_read_row + Mux(optimizer.network, self.config.weight_rows, 0)),
            memory.read_index.eq(sweep_index),
        ]
        with m.If(host_reads):
            m.d.comb += [memory.read_row.eq(self.reads.row), memory.read_index.eq(self.reads.index)]
        with m.If(accumulates):
            m.d.comb += [
                memory.read_row.eq(writeback.read_row),
                memory.read_index.eq(writeback.read_index),
                memory.read_column.eq(writeback.read_column),
                memory.read_lane.eq(writeback.read_lane),
            ]
        m.d.comb += [
            memory.write_enable.eq(writeback.write_enable | host_writes),
            memory.write_mask.eq(-1),
            memory.write_row.eq(Mux(writeback.write_enable, writeback.write_row, self.writes.row)),
            memory.write_index.eq(Mux(writeback.write_enable, writeback.write_index, self.writes.index)),
            memory.write_column.eq(writeback.write_enable & writeback.write_column),
            memory.write_lane.eq(writeback.write_lane),
        ]
        words = Signal(data.ArrayLayout(32, lanes))
        for lane in range(lanes):
            m.d.comb += [
                writeback.low[lane].eq(matrix.gradient_low[lane]),
                writeback.high[lane].eq(matrix.gradient_high[lane]),
                writeback.read_data[lane].eq(memory.read_data[lane]),
                words[lane].eq(memory.read_data[lane]),
                memory.write_data[lane].eq(
                    Mux(writeback.write_enable, writeback.write_data[lane], self.written_words[lane])
                ),
            ]
        m.d.comb += optimizer.gradient.eq(words)
        self.other_rows[Memory.GRADIENT] = words
        self.conflicts += [
            host_reads & (accumulates | optimizer.moment_read_enable),
            host_writes & writeback.write_enable,
        ]

    def sweep_index(self, m):
        """Row modulo lanes of the optimiser's sweep, whose rows follow each other."""
        lanes = self.config.lanes
        row = self.optimizer.moment_read_row
        index = Signal(range(lanes))
        if lanes & (lanes - 1) == 0:
            m.d.comb += index.eq(row)
            return index
        next_index = Signal(range(lanes))
        next_row = Signal.like(row)
        m.d.comb += index.eq(Mux(row == next_row, next_index, self.sweep_start))
        with m.If(self.optimizer.moment_read_enable):
            m.d.sync += [next_index.eq(Mux(index == lanes - 1, 0, index + 1)), next_row.eq(row + 1)]
        return index
