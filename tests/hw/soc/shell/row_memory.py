"""The smallest system there is: one engine that loads rows into a memory and stores them. For tests."""

from dataclasses import dataclass

from amaranth.hdl import Module, ResetInserter, Signal, unsigned
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.engine import connect_engine
from rewardware.hw.cores.records import Field
from rewardware.hw.cores.stream.packet import PacketReader, packet_signature
from rewardware.hw.cores.stream.packet_config import PacketReaderConfig
from rewardware.hw.soc.bus.registers import Access, Register
from rewardware.hw.soc.devices import DeviceDescriptor
from rewardware.hw.soc.sequencer.instructions import Format, InstructionSet
from rewardware.hw.soc.sequencer.layouts import command_layout
from rewardware.hw.soc.shell.config import ShellConfig, configuration_hash
from rewardware.hw.soc.shell.system import System

DEVICE = DeviceDescriptor(
    name="row_memory",
    description="loads rows and stores them",
    component=f"{__name__}:RowMemory",
    configuration=f"{__name__}:RowMemoryConfig",
    presets=f"{__package__}:presets",
    default_preset="narrow",
)
RANGE = (Field("base", 8), Field("count", 9))
INSTRUCTION_SET = InstructionSet(
    engines=("load", "store"),
    formats=(Format("load", "load", 1, RANGE), Format("store", "store", 2, RANGE)),
    width=64,
)


@dataclass(frozen=True, kw_only=True)
class RowMemoryConfig:
    """Configuration of the row memory.

    Parameters
    ----------
    lanes : int
        Words of a row.
    depth : int
        Rows.
    instructions : int
        Depth of the program memory.
    name, system : str
        Names of the preset and of the descriptor.
    """

    lanes: int = 3
    depth: int = 100
    instructions: int = 16
    name: str = "custom"
    system: str = "row_memory"

    @property
    def shell(self):
        return ShellConfig(
            system_id="ROWS",
            configuration_hash=configuration_hash(self),
            instruction_set=INSTRUCTION_SET,
            stream_width=32 * self.lanes,
            instruction_depth=self.instructions,
            stream_depth=5,
            registers=(
                Register(name="offset", access=Access.READ_WRITE, reset=7, signed=True),
                Register(name="rows_loaded", access=Access.READ_ONLY, width=40),
                Register(name="clear", access=Access.STROBE, width=1),
                Register(name="seen", access=Access.WRITE_ONE_TO_CLEAR, width=2),
            ),
        )


error_names = data.StructLayout({"address_out_of_range": 1, "stream_underflow": 1, "stream_overflow": 1})


class LoadEngine(wiring.Component):
    """Writes a packet into the memory."""

    def __init__(self, config):
        self.config = config
        width = 32 * config.lanes
        super().__init__(
            {
                "commands": In(stream.Signature(command_layout(INSTRUCTION_SET, "load"))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(error_names),
                "rows_in": In(packet_signature(width)),
                "write": Out(stream.Signature(data.StructLayout({"address": 8, "row": width}), always_ready=True)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.reader = reader = PacketReader(PacketReaderConfig(width=32 * self.config.lanes, count_width=9))
        wiring.connect(m, wiring.flipped(self.rows_in), reader.i)
        address = Signal(9)
        fields = self.commands.payload.arguments.load
        working = Signal()
        m.d.comb += [
            reader.requests.valid.eq(self.commands.valid),
            reader.requests.payload.eq(fields.count),
            self.commands.ready.eq(reader.requests.ready),
            self.completions.valid.eq(reader.done),
            self.busy.eq(working),
            reader.o.ready.eq(1),
            self.write.valid.eq(reader.o.valid & (address < self.config.depth)),
            self.write.payload.address.eq(address),
            self.write.payload.row.eq(reader.o.payload),
            self.errors.address_out_of_range.eq(reader.o.valid & (address >= self.config.depth)),
            self.errors.stream_underflow.eq(reader.underflow),
            self.errors.stream_overflow.eq(reader.overflow),
        ]
        with m.If(reader.done):
            m.d.sync += working.eq(0)
        with m.If(self.commands.valid & self.commands.ready):
            m.d.sync += [address.eq(fields.base), working.eq(1)]
        with m.If(reader.o.valid & reader.o.ready):
            m.d.sync += address.eq(address + 1)
        return m


class StoreEngine(wiring.Component):
    """Sends rows of the memory as a packet."""

    def __init__(self, config):
        self.config = config
        width = 32 * config.lanes
        super().__init__(
            {
                "commands": In(stream.Signature(command_layout(INSTRUCTION_SET, "store"))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "rows_out": Out(packet_signature(width)),
                "address": Out(8),
                "row": In(width),
            }
        )

    def elaborate(self, platform):
        m = Module()
        fields = self.commands.payload.arguments.store
        left = Signal(9)
        m.d.comb += [self.rows_out.payload.data.eq(self.row), self.rows_out.payload.last.eq(left == 1)]
        with m.FSM() as fsm:
            with m.State("IDLE"):
                m.d.comb += self.commands.ready.eq(1)
                with m.If(self.commands.valid):
                    m.d.sync += [self.address.eq(fields.base), left.eq(fields.count)]
                    m.next = "READ"
            with m.State("READ"):
                m.next = "SEND"
            with m.State("SEND"):
                m.d.comb += self.rows_out.valid.eq(1)
                with m.If(self.rows_out.ready):
                    m.d.sync += [self.address.eq(self.address + 1), left.eq(left - 1)]
                    m.next = "READ"
                    with m.If(left == 1):
                        m.next = "DONE"
            with m.State("DONE"):
                m.d.comb += self.completions.valid.eq(1)
                m.next = "IDLE"
            m.d.comb += self.busy.eq(~fsm.ongoing("IDLE"))
        return m


class RowMemory(System):
    """The system."""

    def connect_engines(self, m, shell):
        config = self.config
        load, store = LoadEngine(config), StoreEngine(config)
        m.submodules.load = ResetInserter(shell.reset)(load)
        m.submodules.store = ResetInserter(shell.reset)(store)
        connect_engine(m, shell.engines.load, load)
        connect_engine(m, shell.engines.store, store)
        wiring.connect(m, shell.rows_in, load.rows_in)
        wiring.connect(m, store.rows_out, shell.rows_out)

        m.submodules.rows = rows = memory.Memory(shape=unsigned(32 * config.lanes), depth=config.depth, init=[])
        write, read = rows.write_port(), rows.read_port()
        registers = shell.registers
        m.d.comb += [
            write.en.eq(load.write.valid),
            write.addr.eq(load.write.payload.address),
            write.data.eq(load.write.payload.row + registers.offset - 7),
            read.addr.eq(store.address),
            store.row.eq(read.data),
            registers.seen.set.eq(load.commands.valid),
        ]
        with m.If(registers.clear.strobe & registers.clear.value):
            m.d.sync += registers.rows_loaded.eq(0)
        with m.Elif(load.write.valid):
            m.d.sync += registers.rows_loaded.eq(registers.rows_loaded + 1)
