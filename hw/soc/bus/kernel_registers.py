"""Registers of the data movers, and the map of a kernel that has them. No Amaranth here."""

from ...cores.records import Field
from .registers import Access, AddressMap, Placed, Register, RegisterField

__all__ = ["MOVERS_ADDRESS", "MOVERS_SIZE", "kernel_address_map", "mover_address_map"]

# After the registers of every shell, before those of its accelerator.
MOVERS_ADDRESS = 0x80
MOVERS_SIZE = 0x40
# XRT gives a kernel so much of the address space.
KERNEL_SPACE = 1 << 16


def _bits(*described):
    """Fields of one bit each, from bit 0."""
    return tuple(RegisterField(Field(name), index, text) for index, (name, text) in enumerate(described))


def _place(name, of):
    """Address and number of rows of one mover."""
    return (
        Register(name=f"{name}_address_low", access=Access.READ_WRITE, description=f"Address {of}, lower half."),
        Register(name=f"{name}_address_high", access=Access.READ_WRITE, description=f"Address {of}, upper half."),
        Register(name=f"{name}_rows", access=Access.READ_WRITE, description=f"Number of rows {of}."),
    )


def mover_address_map():
    """The registers of both movers, from address 0."""
    refused = "refused while one is under way"
    failed = "the address is no multiple of a row's bytes in the memory: nothing was moved"
    registers = (
        *_place("source", "to be read"),
        *_place("destination", "to be written, at most"),
        Register(
            name="movers_control",
            access=Access.STROBE,
            width=5,
            description="Writing ones starts what is named.",
            fields=_bits(
                ("start_read", f"move rows from the memory to the device; {refused}"),
                ("keep_open", "with start_read: the last row ends no packet"),
                ("start_write", f"move rows from the device to the memory, to the end of a packet; {refused}"),
                ("across_packets", "with start_write: the number of rows alone counts, whatever packets they are of"),
                ("stop_write", "the write under way takes no more rows, and ends"),
            ),
        ),
        Register(
            name="movers_status",
            access=Access.READ_ONLY,
            width=2,
            description="What is under way.",
            fields=_bits(("reading", "a read has not ended"), ("writing", "a write has not ended")),
        ),
        Register(
            name="rows_written",
            access=Access.READ_ONLY,
            description="Rows that the last write took. When it has ended, all of them are in the memory.",
        ),
        Register(
            name="movers_errors",
            access=Access.WRITE_ONE_TO_CLEAR,
            width=7,
            description="Sticky flags.",
            fields=_bits(
                ("read_unaligned", failed),
                ("read_slave_error", "the memory answered a read with SLVERR: rows mean nothing"),
                ("read_decode_error", "the memory answered a read with DECERR: rows mean nothing"),
                ("write_unaligned", failed),
                ("write_slave_error", "the memory answered a write with SLVERR"),
                ("write_decode_error", "the memory answered a write with DECERR"),
                ("write_overflow", "a packet was longer than the rows to be written: its rest was dropped"),
            ),
        ),
        Register(
            name="movers_interrupt_enable",
            access=Access.READ_WRITE,
            width=2,
            description="Ones let the bits of movers_interrupt_status raise the interrupt.",
            fields=_bits(("read_done", ""), ("write_done", "")),
        ),
        Register(
            name="movers_interrupt_status",
            access=Access.WRITE_ONE_TO_CLEAR,
            width=2,
            description="What happened since ones were written.",
            fields=_bits(
                ("read_done", "a read has ended: the device has taken all rows"),
                ("write_done", "a write has ended: all rows are in the memory"),
            ),
        ),
    )
    return AddressMap(name="movers", items=registers)


def kernel_address_map(system_map):
    """The map of a system with those of the movers at ``MOVERS_ADDRESS``.

    Raises
    ------
    ValueError
        It does not end below 64 KiB, or has something else where the movers' registers are to be.
    """
    if system_map.size > KERNEL_SPACE:
        raise ValueError(
            f"The register map of a kernel must end below {KERNEL_SPACE:#x}, not at {system_map.size:#x}: "
            "the program memory must be smaller"
        )
    movers = [Placed(MOVERS_ADDRESS + entry.address, entry.item) for entry in mover_address_map().placed]
    return AddressMap(name=system_map.name, items=(*system_map.placed, *movers))
