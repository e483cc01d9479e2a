"""Configuration of the data movers. No Amaranth here."""

from dataclasses import dataclass

from ...cores.checks import require_integer, require_power_of_two

__all__ = ["DataMoverConfig"]

# A burst of AXI never crosses a multiple of this many bytes.
PAGE_BYTES = 4096


@dataclass(frozen=True, kw_only=True)
class DataMoverConfig:
    """Configuration of the movers between a memory on AXI4 and a stream of rows.

    In the memory, rows stand one after the other, each at a multiple of ``row_bytes``, the smallest power of two of
    bytes that holds one; bytes after the bits of a row are not read, and not written.

    Bursts end where a multiple of their size ends, so that none crosses a page of 4 KiB.

    Parameters
    ----------
    row_width : int
        Bits of a row, a multiple of 32.
    data_width : int
        Bits of a beat of the bus, a power of two from 32 to 1024: a row is one beat, several beats, or a part of one.
    address_width : int
        Bits of a byte address, from 13 to 64.
    count_width : int
        Bits of the number of rows of a transfer.
    burst_beats : int
        Beats of the longest burst, a power of two from 2 to 256; not more than 4096 bytes.
    outstanding : int
        Bursts under way at most, from 2. The reader buffers so many of them whole.
    """

    row_width: int
    data_width: int = 512
    address_width: int = 64
    count_width: int = 32
    burst_beats: int = 16
    outstanding: int = 8

    def __post_init__(self):
        require_integer("Row width", self.row_width, 32, unit=32)
        require_power_of_two("Data width", self.data_width, 32, 1024)
        require_integer("Address width", self.address_width, 13, 64)
        require_integer("Count width", self.count_width, 2, 32)
        require_power_of_two("Beats of a burst", self.burst_beats, 2, 256)
        require_integer("Outstanding bursts", self.outstanding, 2)
        if self.burst_beats * self.beat_bytes > PAGE_BYTES:
            raise ValueError(
                f"A burst must have at most {PAGE_BYTES} bytes, not {self.burst_beats} beats of {self.beat_bytes}"
            )

    @classmethod
    def of_rows(cls, row_width):
        """Movers of rows: a row is a beat, or up to 512 bits of one; a burst is 1 KiB, of at most 256 beats."""
        beat = min(1 << (row_width - 1).bit_length(), 512)
        return cls(row_width=row_width, data_width=beat, burst_beats=min(8192 // beat, 256))

    @property
    def row_bytes(self):
        """Bytes from one row to the next in the memory, a power of two."""
        return 1 << (self.row_width // 8 - 1).bit_length()

    @property
    def beat_bytes(self):
        """Bytes of a beat."""
        return self.data_width // 8

    @property
    def rows_per_beat(self):
        """Rows side by side in a beat; 1 where a row has a beat or more."""
        return max(self.beat_bytes // self.row_bytes, 1)

    @property
    def beats_per_row(self):
        """Beats of a row; 1 where a beat has a row or more."""
        return max(self.row_bytes // self.beat_bytes, 1)

    @property
    def beat_count_width(self):
        """Bits of the number of beats of a transfer."""
        return self.count_width + self.beats_per_row.bit_length()

    @property
    def beat_address_width(self):
        """Bits of the address of a beat."""
        return self.address_width - (self.beat_bytes - 1).bit_length()
