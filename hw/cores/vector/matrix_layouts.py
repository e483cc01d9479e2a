"""Layouts and memory ports that the parts of the matrix engine share."""

from amaranth.hdl import unsigned
from amaranth.lib import data

from ..memory.ports import ReadPort
from .cluster import assignment_layout
from .matrix_config import COLUMN_BLOCK, SLOTS, MatrixConfig, Product

__all__ = [
    "address_width",
    "command_layout",
    "count_width",
    "error_slot_layout",
    "group_layout",
    "issue_slot_layout",
    "list_port",
    "operand_slot_layout",
    "result_descriptor_layout",
    "table_port",
    "target_width",
    "vector_block_layout",
    "vector_word_layout",
    "wave_layout",
    "weight_port",
    "work_item_layout",
]

PRODUCT = unsigned(max(Product).bit_length())


def _blocks(config: MatrixConfig):
    """Base-two logarithm of the blocks in use: no bit where a word has one, so that nothing depends on it."""
    return unsigned((config.blocks.bit_length() - 1).bit_length())


def address_width(rows):
    """Bits of an address of ``rows`` words."""
    return max(1, (rows - 1).bit_length())


def count_width(config: MatrixConfig):
    """Bits of a number of rows, columns or steps."""
    return max(config.features, config.steps).bit_length()


def target_width(config: MatrixConfig):
    """Bits of where a result goes: a row of the result memory, or bank and row of the gradient memory.

    One more than a row needs, so that one past the memory's end is seen.
    """
    return max(address_width(config.result_rows) + 1, config.reduction.tag_width)


def group_layout(config: MatrixConfig):
    """Entry of a group table: a group of a layer, in one direction.

    ``inner`` is summed over, ``outer`` are the sums; ``start`` are addresses in the row or column list.
    """
    lists, counts = address_width(config.list_rows), config.features.bit_length()
    return data.StructLayout(
        {
            "inner_start": lists,
            "inner_count": counts,
            "outer_start": lists,
            "outer_count": counts,
            "weights_base": address_width(config.weight_rows),
            "pitch": (-(-config.features // config.weight_banks)).bit_length(),
        }
    )


def command_layout(config: MatrixConfig):
    """A product of a layer.

    ``product`` is a :class:`.Product`, ``blocks`` the base-two logarithm of the blocks in use; ``table`` and ``groups``
    say where the group table stands and how many entries it has, ``reversed`` that they are done from the last to the
    first, ``skip_empty`` that those without inner features are left out: their results, zeros, are there already.
    ``operands`` is added to a feature for the address of its word in the activation memory (in the error memory
    for the backward product), ``owned`` are the features in a bank of the activation memory; ``results`` is added to a
    feature for the row of its result. ``steps`` words of vectors are done with the same weights (0 is as 1): the next
    one's operands stand ``operand_stride``, its results ``result_stride`` further on. Neighbouring sums are then more
    often equally long than if each word had a command of its own, so less of the clusters' time is lost.

    Weight gradients have ``steps`` terms; every step adds ``operand_stride`` and ``error_stride`` to the addresses
    ``operands`` and ``errors``. With ``ones`` every operand is 1, whatever is in the memory.
    """
    activations, errors = address_width(config.activation_rows), address_width(config.error_rows)
    return data.StructLayout(
        {
            "product": PRODUCT,
            "blocks": _blocks(config),
            "reversed": 1,
            "skip_empty": 1,
            "ones": 1,
            "table": address_width(config.table_rows),
            "groups": address_width(config.table_rows + 1),
            "owned": config.features.bit_length(),
            "operands": max(activations, errors),
            "errors": errors,
            "results": address_width(config.result_rows),
            "steps": count_width(config),
            "operand_stride": max(activations, errors),
            "error_stride": errors,
            "result_stride": address_width(config.result_rows),
        }
    )


def operand_slot_layout(config: MatrixConfig):
    """Where the operand words and weights of an operand slot are.

    ``place`` is an address in the list of inner features, or for weight gradients the feature itself.
    """
    activations, errors = address_width(config.activation_rows), address_width(config.error_rows)
    return data.StructLayout(
        {
            "place": max(address_width(config.list_rows), address_width(config.features)),
            "count": count_width(config),
            "base": max(activations, errors),
            "stride": max(activations, errors),
            "owned": config.features.bit_length(),
            "ones": 1,
            "weights": address_width(config.weight_rows),
            "pitch": group_layout(config)["pitch"].shape,
        }
    )


def error_slot_layout(config: MatrixConfig):
    """Where the error words of an error slot are."""
    errors = address_width(config.error_rows)
    return data.StructLayout(
        {"count": count_width(config), "feature": address_width(config.features), "base": errors, "stride": errors}
    )


def work_item_layout(config: MatrixConfig):
    """A work item: an outer feature of a group, or a pair of row and column of a weight gradient.

    It takes a cluster for each block in use. ``end`` instead says that all work items of a command have come.
    ``new_slot``: the work item before had another operand slot. ``new_column``: the column of the column block is
    another one than before.
    """
    return data.StructLayout(
        {
            "end": 1,
            "product": PRODUCT,
            "blocks": _blocks(config),
            "new_slot": 1,
            "slot": operand_slot_layout(config),
            "weight": range(config.weight_banks),
            "new_column": 1,
            "column": range(COLUMN_BLOCK),
            "error": error_slot_layout(config),
            "target": target_width(config),
        }
    )


def wave_layout(config: MatrixConfig):
    """A wave: an assignment for each cluster, and what they read.

    It takes ``steps`` steps, in each of which all operand slots and error slots are read. Its results take
    ``drain_cycles`` to leave.
    """
    return data.StructLayout(
        {
            "product": PRODUCT,
            "steps": count_width(config),
            "drain_cycles": address_width(config.clusters + 1),
            "operand_slots": data.ArrayLayout(operand_slot_layout(config), SLOTS),
            "error_slots": data.ArrayLayout(error_slot_layout(config), config.error_slots),
            "assignments": data.ArrayLayout(assignment_layout(config), config.clusters),
        }
    )


def issue_slot_layout(config: MatrixConfig):
    """An issue slot, a cycle of a step: the words and weights of one operand slot and an error slot a port are read.

    ``active``: there is a step. ``present``: the operand slot has a term in it; otherwise it contributes zeros.
    ``index`` is the number of the operand slot, ``step`` counts modulo ``weight_banks``; ``first`` and ``last`` mark
    the first and the last step of a wave.
    """
    return data.StructLayout(
        {
            "active": 1,
            "product": PRODUCT,
            "index": range(SLOTS),
            "step": config.weight_bank_bits,
            "first": 1,
            "last": 1,
            "present": 1,
            "slot": operand_slot_layout(config),
            "errors": data.ArrayLayout(error_slot_layout(config), config.error_ports),
        }
    )


def result_descriptor_layout(config: MatrixConfig):
    """Where the results of neighbouring clusters go, as many as blocks are in use.

    They begin with block ``offset`` of the work item whose results go to ``first``. After its last block come the
    first blocks of the work item whose results go to ``second``. ``count`` of them are there; ``last`` ends a wave.
    """
    return data.StructLayout(
        {
            "product": PRODUCT,
            "blocks": _blocks(config),
            "first": target_width(config),
            "second": target_width(config),
            "offset": 2,
            "count": 3,
            "last": 1,
        }
    )


def vector_word_layout(config: MatrixConfig):
    """A word of vectors: block, then VPU; the four vectors of a VPU in the bits of one element."""
    return data.ArrayLayout(vector_block_layout(config), config.blocks)


def vector_block_layout(config: MatrixConfig):
    """A block of a word of vectors: the vectors of each VPU."""
    return data.ArrayLayout(config.vector_width, config.cluster_vpus)


def table_port(config: MatrixConfig):
    """A read port of the group tables."""
    return ReadPort(group_layout(config), config.table_rows)


def list_port(config: MatrixConfig):
    """A read port of the row list or the column list."""
    return ReadPort(address_width(config.features), config.list_rows)


def weight_port(config: MatrixConfig):
    """A read port of a bank of weights or gradients."""
    return ReadPort(config.format.width, config.weight_rows)
