"""The instruction table of FIXAR."""

from rewardware.hw.soc.fixar.instructions import INSTRUCTION_SET, LOAD, MATRIX, Dataflow, Memory, Operation


def test_every_format_fits():
    assert INSTRUCTION_SET.engines == ("transfer", "matrix", "adam")
    assert MATRIX.width <= 240
    assert INSTRUCTION_SET.width == 256


def test_enumerations_fit_their_fields():
    widths = {field.name: field.width for field in (*MATRIX.record.fields, *LOAD.record.fields)}
    for kind, name in ((Dataflow, "dataflow"), (Operation, "operation"), (Memory, "memory")):
        assert max(kind) < 1 << widths[name]


def test_a_matrix_instruction_comes_back():
    fields = {
        field.name: (index * 7 + 3) % (1 << min(field.width, 8)) for index, field in enumerate(MATRIX.record.fields)
    }
    word = INSTRUCTION_SET.encode("matrix", wait=("transfer", "adam"), **fields)
    assert INSTRUCTION_SET.decode(word) == ("matrix", ("transfer", "adam"), fields)
