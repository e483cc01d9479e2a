"""Amaranth layouts of records."""

from amaranth.hdl import signed, unsigned
from amaranth.lib import data

from .records import Record

__all__ = ["record_layout"]


def record_layout(record: Record):
    """The fields of a record, in its order."""
    return data.StructLayout(
        {field.name: signed(field.width) if field.signed else unsigned(field.width) for field in record.fields}
    )
