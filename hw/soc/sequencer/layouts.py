"""Amaranth layouts made from an instruction set."""

from amaranth.hdl import signed, unsigned
from amaranth.lib import data

from .instructions import HEADER_WIDTH, OPCODE_WIDTH, WAIT_WIDTH

__all__ = ["command_layout", "format_layout", "header_layout"]

header_layout = data.StructLayout({"opcode": unsigned(OPCODE_WIDTH), "wait": unsigned(WAIT_WIDTH)})
assert header_layout.size == HEADER_WIDTH


def format_layout(entry):
    """Fields of one :class:`Format`, in the order of the table."""
    return data.StructLayout(
        {part.name: signed(part.width) if part.signed else unsigned(part.width) for part in entry.fields}
    )


def command_layout(instruction_set, engine):
    """What an engine's command stream carries: the opcode, and the fields of the format that it names.

    ``payload.opcode`` tells the formats of the engine apart; ``payload.arguments.<format>.<field>`` is an operand.
    """
    formats = {entry.name: format_layout(entry) for entry in instruction_set.formats_of(engine)}
    return data.StructLayout({"opcode": unsigned(OPCODE_WIDTH), "arguments": data.UnionLayout(formats)})
