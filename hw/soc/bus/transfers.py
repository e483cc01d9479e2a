"""Parts that the reader and the writer of a memory on AXI4 share."""

from .axi_lite import Response

__all__ = ["TRANSFER_ERRORS", "connect_bursts", "note_response", "place_of"]

# Bits of a completion: nothing was moved, or what was moved means nothing.
TRANSFER_ERRORS = {"unaligned": 1, "slave_error": 1, "decode_error": 1}


def place_of(config, address):
    """Whether an address is that of no row, which row of its beat, and which beat it is the address of."""
    row, beat = (size.bit_length() - 1 for size in (config.row_bytes, config.beat_bytes))
    return address[:row].any(), address[row : max(row, beat)], address[beat:]


def connect_bursts(m, config, bursts, channel):
    """Connect bursts, counted in beats, to the address channel of a bus."""
    m.d.comb += [
        channel.valid.eq(bursts.valid),
        bursts.ready.eq(channel.ready),
        channel.payload.address.eq(bursts.payload.address << (config.beat_bytes.bit_length() - 1)),
        channel.payload.length.eq(bursts.payload.beats - 1),
    ]


def note_response(m, answered, response, result):
    """Keep the errors that a memory answers with."""
    with m.If(answered & (response == Response.SLAVE_ERROR)):
        m.d.sync += result.slave_error.eq(1)
    with m.If(answered & (response == Response.DECODE_ERROR)):
        m.d.sync += result.decode_error.eq(1)
