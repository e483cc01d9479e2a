"""Amaranth layouts made from an instruction set."""

from amaranth.hdl import unsigned
from amaranth.lib import data

from ...cores.layouts import record_layout
from .instructions import OPCODE_WIDTH

__all__ = ["command_layout"]


def command_layout(instruction_set, engine):
    """Layout of an engine's command stream: the opcode, and the fields of the format that it names.

    ``payload.opcode`` tells the formats of the engine apart; ``payload.arguments.<format>.<field>`` is an operand.
    """
    formats = {entry.name: record_layout(entry.record) for entry in instruction_set.formats_of(engine)}
    return data.StructLayout({"opcode": unsigned(OPCODE_WIDTH), "arguments": data.UnionLayout(formats)})
