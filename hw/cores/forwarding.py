"""Ports of a part that are ports of the whole."""

from amaranth.lib import wiring
from amaranth.lib.wiring import Out

__all__ = ["connect_port", "forward_port"]


def forward_port(m, part, whole, name):
    """Connects a part's port, an array of ports or an interface, to the one of the same name outside.

    Parameters
    ----------
    m : Module
    part, whole : component
        Both have the port ``name``, of one shape and direction; ``m`` is the whole's.
    name : str
    """
    connect_port(m, getattr(part, name), getattr(whole, name), part.signature.members[name].flow)


def connect_port(m, inner, outer, flow):
    """Connects a part's port, an array of ports or an interface, to one of the whole.

    Parameters
    ----------
    m : Module
        The whole's.
    inner, outer : port
        Both have one shape and direction.
    flow : Flow
        The direction of a port that is no interface.
    """
    if isinstance(inner, (list, tuple)):
        for one, other in zip(inner, outer, strict=True):
            connect_port(m, one, other, flow)
    elif isinstance(getattr(inner, "signature", None), wiring.Signature):
        wiring.connect(m, inner, wiring.flipped(outer))
    elif flow == Out:
        m.d.comb += outer.eq(inner)
    else:
        m.d.comb += inner.eq(outer)
