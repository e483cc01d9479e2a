"""Amaranth layouts of records."""

from amaranth.hdl import signed, unsigned
from amaranth.lib import data

from .records import Record

__all__ = ["connect_fields", "layout_of_fields", "layout_without", "record_layout", "take_fields"]


def record_layout(record: Record):
    """The fields of a record, in its order."""
    return data.StructLayout(
        {field.name: signed(field.width) if field.signed else unsigned(field.width) for field in record.fields}
    )


def layout_of_fields(layout, names):
    """The layout of some fields of a structure: what a unit holds of a command."""
    return data.StructLayout({name: layout.members[name] for name in names})


def layout_without(layout, *names):
    """The layout of all fields of a structure but some."""
    return layout_of_fields(layout, [name for name in layout.members if name not in names])


def take_fields(target, source):
    """Assignments of all fields of a view from those of the same names of another."""
    return [target[name].eq(source[name]) for name in target.shape().members]


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
