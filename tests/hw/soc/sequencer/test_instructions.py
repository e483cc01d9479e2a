"""The instruction table: assembler, disassembler, decoder's layouts, and words for mistakes."""

import numpy as np
import pytest
from amaranth.hdl import Const
from hypothesis import given
from hypothesis import strategies as st

from rewardware.hw.cores.records import Field
from rewardware.hw.soc.sequencer.instructions import Format, InstructionSet, Operand
from rewardware.hw.soc.sequencer.layouts import command_layout

MOVE = Format(
    "move", "mover", 1, (Field("source", 5), Field("shift", 7, signed=True), Operand(Field("count", 64), default=1))
)
CLEAR = Format("clear", "mover", 4)
ADD = Format("add", "adder", 13, (Field("a", 9), Operand(Field("b", 3), default=5)))
TABLE = InstructionSet(engines=("mover", "adder"), formats=(MOVE, CLEAR, ADD), width=96)


@st.composite
def instructions(draw):
    name = draw(st.sampled_from(["move", "clear", "add", "wait", "halt"]))
    control = {"wait": (Field("outstanding", 4),), "halt": ()}
    fields = control[name] if name in control else TABLE.format(name).record.fields
    values = {part.name: draw(st.integers(*part.range)) for part in fields}
    return name, tuple(draw(st.sets(st.sampled_from(TABLE.engines)))), values


@given(instructions())
def test_decoding_undoes_encoding(instruction):
    name, waits, values = instruction
    word = TABLE.encode(name, wait=waits, **values)
    got_name, got_waits, got_values = TABLE.decode(word)
    assert (got_name, set(got_waits), got_values) == (name, set(waits), values)


@given(instructions())
def test_layouts_find_every_field(instruction):
    name, waits, values = instruction
    if name in ("wait", "halt"):
        return
    entry = TABLE.format(name)
    layout = command_layout(TABLE, entry.engine)
    word = TABLE.encode(name, wait=waits, **values)
    payload = (word & 15) | word >> 12 << 4
    command = layout.from_bits(payload & ((1 << layout.size) - 1))
    assert command.opcode == entry.opcode
    for part, value in values.items():
        assert command.arguments[name][part] == value


def test_bits_are_where_the_documentation_says():
    word = TABLE.encode("move", wait="adder", source=3, shift=-1)
    assert word == 1 | 0b10 << 4 | 3 << 12 | 0x7F << 17 | 1 << 24
    assert TABLE.encode("halt", wait="all") == 15 | 0b11 << 4
    assert TABLE.encode("move", source=np.int64(3), shift=np.int8(-1)) == word & ~(0b10 << 4)
    assert Const(word, 96)[:4].shape().width == 4


def test_disassembly_shows_what_it_does_not_know():
    words = [TABLE.encode("add", a=7, wait=("mover", "adder")), 0, TABLE.encode("halt")]
    assert TABLE.disassemble(words, address=8) == "    8  add a=7 b=5 wait=mover,adder\n    9  ?? 0x0\n   10  halt"


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: TABLE.encode("jump"), "Instruction must be one of move, clear, add, wait, halt, not 'jump'"),
        (lambda: TABLE.encode("move", source=32, shift=0), "Field source of move must be from 0 to 31, not 32"),
        (lambda: TABLE.encode("move", source=1, shift=64), "Field shift of move must be from -64 to 63, not 64"),
        (lambda: TABLE.encode("move", source=1), "Instruction move needs a value for field shift"),
        (lambda: TABLE.encode("add", a=1, c=2), "Field of add must be one of a, b, not 'c'"),
        (lambda: TABLE.encode("halt", a=1), "Field of halt must be one of none, not 'a'"),
        (lambda: TABLE.encode("add", a=1, wait="eater"), "must be one of mover, adder, not 'eater'"),
        (lambda: TABLE.decode(3), "Opcode must be one of 1, 4, 13, 14, 15, not 3"),
        (lambda: Format("x", "y", 0), "Opcode of format x must be from 1 to 13, not 0"),
        (lambda: Format("halt", "y", 1), "Format name must not be one of wait, halt, not 'halt'"),
        (lambda: Operand(Field("wait", 3)), "must not be one of the header's"),
        (lambda: Operand(Field("a", 3), default=8), "Default of field a must be from 0 to 7, not 8"),
        (lambda: Format("x", "y", 1, (Field("a", 1), Field("a", 2))), "'a' occurs twice"),
        (lambda: InstructionSet(engines=("adder",), formats=(MOVE,)), "must be one of adder, not 'mover'"),
        (
            lambda: InstructionSet(engines=("mover",), formats=(MOVE,), width=64),
            r"Format move must fit in 64 bits, not 88 \(12 of the header and 76 of its fields\)",
        ),
        (
            lambda: InstructionSet(engines=("mover",), formats=(MOVE, Format("go", "mover", 1))),
            "Opcodes must differ, formats move and go both have 1",
        ),
        (lambda: InstructionSet(engines=("a", "a"), formats=()), "Engines must be 1 to 8 different names"),
        (lambda: InstructionSet(engines=("a",), formats=(), width=40), "must be a multiple of 32, not 40"),
    ],
)
def test_mistakes_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
