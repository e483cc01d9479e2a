"""Amaranth layouts of records."""

from amaranth.hdl import signed, unsigned
from amaranth.lib import data

from .records import Record

__all__ = ["connect_fields", "record_layout"]


def record_layout(record: Record):
    """The fields of a record, in its order."""
    return data.StructLayout(
        {field.name: signed(field.width) if field.signed else unsigned(field.width) for field in record.fields}
    )


def connect_fields(m, target, source, prefix=""):
    """Drives each number of a nested view with the field of a flat one whose name is the way to it.

    Parameters
    ----------
    m : Module
    target : data.View
        A view of structures, arrays and numbers.
    source : data.View
        A view of a record: ``first_lane`` goes to ``target.first.lane``, ``counts_2`` to ``target.counts[2]``.
    prefix : str
        What the names begin with.

    Raises
    ------
    KeyError
        A number has no field.
    """
    for name, _ in target.shape():
        part = target[name]
        if isinstance(part, data.View):
            connect_fields(m, part, source, f"{prefix}{name}_")
        else:
            m.d.comb += part.eq(source[f"{prefix}{name}"])
