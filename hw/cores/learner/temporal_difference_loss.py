"""The temporal-difference loss of a network of values."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.comparison import FloatComparator
from ..float.config import FloatConfig
from ..float.expression import FloatExpression, Number
from ..pipeline import delay
from ..stream.pipeline import StreamPipeline
from ..stream.pipeline_config import StreamPipelineConfig
from .temporal_difference_config import TemporalDifferenceConfig

__all__ = ["TemporalDifferenceLoss", "transition_layout"]


def transition_layout(config: TemporalDifferenceConfig):
    """Layout of a sample besides its values: ``action`` only where there are several to choose from.

    An action out of range has no error.
    """
    width = config.arithmetic.format.width
    action = {"action": range(config.values)} if config.values > 1 else {}
    return data.StructLayout({**action, "reward": width, "discount": width, "weight": width})


class TemporalDifferenceLoss(ConfiguredComponent):
    """Computes each sample's temporal-difference error, and the derivative of its loss by the values::

        error = values[action] - (reward + discount * max(next_values))
        derivative = weight * (clamp(error, -1, 1) if huber else error)

    A DQN has a value for each action, a critic of DDPG a single value, which is then the chosen one and the maximum.
    The discount is 0 where the next state is terminal; weights have importance and 1 / batch in them. The derivative is
    +0 for actions that were not taken.

    Number format: ``config.arithmetic.format``; every operation is rounded to nearest even, in the order written. The
    maximum is NaN if a value is.

    Latency: ``latency`` cycles from a sample's last value to its first derivative. Throughput: a sample in
    ``config.cycles`` cycles. Back-pressure: a sample is worked on while there is room for what comes out.

    ::

        values ------> value of the action --.
        transitions -> reward, discount -----+-> error -> clamp -> * weight -> derivatives -> errors
        next_values -> maximum --------------'     |
                                                   `-> magnitude -----------> priorities

    Parameters
    ----------
    config : TemporalDifferenceConfig

    Members
    -------
    values : In(stream of width)
        The trained network's at the state: that of action 0, then 1, and so on.
    next_values : In(stream of width)
        The target network's at the next state.
    transitions : In(stream of ``transition_layout(config)``)
    errors : Out(stream of width)
        Derivatives by the value of action 0, then 1, and so on.
    priorities : Out(stream of width)
        Magnitude of the temporal-difference error, one a sample.

    Source
    ------
    V. Mnih et al., "Human-level control through deep reinforcement learning", Nature 518, 2015; T. Schaul et al.,
    "Prioritized experience replay", ICLR 2016, for the weights.
    """

    def __init__(self, config: TemporalDifferenceConfig):
        elements = stream.Signature(config.arithmetic.format.width)
        super().__init__(
            config,
            {
                "values": In(elements),
                "next_values": In(elements),
                "transitions": In(stream.Signature(transition_layout(config))),
                "errors": Out(elements),
                "priorities": Out(elements),
            },
        )

    @property
    def _computing(self):
        """Cycles of two products and two sums."""
        arithmetic = self._config.arithmetic
        return 2 * (arithmetic.multiplier_depth + arithmetic.adder_depth)

    @property
    def latency(self):
        """Cycles from the transfer of a sample's last value to its first derivative, valid."""
        return 1 + self._computing + 2

    def elaborate(self, platform):
        m = Module()
        config = self._config
        width = config.arithmetic.format.width
        derived = data.StructLayout({"action": range(max(config.values, 2)), "derivative": width})
        # Samples under way are at least their values' cycles apart.
        depth = 2 + -(-self.latency // config.cycles)
        room = StreamPipelineConfig(latency=self._computing, depth=depth)
        m.submodules.derivatives = derivatives = StreamPipeline(derived, room)
        m.submodules.priorities_leaving = priorities = StreamPipeline(width, room)
        issue = Signal()
        action = self.transitions.payload["action"] if config.values > 1 else Const(0, 1)
        chosen, has_chosen = self._value_of_action(m, action, issue)
        greatest, has_greatest = self._greatest_value(m, issue)
        error, derivative = self._compute(m, chosen, greatest)
        m.d.comb += [
            issue.eq(has_chosen & has_greatest & derivatives.ready & priorities.ready),
            self.transitions.ready.eq(issue),
            derivatives.begin.eq(issue),
            derivatives.result.action.eq(delay(m, action, self._computing, "action")),
            derivatives.result.derivative.eq(derivative),
            priorities.begin.eq(issue),
            priorities.result.eq(error[:-1]),
        ]
        wiring.connect(m, priorities.o, wiring.flipped(self.priorities))
        self._give_errors(m, derivatives.o)
        return m

    def _count_values(self, m, name, values, allowed, issue):
        """Takes the values of a sample; returns whether one comes, its place, and whether all have come."""
        place, complete, comes = (
            Signal(range(self._config.values + 1), name=f"{name}_place"),
            Signal(name=f"{name}_complete"),
            Signal(name=f"{name}_comes"),
        )
        m.d.comb += [
            complete.eq(place == self._config.values),
            values.ready.eq(~complete & allowed),
            comes.eq(values.valid & values.ready),
        ]
        with m.If(comes):
            m.d.sync += place.eq(place + 1)
        with m.If(issue):
            m.d.sync += place.eq(0)
        return comes, place, complete

    def _value_of_action(self, m, action, issue):
        """The value of the action that was taken, and whether the sample's values have all come."""
        comes, place, complete = self._count_values(m, "value", self.values, self.transitions.valid, issue)
        chosen = Signal(self.values.payload.shape())
        with m.If(comes & (place == action)):
            m.d.sync += chosen.eq(self.values.payload)
        return chosen, complete

    def _greatest_value(self, m, issue):
        """The greatest value at the next state, and whether the sample's values have all come."""
        comes, place, complete = self._count_values(m, "next", self.next_values, 1, issue)
        greatest = Signal(self.next_values.payload.shape())
        m.submodules.comparator = comparator = FloatComparator(
            FloatConfig(format=self._config.arithmetic.format, depth=0)
        )
        m.d.comb += [comparator.a.eq(greatest), comparator.b.eq(self.next_values.payload)]
        with m.If(comes):
            m.d.sync += greatest.eq(Mux(place == 0, self.next_values.payload, comparator.maximum))
        return greatest, complete

    def _compute(self, m, chosen, greatest):
        """``(error, derivative)``, which come at the same time."""
        arithmetic = self._config.arithmetic
        number_format = arithmetic.format
        expression = FloatExpression(m, arithmetic)
        reward, discount, weight = (
            Number(self.transitions.payload[name], 0) for name in ("reward", "discount", "weight")
        )
        later = expression.multiply("discounted", discount, Number(greatest, 0))
        error = expression.subtract("error", Number(chosen, 0), expression.add("target", reward, later))
        slope = Signal(number_format.width)
        m.d.comb += slope.eq(error.value)
        if self._config.loss == "huber":
            magnitude = error.value[:-1]
            with m.If((magnitude > number_format.one) & (magnitude <= number_format.infinity)):
                m.d.comb += slope[:-1].eq(number_format.one)
        derivative = expression.multiply("derivative", weight, Number(slope, error.time))
        return expression.at(error, derivative.time), derivative.value

    def _give_errors(self, m, derivatives):
        """Derivatives by all values, of which one action was taken."""
        values = self._config.values
        place, left = Signal(range(max(values, 2))), Signal()
        m.d.comb += [
            self.errors.payload.eq(Mux(place == derivatives.payload.action, derivatives.payload.derivative, 0)),
            self.errors.valid.eq(derivatives.valid),
            left.eq(self.errors.valid & self.errors.ready & (place == values - 1)),
            derivatives.ready.eq(left),
        ]
        with m.If(self.errors.valid & self.errors.ready):
            m.d.sync += place.eq(Mux(left, 0, place + 1))
