"""The registers of an address map in hardware."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .axi_lite import AxiLiteSignature, AxiLiteSlave
from .registers import WORD_BYTES, Access

__all__ = ["RegisterBank", "register_signature", "window_signature"]

WORD_BITS = 8 * WORD_BYTES


def register_signature(registers):
    """Ports of registers, seen from the bank: one member a register that is not constant.

    Read-write: an output of its value. Read-only: an input. Write-1-to-clear: ``set``, an input of bits to set, and
    ``value``, an output. Strobe: ``value``, an output; ``refuse``, an input that says whether that value cannot be
    taken now; ``strobe``, an output of one cycle.
    """
    members = {}
    for register in registers:
        width = register.width
        match register.access:
            case Access.READ_WRITE:
                members[register.name] = Out(width, init=register.reset)
            case Access.READ_ONLY:
                members[register.name] = In(width)
            case Access.WRITE_ONE_TO_CLEAR:
                members[register.name] = Out(wiring.Signature({"set": In(width), "value": Out(width)}))
            case Access.STROBE:
                members[register.name] = Out(wiring.Signature({"value": Out(width), "refuse": In(1), "strobe": Out(1)}))
    return wiring.Signature(members)


def window_signature(words):
    """Ports of a window of so many words, seen from the bank.

    ``valid`` for the one cycle of a write, ``address`` of the word within the window, ``data``.
    """
    return wiring.Signature({"valid": Out(1), "address": Out((words - 1).bit_length()), "data": Out(WORD_BITS)})


class RegisterBank(wiring.Component):
    """Registers and windows behind AXI4-Lite.

    Reads and writes outside the map, reads of a window, writes to a constant or read-only register and writes that the
    hardware refuses are answered with SLVERR and change nothing; so is a write to a window that leaves out bytes. A
    write to a register changes the bytes whose strobe is set. Reading the low word of a register wider than 32 bits
    keeps its high word, which the next read of any high word returns. Setting wins over clearing.

    Latency and throughput are those of :class:`.AxiLiteSlave`.

    Parameters
    ----------
    address_map : AddressMap

    Members
    -------
    control : :py:`In(AxiLiteSignature(address_map.address_width))`
        From the host.
    registers : :py:`Out(register_signature(...))`
        One member a register; absent without registers.
    windows : :py:`Out(Signature)`
        One member a window, see :func:`window_signature`; absent without windows.
    """

    def __init__(self, address_map):
        self.address_map = address_map
        members = {"control": In(AxiLiteSignature(address_map.address_width))}
        if address_map.registers:
            members["registers"] = Out(register_signature([entry.item for entry in address_map.registers]))
        if address_map.windows:
            windows = {
                entry.item.name: Out(window_signature(entry.item.size // WORD_BYTES)) for entry in address_map.windows
            }
            members["windows"] = Out(wiring.Signature(windows))
        super().__init__(members)

    @property
    def latency(self):
        """Cycles from the transfer of an address (and data) to the response's valid."""
        return 3

    def elaborate(self, platform):
        m = Module()
        m.submodules.slave = slave = AxiLiteSlave(self.address_map.address_width)
        wiring.connect(m, wiring.flipped(self.control), slave.control)
        self._read_registers(m, slave.read)
        m.d.comb += slave.write.okay.eq(self._write_registers(m, slave.write) | self._write_windows(m, slave.write))
        return m

    def _read_registers(self, m, read):
        """Addresses are decoded with a register, and what is read is chosen by one bit a register."""
        kept = Signal(WORD_BITS)
        answers = []
        for entry in self.address_map.registers:
            value, word = self._readable(entry.item), entry.address // WORD_BYTES
            low = self._selected(m, read.address, word, f"read_{entry.item.name}")
            answers.append((low, value[:WORD_BITS]))
            if entry.item.size > WORD_BYTES:
                with m.If(read.enable & low):
                    m.d.sync += kept.eq(value[WORD_BITS:])
                answers.append((self._selected(m, read.address, word + 1, f"read_{entry.item.name}_high"), kept))
        m.d.comb += [
            read.okay.eq(Cat(selected for selected, _ in answers).any()),
            read.data.eq(_any_of([Mux(selected, value, 0) for selected, value in answers])),
        ]

    def _write_registers(self, m, write):
        """Whether a register takes what is written."""
        written = Signal(WORD_BITS)
        m.d.comb += written.eq(Cat(write.strobe[byte].replicate(8) for byte in range(WORD_BYTES)))
        takes = []
        for entry in self.address_map.registers:
            if entry.item.access in (Access.CONSTANT, Access.READ_ONLY):
                continue
            selected = self._selected(m, write.address, entry.address // WORD_BYTES, f"write_{entry.item.name}")
            refused = self._write(m, entry.item, write.enable & selected, write.data, written)
            takes.append(selected & ~refused)
        return Cat(takes).any()

    def _write_windows(self, m, write):
        """Whether a window takes what is written."""
        takes = []
        for entry in self.address_map.windows:
            port = getattr(self.windows, entry.item.name)
            bits = len(port.address)
            selected = Signal(name=f"within_{entry.item.name}")
            m.d.comb += [
                selected.eq((write.address[bits:] == entry.address // WORD_BYTES >> bits) & write.strobe.all()),
                port.valid.eq(write.enable & selected),
                port.address.eq(write.address[:bits]),
                port.data.eq(write.data),
            ]
            takes.append(selected)
        return Cat(takes).any()

    @staticmethod
    def _selected(m, address, number, name):
        selected = Signal(name=name)
        m.d.sync += selected.eq(address == number)
        return selected

    def _readable(self, register):
        match register.access:
            case Access.CONSTANT:
                return Const(register.reset, register.width)
            case Access.WRITE_ONE_TO_CLEAR:
                return getattr(self.registers, register.name).value
            case Access.STROBE:
                return Const(0, WORD_BITS)
            case _:
                return getattr(self.registers, register.name)

    def _write(self, m, register, selected, data, written):
        """Writes one register; whether it refuses that."""
        port = getattr(self.registers, register.name)
        bits = slice(register.width)
        match register.access:
            case Access.READ_WRITE:
                with m.If(selected):
                    m.d.sync += port.eq((port & ~written[bits]) | (data[bits] & written[bits]))
            case Access.WRITE_ONE_TO_CLEAR:
                cleared = Signal(register.width, name=f"cleared_{register.name}")
                with m.If(selected):
                    m.d.comb += cleared.eq(data[bits] & written[bits])
                m.d.sync += port.value.eq((port.value & ~cleared) | port.set)
            case Access.STROBE:
                m.d.comb += [port.value.eq(data[bits] & written[bits]), port.strobe.eq(selected & ~port.refuse)]
                return port.refuse
        return Const(0)


def _any_of(values):
    """Bitwise or, as a balanced tree."""
    if len(values) == 1:
        return values[0]
    middle = len(values) // 2
    return _any_of(values[:middle]) | _any_of(values[middle:])
