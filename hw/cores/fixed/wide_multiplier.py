"""A product of words that are wider than a multiplier of the part."""

from amaranth.hdl import Module, Shape, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["WideMultiplier", "product_terms", "registered_product"]

# Bits of a part without a sign: a MULT18X18D takes 18 with one, a DSP48 as many on its narrower side.
PART = 17


class WideMultiplier(wiring.Component):
    """``product = a * b``, exactly, from products of parts of the operands.

    The multipliers of a part stand in a few rows of it, often far from what they work with. So each operand has
    registers of its own in front of them and each product of parts one behind: no path goes through a multiplier and
    through anything else, and the long wires are between registers.

    Latency: 3 cycles (operands, products of parts, their sum). Throughput: one a cycle. No back-pressure.

    Parameters
    ----------
    a_shape, b_shape : shape-like
        Integers, each signed or unsigned.

    Members
    -------
    a : In(a_shape)
    b : In(b_shape)
    product : Out
        The product, of as many bits as both have, signed if one of them is.
    """

    LATENCY = 3

    def __init__(self, a_shape, b_shape):
        a, b = Shape.cast(a_shape), Shape.cast(b_shape)
        super().__init__({"a": In(a), "b": In(b), "product": Out(Shape(a.width + b.width, a.signed or b.signed))})

    @property
    def latency(self):
        """Cycles from the operands to their product."""
        return self.LATENCY

    def elaborate(self, platform):
        m = Module()
        a, b = Signal.like(self.a, name="a_held", reset_less=True), Signal.like(self.b, name="b_held", reset_less=True)
        m.d.sync += [a.eq(self.a), b.eq(self.b)]
        total = Signal.like(self.product, name="total", reset_less=True)
        m.d.sync += total.eq(registered_product(m, a, b, "product"))
        m.d.comb += self.product.eq(total)
        return m


def registered_product(m: Module, a: Value, b: Value, name: str) -> Value:
    """The product of two words as they were a cycle ago: the sum of products of their parts, which are in registers."""
    terms = []
    for place, whole in product_terms(a, b).items():
        term = Signal(whole.shape(), name="{}_{}_{}".format(name, *place), reset_less=True)
        m.d.sync += term.eq(whole)
        terms.append(term << sum(place))
    return sum(terms[1:], terms[0])


def product_terms(a: Value, b: Value) -> dict[tuple[int, int], Value]:
    """The products of parts of two words by the parts' places; shifted by both, they add up to the words' product."""
    return {(a_place, b_place): a_part * b_part for a_place, a_part in _parts(a) for b_place, b_part in _parts(b)}


def _parts(value):
    """The parts of a word with their places; the last one has its sign."""
    limit = PART + value.shape().signed
    place = 0
    while len(value) - place > limit:
        yield place, value[place : place + PART]
        place += PART
    top = value[place:]
    yield place, top.as_signed() if value.shape().signed else top
