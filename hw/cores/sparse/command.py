"""The command of the sparse data engine, and what can be wrong with it."""

from amaranth.hdl import Cat, Signal
from amaranth.lib import data

from .index_reader import blocks_of

__all__ = ["ADDRESS_WIDTH", "STEPS", "WALKED", "check_command", "sparse_command"]

ADDRESS_WIDTH = 20
COUNT_WIDTH = 16
STEPS = ("find", "encode", "transpose", "compress", "walk")
# What the last steps need of a command.
WALKED = ("compress", "walk", "every_word", "groups", "columns", "group_base", "parameter_base")


def sparse_command(config):
    """A layer and the steps to go through, in this order: ``find`` the indexes of the maxima, ``encode``,
    ``transpose`` (encode transposed, then write the tables), ``compress`` the weights, ``walk`` them (words go to
    ``words``; ``every_word``: also masked ones).

    Fields are wider than what fits, so that what does not fit is seen.
    """
    bases = ("grouping", "index", "group", "row", "column", "weight", "parameter")
    return data.StructLayout(
        dict.fromkeys((*STEPS, "every_word"), 1)
        | {"groups": 8, "rows": COUNT_WIDTH, "columns": data.ArrayLayout(COUNT_WIDTH, config.cores)}
        | {f"{name}_base": ADDRESS_WIDTH for name in bases}
    )


def check_command(m, config, command):
    """``(too many groups, out of range, words of grouping matrices)`` of a command, three cycles after it was taken.

    The first two are the errors of :class:`~.engine.SparseDataEngine` of the same names.
    """
    most_row_blocks, most_core_blocks = blocks_of(config, config.rows), blocks_of(config, config.core_columns)
    most_blocks = most_row_blocks + config.cores * most_core_blocks
    # No wider than what fits needs: counts that are too large are seen by themselves.
    row_blocks = Signal(range(most_row_blocks + 1))
    core_blocks = [Signal(range(most_core_blocks + 1), name=f"core_blocks_{core}") for core in range(config.cores)]
    most_words = range(most_core_blocks * config.rows + 1)
    parameter_words = [Signal(most_words, name=f"parameter_words_{core}") for core in range(config.cores)]
    blocks = Signal(range(most_blocks + 1))
    grouping_words = Signal(range(most_blocks * config.groups + 1))
    m.d.sync += [
        row_blocks.eq(blocks_of(config, command.rows)),
        blocks.eq(row_blocks + sum(core_blocks)),
        grouping_words.eq((row_blocks + sum(core_blocks)) * command.groups),
    ]
    for core in range(config.cores):
        m.d.sync += [
            core_blocks[core].eq(blocks_of(config, command.columns[core])),
            parameter_words[core].eq(core_blocks[core] * command.rows),
        ]
    walks = command.compress | command.walk
    reasons = [
        command.rows == 0,
        command.rows > config.rows,
        ~Cat(count != 0 for count in command.columns).any(),
        command.find & (command.grouping_base + grouping_words > config.grouping_words),
        command.index_base + blocks > config.index_words,
        command.group_base + command.groups > config.tuples,
        command.row_base + command.rows > config.row_list,
        command.weight_base >= config.weight_words,
    ]
    for core in range(config.cores):
        reasons += [
            command.columns[core] > config.core_columns,
            command.column_base + command.columns[core] > config.column_list,
            walks & (command.parameter_base + parameter_words[core] > config.parameter_words),
        ]
    too_many, outside = Signal(), Signal()
    m.d.comb += [
        too_many.eq((command.groups == 0) | (command.groups > config.groups)),
        outside.eq(Cat(reasons).any()),
    ]
    return too_many, outside, grouping_words
