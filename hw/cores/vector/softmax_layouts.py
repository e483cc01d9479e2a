"""Layouts of the softmax unit."""

from amaranth.lib import data

from .softmax_config import SoftmaxConfig

__all__ = ["PHASES", "softmax_command", "softmax_order_layout"]

# The phases of a command, in their order.
PHASES = ("max", "exp", "reciprocal", "normalise")


def softmax_command(config: SoftmaxConfig):
    """A command: how many alternatives, and the blocks in use."""
    return data.StructLayout({"choices": range(config.choices + 1), "blocks": range(config.blocks + 1)})


def softmax_order_layout(config: SoftmaxConfig):
    """Layout of an order to all lanes, one per cycle.

    At most one of the phases is set: the number of alternative ``choice`` and block ``slot`` is there. ``begin`` marks
    the first alternative, ``count`` all but the last.
    """
    return data.StructLayout(
        {
            **dict.fromkeys(PHASES, 1),
            "begin": 1,
            "count": 1,
            "slot": range(max(config.blocks, 2)),
            "choice": range(config.choices),
        }
    )
