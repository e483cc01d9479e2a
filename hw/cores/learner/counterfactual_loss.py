"""The loss of MAAC's policies."""

from amaranth.hdl import Const, Module, Mux
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..attention.sequential_sum import SequentialSum
from ..attention.stream_expression import stream_expression
from ..checks import require_integer
from ..component import ConfiguredComponent
from ..float.config import FloatLaneConfig
from ..float.expression import Number
from ..float.functions.config import FloatFunctionConfig
from ..float.functions.logarithm import FloatLogarithm
from ..stream.connect import connect_field, connect_handshake
from ..stream.element_choice import ElementChoice
from ..stream.held_operand import HeldOperand
from ..stream.join import StreamJoin
from ..stream.one_hot import OneHot
from ..stream.ways import buffer_to, fork_stream
from .categorical_sampler import choice_layout

__all__ = ["CounterfactualLoss", "advantage_layout"]

# Samples whose parts wait for those of other ways.
WAITING = 4


def advantage_layout(config: FloatLaneConfig):
    """Log p of the action that was drawn, and its advantage over what the policy does otherwise."""
    return data.StructLayout(dict.fromkeys(("logarithm", "advantage"), config.format.width))


class CounterfactualLoss(ConfiguredComponent):
    """Computes the derivative of each sample's loss of its policy by the logits, a being the action that was drawn::

        advantage = values_a - ((p_0 * values_0 + p_1 * values_1) + ...)
        scaled = (log(p_a) * entropy_share - advantage) * slope
        derivative_b = scaled * ((1 if b = a else 0) - p_b)

    The number that is subtracted is the counterfactual baseline: what the policy is worth while the other agents do the
    same. A sample is an agent's part of an experience. The product of an action that has no probability is +0, whatever
    its value is, and so it gets a derivative of 0.

    Number format: ``config.format``; every operation is rounded, in the order written, and the sum starts with its
    first product.

    ::

        values --------+-> products -> SequentialSum -> baseline --.
                       +-> of the action --------------------------+-> logarithm, advantage, scaled -+-> advantages
        choices -------|-> probability ----------------------------'                                 |
           `-----------|----------> wait -> OneHot -.                                                v
        probabilities -+----------> wait -----------+----------------------------------------> derivatives -> errors

    Latency: that of its parts. Throughput: a sample in ``cycles``. Back-pressure: a sample is worked on while there is
    room for what comes out.

    Parameters
    ----------
    config : FloatLaneConfig
    count : int
        Actions, 2 to 4096.

    Members
    -------
    probabilities : In(stream of width)
        The policy's of action 0 of a sample, then 1, and so on.
    values : In(stream of width)
        The critic's, while the other agents do what was drawn for them.
    choices : In(stream of ``choice_layout(config, count)``)
        The actions that were drawn.
    entropy_share : In(width)
        Worth of a unit of entropy, 1 / reward scale; constant while a step is under way, as is the next.
    slope : In(width)
        1 / experiences of the batch.
    errors : Out(stream of width)
        Derivatives of the loss by the logits.
    advantages : Out(stream of ``advantage_layout(config)``)

    Raises
    ------
    TypeError, ValueError
        ``count`` is no integer, or out of its range.

    Source
    ------
    J. Foerster et al., "Counterfactual Multi-Agent Policy Gradients", AAAI 2018, equation 4; S. Iqbal and F. Sha,
    "Actor-Attention-Critic for Multi-Agent Reinforcement Learning", ICML 2019, equations 8 and 9.
    """

    def __init__(self, config: FloatLaneConfig, count: int):
        require_integer("Count", count, 2, 4096)
        self._count = count
        self._sum = SequentialSum(config, count)
        self._logarithm = FloatLogarithm(FloatFunctionConfig(format=config.format))
        width = config.format.width
        elements = stream.Signature(width)
        super().__init__(
            config,
            {
                "probabilities": In(elements),
                "values": In(elements),
                "choices": In(stream.Signature(choice_layout(config, count))),
                "entropy_share": In(width),
                "slope": In(width),
                "errors": Out(elements),
                "advantages": Out(stream.Signature(advantage_layout(config))),
            },
        )

    @property
    def count(self):
        """Actions."""
        return self._count

    @property
    def cycles(self):
        """Cycles of a sample, if they follow each other: those of the sum."""
        return self._sum.cycles

    @property
    def _behind(self):
        """Samples whose values are done and whose derivatives are not: in the sum, the expression, and buffers."""
        config = self._config
        computing = self._logarithm.latency + 3 * config.multiplier_depth + 2 * config.adder_depth
        return WAITING - -computing // self.cycles

    def elaborate(self, platform):
        m = Module()
        config, count, width = self._config, self._count, self._config.format.width
        choices = fork_stream(m, "choices", wiring.flipped(self.choices), 3)
        pairs = self._pairs(m)
        layout = data.StructLayout(dict.fromkeys(("value", "baseline", "chance"), width))
        m.submodules.parts = parts = StreamJoin(layout)
        m.submodules.value = value = ElementChoice(width, count)
        connect_field(m, pairs[0], "value", value.elements)
        buffer_to(m, "places", choices[0], value.places, WAITING, "action")
        # The next one is found while a sum is formed.
        buffer_to(m, "value", value.o, parts.i.value, WAITING)
        m.submodules.sum = total = self._sum
        products = stream_expression(m, "products", config, pairs[1], self._product)
        wiring.connect(m, products.o, total.i)
        wiring.connect(m, total.o, parts.i.baseline)
        buffer_to(m, "chances", choices[1], parts.i.chance, WAITING, "probability")
        computed = stream_expression(m, "factors", config, parts.o, self._compute)
        scaled, told = fork_stream(m, "computed", computed.o)
        m.d.comb += [self.advantages.payload[name].eq(told.payload[name]) for name in ("logarithm", "advantage")]
        connect_handshake(m, told, self.advantages)
        self._differentiate(m, pairs[2], choices[2], scaled)
        return m

    def _pairs(self, m):
        """Each probability with its value, for the choice, for the products, and for the derivatives."""
        layout = data.StructLayout(dict.fromkeys(("probability", "value"), self._config.format.width))
        m.submodules.pairs = pairs = StreamJoin(layout)
        wiring.connect(m, wiring.flipped(self.probabilities), pairs.i.probability)
        wiring.connect(m, wiring.flipped(self.values), pairs.i.value)
        return fork_stream(m, "pairs", pairs.o, 3)

    def _differentiate(self, m, pairs, choices, scaled):
        """Derivatives by the logits."""
        number_format, count = self._config.format, self._count
        width = number_format.width
        m.submodules.taken = taken = OneHot(width, count)
        buffer_to(m, "actions", choices, taken.places, self._behind, "action")
        m.d.comb += [taken.values.payload.eq(number_format.one), taken.values.valid.eq(1)]
        layout = data.StructLayout(dict.fromkeys(("taken", "probability"), width))
        m.submodules.logits = logits = StreamJoin(layout)
        m.submodules.logits_and_scaled = held = HeldOperand(layout, width, count)
        wiring.connect(m, taken.o, logits.i.taken)
        buffer_to(m, "probabilities", pairs, logits.i.probability, self._behind * count, "probability")
        wiring.connect(m, logits.o, held.elements)
        connect_field(m, scaled, "scaled", held.values)
        derivatives = stream_expression(m, "derivatives", self._config, held.o, self._derive)
        wiring.connect(m, derivatives.o, wiring.flipped(self.errors))

    def _product(self, expression, pair):
        # An action that is not there may have any value, NaN too.
        value = Mux(pair.probability[:-1] == 0, Const(0, len(pair.value)), pair.value)
        return expression.multiply("product", Number(pair.probability, 0), Number(value, 0))

    def _compute(self, expression, parts):
        logarithm = expression.apply("logarithm", self._logarithm, Number(parts.chance, 0))
        entropy = expression.multiply("entropy", logarithm, self.entropy_share)
        advantage = expression.subtract("difference", Number(parts.value, 0), Number(parts.baseline, 0))
        factor = expression.subtract("factor", entropy, advantage)
        scaled = expression.multiply("scaling", factor, self.slope)
        return {"logarithm": logarithm, "advantage": advantage, "scaled": scaled}

    def _derive(self, expression, both):
        difference = expression.subtract(
            "difference", Number(both.element.taken, 0), Number(both.element.probability, 0)
        )
        return expression.multiply("derivative", Number(both.value, 0), difference)
