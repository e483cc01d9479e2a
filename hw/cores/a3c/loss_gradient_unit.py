"""The loss of rollouts: returns, and errors at logits and values."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..attention.sequential_sum import SequentialSum
from ..attention.stream_expression import stream_expression
from ..component import ConfiguredComponent
from ..float.adder import FloatAdder
from ..float.config import FloatConfig, FloatLaneConfig
from ..float.expression import Number
from ..float.functions.config import FloatFunctionConfig
from ..float.functions.logarithm import FloatLogarithm
from ..float.multiplier import FloatMultiplier
from ..pipeline import delay
from ..stream.array_elements import ArrayElements, ElementArray
from ..stream.concatenation import StreamConcatenation
from ..stream.connect import connect_field
from ..stream.held_operand import HeldOperand
from ..stream.join import StreamJoin, join_streams
from ..stream.one_hot import OneHot
from ..stream.ways import buffer_stream, buffer_to, fork_stream
from .config import A3CConfig

__all__ = ["DiscountedReturn", "LossGradientUnit", "reward_layout", "step_layout"]

# Steps whose parts wait for those of other ways.
WAITING = 4


def reward_layout(config: FloatLaneConfig):
    """A step's reward; ``begins`` with the last step of a rollout, whose ``following`` value counts."""
    width = config.format.width
    return data.StructLayout({"begins": 1, "following": width, "reward": width})


def step_layout(config: A3CConfig):
    """A step of a rollout: what was inferred, what was done, and what came of it."""
    width = config.arithmetic.format.width
    return data.StructLayout(
        {
            "reward": reward_layout(config.arithmetic),
            "action": range(config.actions),
            "value": width,
            "probabilities": data.ArrayLayout(width, config.actions),
        }
    )


class DiscountedReturn(ConfiguredComponent):
    """Sums up rewards from the last step of a rollout to its first::

        return = reward + discount * (following, where it begins; else the return before)

    Number format: ``config.format``; product and sum are each rounded.

    Latency: ``cycles - 1`` from a reward to its return, while no return waits. Throughput: a return in ``cycles``.
    Back-pressure: a reward is taken when the return before has been.

    Parameters
    ----------
    config : FloatLaneConfig

    Members
    -------
    rewards : In(stream of ``reward_layout(config)``)
    discount : In(width)
        Constant while a rollout is under way.
    returns : Out(stream of width)
    """

    def __init__(self, config: FloatLaneConfig):
        width = config.format.width
        super().__init__(
            config,
            {
                "rewards": In(stream.Signature(reward_layout(config))),
                "discount": In(width),
                "returns": Out(stream.Signature(width)),
            },
        )

    @property
    def cycles(self):
        """Cycles from a return to the next one."""
        return self._config.multiplier_depth + self._config.adder_depth + 2

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.multiplier = multiplier = FloatMultiplier(
            FloatConfig(format=config.format, depth=config.multiplier_depth)
        )
        m.submodules.adder = adder = FloatAdder(FloatConfig(format=config.format, depth=config.adder_depth))
        computing, begins = Signal(), Signal()
        arrives = delay(m, begins, config.multiplier_depth + config.adder_depth, "begins", reset_less=False)
        m.d.comb += [
            begins.eq(self.rewards.valid & ~computing & ~self.returns.valid),
            self.rewards.ready.eq(arrives),
            multiplier.a.eq(self.discount),
            multiplier.b.eq(Mux(self.rewards.payload.begins, self.rewards.payload.following, self.returns.payload)),
            adder.a.eq(self.rewards.payload.reward),
            adder.b.eq(multiplier.result),
            adder.subtract.eq(0),
        ]
        with m.If(begins):
            m.d.sync += computing.eq(1)
        with m.If(self.returns.valid & self.returns.ready):
            m.d.sync += self.returns.valid.eq(0)
        with m.If(arrives):
            m.d.sync += [self.returns.payload.eq(adder.result), self.returns.valid.eq(1), computing.eq(0)]
        return m


class LossGradientUnit(ConfiguredComponent):
    """Computes the derivatives of a rollout's loss by logits and value of each step, from the last step on::

        return = reward + discount * following;  advantage = return - value
        product_k = p_k * log(p_k);  negative_entropy = (product_0 + product_1) + ...
        logit_k: (p_k - (1 if k = action else 0)) * advantage + entropy * (product_k - p_k * negative_entropy)
        value: value_slope * advantage

    The loss is the sum over steps of ``-log p(action) * advantage - entropy * H(p) - value_slope / 2 * advantage^2``,
    the advantage of its first term constant. The product of an action that has no probability is +0.

    ::

        steps -+-> rewards -> DiscountedReturn -> returns -.
               +-> values -------------------------------> advantage, value's error -+------> after the logits'
               +-> actions -> OneHot ---------------------------------.              |              |
               `-> probabilities -> product -+-> SequentialSum -------|-> both held -+-> logits ----+-> errors
                                             `-> wait ----------------'

    Number format: ``config.arithmetic.format``; every operation is rounded, in the order written.

    Latency: that of its parts. Throughput: a step in ``cycles``. Back-pressure: a step is taken while there is room for
    what comes out.

    Parameters
    ----------
    config : A3CConfig

    Members
    -------
    steps : In(stream of ``step_layout(config)``)
    discount, entropy, value_slope : In(width)
        Constant while rollouts are under way.
    errors : Out(stream of ArrayLayout(width, actions + 1))
        By the logits, then by the value.

    Source
    ------
    Ge et al., section 4.3, equations 2 to 6, with the signs of a loss that is minimised; the products with the heads'
    weights are those of the backward engine's first layer.
    """

    def __init__(self, config: A3CConfig):
        width = config.arithmetic.format.width
        self._return = DiscountedReturn(config.arithmetic)
        self._sum = SequentialSum(config.arithmetic, config.actions)
        self._logarithm = FloatLogarithm(FloatFunctionConfig(format=config.arithmetic.format))
        super().__init__(
            config,
            {
                "steps": In(stream.Signature(step_layout(config))),
                **dict.fromkeys(("discount", "entropy", "value_slope"), In(width)),
                "errors": Out(stream.Signature(data.ArrayLayout(width, config.outputs))),
            },
        )

    @property
    def cycles(self):
        """Cycles of a step, if they follow each other: those of the sum, or of the return."""
        return max(self._sum.cycles, self._return.cycles, self._config.outputs)

    def elaborate(self, platform):
        m = Module()
        config = self._config
        width, count = config.arithmetic.format.width, config.actions
        rewards, values, actions, probabilities = fork_stream(m, "steps", wiring.flipped(self.steps), 4)
        advantages = self._advantages(m, rewards, values)
        pairs = self._products(m, probabilities)
        logits = self._logits(m, actions, pairs, advantages[0])
        m.submodules.errors = errors = StreamConcatenation(width, count, 1)
        m.submodules.collected = collected = ElementArray(width, config.outputs)
        wiring.connect(m, logits, errors.i[0])
        buffer_to(m, "value_errors", advantages[1], errors.i[1], self._behind, "value_error")
        wiring.connect(m, errors.o, collected.i)
        wiring.connect(m, collected.o, wiring.flipped(self.errors))
        return m

    @property
    def _behind(self):
        """Steps that are on the way from their probabilities to their errors."""
        arithmetic = self._config.arithmetic
        computing = self._logarithm.latency + 4 * arithmetic.multiplier_depth + 4 * arithmetic.adder_depth
        return WAITING - -computing // self.cycles

    def _advantages(self, m, rewards, values):
        """Each step's advantage and error at the value, for the logits and for the value."""
        m.submodules.returns = returns = self._return
        buffer_to(m, "rewards", rewards, returns.rewards, WAITING, "reward")
        m.d.comb += returns.discount.eq(self.discount)
        shape = self.discount.shape()
        m.submodules.both = both = StreamJoin(data.StructLayout({"following": shape, "value": shape}))
        wiring.connect(m, returns.returns, both.i.following)
        buffer_to(m, "values", values, both.i.value, WAITING, "value")
        computed = stream_expression(m, "advantages", self._config.arithmetic, both.o, self._advantage)
        return fork_stream(m, "advantages", computed.o)

    def _products(self, m, probabilities):
        """Each probability and its product with its logarithm, for the sum, and for the logits."""
        width, count = self._config.arithmetic.format.width, self._config.actions
        m.submodules.probabilities = elements = ArrayElements(width, count)
        buffer_to(m, "probabilities", probabilities, elements.i, WAITING, "probabilities")
        computed = stream_expression(m, "products", self._config.arithmetic, elements.o, self._product)
        return fork_stream(m, "products", computed.o)

    def _logits(self, m, actions, pairs, advantages):
        """Errors at the logits."""
        arithmetic, count = self._config.arithmetic, self._config.actions
        width = arithmetic.format.width
        m.submodules.negative_entropy = total = self._sum
        connect_field(m, pairs[0], "product", total.i)
        m.submodules.taken = taken = OneHot(width, count)
        buffer_to(m, "actions", actions, taken.places, self._behind, "action")
        m.d.comb += [taken.values.payload.eq(arithmetic.format.one), taken.values.valid.eq(1)]
        elements = join_streams(
            m, "elements", pair=buffer_stream(m, "pairs", pairs[1], self._behind * count), taken=taken.o
        )
        held_layout = data.StructLayout(dict.fromkeys(("advantage", "negative_entropy"), width))
        m.submodules.step = step = StreamJoin(held_layout)
        buffer_to(m, "advantages", advantages, step.i.advantage, self._behind, "advantage")
        wiring.connect(m, total.o, step.i.negative_entropy)
        m.submodules.held = held = HeldOperand(elements.payload.shape(), held_layout, count)
        wiring.connect(m, elements, held.elements)
        # Held for all logits, while the next sum is formed.
        wiring.connect(m, buffer_stream(m, "step", step.o, 2), held.values)
        return stream_expression(m, "logits", arithmetic, held.o, self._logit).o

    def _advantage(self, expression, both):
        advantage = expression.subtract("difference", Number(both.following, 0), Number(both.value, 0))
        return {
            "advantage": advantage,
            "value_error": expression.multiply("value_error", self.value_slope, advantage),
        }

    def _product(self, expression, probability):
        operand = Number(probability, 0)
        logarithm = expression.apply("logarithm", self._logarithm, operand)
        # The logarithm of 0 is infinite, and 0 times that no number.
        late = expression.at(operand, logarithm.time)
        factor = Number(Mux(late[:-1] == 0, Const(0, len(late)), logarithm.value), logarithm.time)
        return {"probability": operand, "product": expression.multiply("product", operand, factor)}

    def _logit(self, expression, both):
        pair, taken = both.element.pair, Number(both.element.taken, 0)
        probability, advantage = Number(pair.probability, 0), Number(both.value.advantage, 0)
        gap = expression.subtract("gap", probability, taken)
        policy = expression.multiply("policy", gap, advantage)
        share = expression.multiply("share", probability, Number(both.value.negative_entropy, 0))
        spread = expression.subtract("spread", Number(pair.product, 0), share)
        return expression.add("error", policy, expression.multiply("scaled_spread", self.entropy, spread))
