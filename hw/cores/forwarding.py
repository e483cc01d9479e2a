"""Ports of a part that are ports of the whole."""

from amaranth.lib import wiring
from amaranth.lib.wiring import Out

__all__ = ["forward_port"]


def forward_port(m, part, whole, name):
    """Connects a part's port, an array of ports or an interface, to the one of the same name outside.

    Parameters
    ----------
    m : Module
    part, whole : component
        Both have the port ``name``, of one shape and direction; ``m`` is the whole's.
    name : str
    """
    _forward(m, getattr(part, name), getattr(whole, name), part.signature.members[name].flow)


def _forward(m, inner, outer, flow):
    if isinstance(inner, (list, tuple)):
        for one, other in zip(inner, outer, strict=True):
            _forward(m, one, other, flow)
    elif isinstance(getattr(inner, "signature", None), wiring.Signature):
        wiring.connect(m, inner, wiring.flipped(outer))
    elif flow == Out:
        m.d.comb += outer.eq(inner)
    else:
        m.d.comb += inner.eq(outer)
