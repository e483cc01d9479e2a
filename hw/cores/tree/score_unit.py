"""Scores of a node's children."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..pipeline import delay
from .config import FACTOR_WIDTH, IN_FLIGHT_WIDTH, LOSS_WIDTH, SCORE_FRACTION, VALUE_WIDTH, TreeConfig

__all__ = ["ScoreUnit", "score_of_choice"]


def score_of_choice(config: TreeConfig, score):
    """The score that a child is chosen by, without what says that nobody had chosen it before."""
    if not config.unvisited_first:
        return score
    unvisited = score[-2] & ~score[-1]
    below = score[:-2]
    return Cat(below, Mux(unvisited, below[-1].replicate(2), score[-2:])).as_signed()


class ScoreUnit(ConfiguredComponent):
    """Computes the scores of some children of a node at once, each ``V + (g * r >> 16) - loss * O``.

    V is ``first_value`` for a child that has not been visited. A child whose action is not legal has the least number.
    In UCT one that nobody has chosen has 01 in the two uppermost bits, which are equal otherwise: a number greater than
    every score, and the same for all of them, from which :func:`score_of_choice` gets the score back.

    Number format: 16 fraction bits, ``score_width`` bits; the product is rounded down, and nothing else can be lost.

    Latency: 3 cycles and what follows the last register, which is a table of four inputs for each bit. Throughput: all
    children a cycle. No back-pressure.

    Parameters
    ----------
    config : TreeConfig
    children : int
        How many.

    Members
    -------
    edges : In(array of {value, factor, visited, in_flight, legal})
    exploration : In(exploration_width)
        g of the node.
    loss, first_value : In
        Registers, steady.
    scores : Out(array of signed(score_width))
    """

    LATENCY = 3

    def __init__(self, config: TreeConfig, children: int):
        self.children = children
        super().__init__(
            config,
            {
                "edges": In(self.edges_layout(children)),
                "exploration": In(config.exploration_width),
                "loss": In(LOSS_WIDTH),
                "first_value": In(signed(VALUE_WIDTH)),
                "scores": Out(data.ArrayLayout(signed(config.score_width), children)),
            },
        )

    @staticmethod
    def edges_layout(children: int):
        """Operands of a child's score."""
        edge = {
            "value": signed(VALUE_WIDTH),
            "factor": FACTOR_WIDTH,
            "visited": 1,
            "in_flight": IN_FLIGHT_WIDTH,
            "legal": 1,
        }
        return data.ArrayLayout(data.StructLayout(edge), children)

    @property
    def latency(self):
        """Cycles from edges to scores."""
        return self.LATENCY

    def elaborate(self, platform):
        m = Module()
        exploration = delay(m, self.exploration, 1, "exploration")
        # The virtual loss of a selection under way.
        self._gain = Signal(signed(LOSS_WIDTH + 1), reset_less=True)
        m.d.sync += self._gain.eq(-self.loss)
        for number in range(self.children):
            m.d.comb += self.scores[number].eq(self._score(m, self.edges[number], exploration, number))
        return m

    def _score(self, m, edge, exploration, number):
        width = self._config.score_width

        def register(shape, name, value):
            signal = Signal(shape, name=f"{name}_{number}", reset_less=True)
            m.d.sync += signal.eq(value)
            return signal

        factor = register(FACTOR_WIDTH, "factor", edge.factor)
        in_flight = register(IN_FLIGHT_WIDTH, "in_flight", edge.in_flight)
        value = register(signed(VALUE_WIDTH), "value", Mux(edge.visited, edge.value, self.first_value))
        legal = delay(m, edge.legal, self.latency, f"legal_{number}")
        # Two products, each with a sum behind it, as multipliers of FPGAs have one.
        product = register(FACTOR_WIDTH + len(exploration), "product", factor * exploration)
        rest = register(signed(width), "rest", value + in_flight * self._gain)
        total = register(signed(width + SCORE_FRACTION), "total", (rest << SCORE_FRACTION) + product)
        score = Signal(width, name=f"score_{number}")
        m.d.comb += score.eq(total[SCORE_FRACTION:])
        if self._config.unvisited_first:
            unvisited = delay(m, ~edge.visited & ~edge.in_flight.any(), self.latency, f"unvisited_{number}")
            with m.If(unvisited):
                m.d.comb += score[-2:].eq(0b01)
        with m.If(~legal):
            m.d.comb += score.eq(1 << width - 1)
        return score.as_signed()
