"""Layouts and ports that the parts of the matrix engine share."""

from amaranth.hdl import unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .cluster import task_layout
from .matrix_config import SLOTS, STRIP, MatrixConfig, Product

__all__ = [
    "BlockWriteSignature",
    "WeightReadSignature",
    "address_width",
    "command_layout",
    "count_width",
    "entry_layout",
    "error_slot_layout",
    "group_layout",
    "item_layout",
    "read_signature",
    "round_layout",
    "slot_layout",
    "target_width",
    "write_signature",
]

PRODUCT = unsigned(max(Product).bit_length())
# Base-two logarithm of the blocks in use.
BLOCKS = unsigned(2)


def address_width(rows):
    """Bits of an address of ``rows`` words."""
    return max(1, (rows - 1).bit_length())


def count_width(config: MatrixConfig):
    """Bits of a number of rows, columns or steps."""
    return max(config.features, config.steps).bit_length()


def target_width(config: MatrixConfig):
    """Bits of where a result goes: a row of the result memory, or bank and row of the gradient memory.

    One more than a row needs, so that one behind the memory's end is seen.
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
            "blocks": BLOCKS,
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


def slot_layout(config: MatrixConfig):
    """Where the operand words and weights of a slot are.

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
    """Where the error words of a slot are."""
    errors = address_width(config.error_rows)
    return data.StructLayout(
        {"count": count_width(config), "feature": address_width(config.features), "base": errors, "stride": errors}
    )


def item_layout(config: MatrixConfig):
    """An outer feature of a group, or a pair of row and column of a weight gradient: what takes a cluster a block.

    ``end`` instead says that all items of a command have come. ``new_slot`` and ``new_column``: the item before had
    another operand slot, or the column of the strip is another one than before.
    """
    return data.StructLayout(
        {
            "end": 1,
            "product": PRODUCT,
            "blocks": BLOCKS,
            "new_slot": 1,
            "slot": slot_layout(config),
            "weight": range(config.weight_banks),
            "new_column": 1,
            "column": range(STRIP),
            "error": error_slot_layout(config),
            "target": target_width(config),
        }
    )


def round_layout(config: MatrixConfig):
    """What is done in a round: up to four operand slots, and error slots, for ``steps`` steps; its results take
    ``drain_cycles`` to leave."""
    return data.StructLayout(
        {
            "product": PRODUCT,
            "steps": count_width(config),
            "drain_cycles": address_width(config.clusters + 1),
            "slots": data.ArrayLayout(slot_layout(config), SLOTS),
            "errors": data.ArrayLayout(error_slot_layout(config), config.error_slots),
            "tasks": data.ArrayLayout(task_layout(config), config.clusters),
        }
    )


def entry_layout(config: MatrixConfig):
    """Results of neighbouring clusters, as many as blocks are in use.

    They begin with block ``offset`` of the item that goes to ``first``; what follows its last block are the first
    blocks of the item that goes to ``second``. ``count`` of them are there; ``last`` ends a round.
    """
    return data.StructLayout(
        {
            "product": PRODUCT,
            "blocks": BLOCKS,
            "first": target_width(config),
            "second": target_width(config),
            "offset": 2,
            "count": 3,
            "last": 1,
        }
    )


def read_signature(rows, shape):
    """A synchronous read port, seen from the reader; ``data`` stays until the next read.

    Members: ``enable``, ``address`` out; ``data`` in, one cycle later.
    """
    return wiring.Signature({"enable": Out(1), "address": Out(address_width(rows)), "data": In(shape)})


def write_signature(rows, shape):
    """A write port, seen from the writer: ``enable``, ``address``, ``data`` out."""
    return wiring.Signature({"enable": Out(1), "address": Out(address_width(rows)), "data": Out(shape)})


class WeightReadSignature(wiring.Signature):
    """``weight_banks`` weights at once, each bank at its own address, seen from the reader.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    enable : Out(1)
    addresses : Out(range(weight_rows)).array(weight_banks)
    data : In(format.width).array(weight_banks)
        One cycle later.
    """

    def __init__(self, config: MatrixConfig):
        super().__init__(
            {
                "enable": Out(1),
                "addresses": Out(address_width(config.weight_rows)).array(config.weight_banks),
                "data": In(config.format.width).array(config.weight_banks),
            }
        )


class BlockWriteSignature(wiring.Signature):
    """A word into the result memory, each block to its own row, seen from the writer.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    enables : Out(blocks)
        A bit for each block.
    addresses : Out(range(result_rows)).array(blocks)
    data : Out(4 * format.width).array(blocks, cluster_vpus)
    """

    def __init__(self, config: MatrixConfig):
        super().__init__(
            {
                "enables": Out(config.blocks),
                "addresses": Out(address_width(config.result_rows)).array(config.blocks),
                "data": Out(config.vector_width).array(config.blocks, config.cluster_vpus),
            }
        )
