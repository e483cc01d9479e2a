"""Layouts of the signals that travel through a sum tree."""

from amaranth.hdl import signed
from amaranth.lib import data

from .config import SumTreeConfig
from .records import KIND_WIDTH
from .requests import RequestKind, Status

__all__ = ["changes", "clear_layout", "node_layout", "samples", "travelling_layout"]


def travelling_layout(config: SumTreeConfig, level: int):
    """A request on its way to a level, or, with ``level`` the depth, after the last one.

    ``index`` is the leaf's; of a sample, its digits of the levels before, zeros after them. ``priority`` is the leaf's
    before the request; of a sample nothing before the last level. ``amount`` is what a sample still looks for, at least
    1, and what an update or insertion adds to the leaf. A total lies in ``index`` and ``priority``, lowest bits first.
    """
    amount = {"amount": signed(config.sum_width(level) + 1)} if level < config.depth else {}
    return data.StructLayout(
        {
            "valid": 1,
            "kind": KIND_WIDTH,
            "status": Status,
            "index": config.index_width,
            "priority": config.priority_width,
            **amount,
        }
    )


def node_layout(config: SumTreeConfig, level: int):
    """A node of a level: of each child the sum of all leaves below it and those before it."""
    return data.ArrayLayout(config.sum_width(level), config.children(level))


def clear_layout(config: SumTreeConfig):
    """A row that is zero from now on."""
    return data.StructLayout({"valid": 1, "row": config.index_width})


def samples(request):
    """Whether a travelling request looks for a leaf."""
    return (request.kind == RequestKind.SAMPLE) & (request.status == Status.DONE)


def changes(request):
    """Whether it changes one."""
    is_change = (request.kind == RequestKind.UPDATE) | (request.kind == RequestKind.INSERT)
    return is_change & (request.status == Status.DONE)
