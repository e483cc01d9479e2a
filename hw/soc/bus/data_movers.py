"""A reader and a writer of a memory with their registers."""

from amaranth.hdl import Cat, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...cores.component import ConfiguredComponent
from ...cores.stream.packet import packet_signature
from .axi4 import Axi4ReadSignature, Axi4WriteSignature
from .axi_lite import AxiLiteSignature
from .axi_reader import AxiReader
from .axi_writer import AxiWriter
from .kernel_registers import mover_address_map
from .register_bank import RegisterBank

__all__ = ["DataMovers"]


class DataMovers(ConfiguredComponent):
    """Moves rows between a memory on AXI4 and packets, told by registers.

    A start that would be lost, of a mover that is at work, is refused with SLVERR.

    Latency and throughput are those of :class:`.RegisterBank`, :class:`.AxiReader` and :class:`.AxiWriter`.

    Parameters
    ----------
    config : DataMoverConfig

    Members
    -------
    control : :py:`In(AxiLiteSignature(...))`
        Registers: :func:`.mover_address_map` has them.
    rows_in : :py:`Out(packet_signature(row_width))`
        From the memory.
    rows_out : :py:`In(packet_signature(row_width))`
        To the memory.
    source : :py:`Out(Axi4ReadSignature(...))`
        The memory that is read.
    destination : :py:`Out(Axi4WriteSignature(...))`
        The memory that is written.
    interrupt : :py:`Out(1)`
        1 while an enabled bit of ``movers_interrupt_status`` is.
    """

    def __init__(self, config):
        width = mover_address_map().address_width
        super().__init__(
            config,
            {
                "control": In(AxiLiteSignature(width)),
                "rows_in": Out(packet_signature(config.row_width)),
                "rows_out": In(packet_signature(config.row_width)),
                "source": Out(Axi4ReadSignature(config.address_width, config.data_width)),
                "destination": Out(Axi4WriteSignature(config.address_width, config.data_width)),
                "interrupt": Out(1),
            },
        )

    @property
    def latency(self):
        """Cycles from the transfer of an address of ``control`` to the response's valid."""
        return 3

    def elaborate(self, platform):
        m = Module()
        m.submodules.bank = bank = RegisterBank(mover_address_map())
        m.submodules.reader = reader = AxiReader(self.config)
        m.submodules.writer = writer = AxiWriter(self.config)
        wiring.connect(m, wiring.flipped(self.control), bank.control)
        wiring.connect(m, reader.o, wiring.flipped(self.rows_in))
        wiring.connect(m, wiring.flipped(self.rows_out), writer.i)
        wiring.connect(m, reader.bus, wiring.flipped(self.source))
        wiring.connect(m, writer.bus, wiring.flipped(self.destination))

        registers, control = bank.registers, bank.registers.movers_control
        start_read, keep_open, start_write, across_packets, stop_write = control.value
        idle = Cat(reader.commands.ready, writer.commands.ready)
        read, write = reader.commands.payload, writer.commands.payload
        m.d.comb += [
            control.refuse.eq((start_read & ~idle[0]) | (start_write & ~idle[1])),
            reader.commands.valid.eq(control.strobe & start_read),
            read.address.eq(Cat(registers.source_address_low, registers.source_address_high)),
            read.rows.eq(registers.source_rows),
            read.last.eq(~keep_open),
            writer.commands.valid.eq(control.strobe & start_write),
            write.address.eq(Cat(registers.destination_address_low, registers.destination_address_high)),
            write.rows.eq(registers.destination_rows),
            write.packet.eq(~across_packets),
            writer.stop.eq(control.strobe & stop_write),
            registers.movers_status.eq(~idle),
        ]
        done, was = Cat(reader.completions.valid, writer.completions.valid), writer.completions.payload
        write_errors = Cat(was.unaligned, was.slave_error, was.decode_error, was.overflow)
        m.d.comb += [
            registers.rows_written.eq(was.rows),
            registers.movers_errors.set.eq(
                Cat(
                    Value.cast(reader.completions.payload) & done[0].replicate(3),
                    write_errors & done[1].replicate(4),
                )
            ),
            registers.movers_interrupt_status.set.eq(done),
            self.interrupt.eq((registers.movers_interrupt_status.value & registers.movers_interrupt_enable).any()),
        ]
        return m
