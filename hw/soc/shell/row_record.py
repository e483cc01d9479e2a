"""Rows of the host's streams, as tables. No Amaranth here."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from ...cores.checks import require_name
from ...cores.records import Field, Record

__all__ = ["RowRecord", "element_rows", "request_row"]


@dataclass(frozen=True, kw_only=True)
class RowRecord:
    """A word of a stream, or of a row that has several.

    Parameters
    ----------
    name : str
    direction : str
        ``"in"``: from the host; ``"out"``: to the host.
    record : Record
        Its fields, the first in the lowest bits; those above the last one mean nothing.
    width : int
        Bits from one such word to the next.
    description : str
    constants : Mapping
        Fields that always have one value in it, such as the kind of a request.

    Raises
    ------
    ValueError
        Another direction; the fields take more bits than the word has; a constant is none of them.
    """

    name: str
    direction: str
    record: Record
    width: int
    description: str = ""
    constants: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_name(f"Direction of {self.name}", self.direction, ("in", "out"))
        if self.record.width > self.width:
            raise ValueError(f"Fields of {self.name} must fit in {self.width} bits, not {self.record.width}")
        names = [part.name for part in self.record.fields]
        for name in self.constants:
            if name not in names:
                raise ValueError(f"Constant of {self.name} must be one of {', '.join(names)}, not {name!r}")


def element_rows(name: str, width: int, description: str, *, signed: bool = False) -> tuple[RowRecord, RowRecord]:
    """A number of the memories that loads and stores reach: ``load_NAME`` to the device, ``store_NAME`` from it."""
    record = Record((Field("element", width, signed),))
    loaded, stored = (
        RowRecord(name=f"{kind}_{name}", direction=direction, record=record, width=width, description=description)
        for kind, direction in (("load", "in"), ("store", "out"))
    )
    return loaded, stored


def request_row(kind: enum.IntEnum, header: Record, arguments: Record, width: int, description: str) -> RowRecord:
    """A request, ``KIND_request``: a header, whose field ``kind`` says which one it is, and its arguments."""
    return RowRecord(
        name=f"{kind.name.lower()}_request",
        direction="in",
        record=Record((*header.fields, *arguments.fields)),
        width=width,
        description=description,
        constants={"kind": kind},
    )
