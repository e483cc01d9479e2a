"""Layouts of the elementwise unit."""

from amaranth.lib import data

from ..layouts import layout_of_fields
from .elementwise_config import ElementwiseConfig

__all__ = ["COMPUTED", "ISSUED", "OWN_BLOCK", "elementwise_command", "elementwise_issue_layout"]

# Fields of a command that its operands and lanes need, and with ``blocks`` that an issue slot has besides destinations.
COMPUTED = ("a", "b", "c", "exchange", "first", "second", "function")
ISSUED = ("exchange", "first", "second", "function", "blocks")

# Value of a block field that says: each block its own.
OWN_BLOCK = 4
_STRIDE_BITS = 10
_FEATURE_BITS = 10


def elementwise_command(config: ElementwiseConfig):
    """A command: one pass over features. See :class:`.ElementwiseUnit`."""
    operand = data.StructLayout({"memory": 3, "base": config.address_bits, "stride": _STRIDE_BITS, "block": 3})
    destination = data.StructLayout(
        {"memory": 3, "base": config.address_bits, "stride": _STRIDE_BITS, "after_function": 1}
    )
    return data.StructLayout(
        {
            "a": operand,
            "b": operand,
            "c": operand,
            "exchange": 4,
            "first": 3,
            "second": 3,
            "function": 2,
            "destinations": data.ArrayLayout(destination, 2),
            "features": _FEATURE_BITS,
            "blocks": 3,
            "wait": 1,
        }
    )


def elementwise_issue_layout(config: ElementwiseConfig):
    """Layout of a command's issue slot: part ``part`` of its words, ``width`` blocks.

    ``command`` has neither bases and strides nor the number of features: ``addresses`` are those of the words of a, b
    and c, ``targets`` those of the destinations.
    """
    command = elementwise_command(config).members
    operand = layout_of_fields(command["a"], ("memory", "block"))
    destination = layout_of_fields(command["destinations"].elem_shape, ("memory", "after_function"))
    issued = dict.fromkeys("abc", operand) | {name: command[name] for name in ISSUED}
    return data.StructLayout(
        {
            "active": 1,
            "command": data.StructLayout(issued | {"destinations": data.ArrayLayout(destination, 2)}),
            "part": range(max(config.blocks // config.width, 2)),
            "addresses": data.ArrayLayout(config.address_bits, 3),
            "targets": data.ArrayLayout(config.address_bits, 2),
        }
    )
