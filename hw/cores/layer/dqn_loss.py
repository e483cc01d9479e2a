"""The loss stage of a DQN."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..float.comparison import FloatComparator
from ..float.config import FloatConfig
from ..float.expression import FloatExpression, Number
from ..pipeline import delay
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from .learner_config import DQNLearnerConfig

__all__ = ["DQNLoss", "transition_layout"]


def transition_layout(config: DQNLearnerConfig):
    """What the loss takes of a sample besides action values; an action out of range has no error."""
    width = config.network.arithmetic.format.width
    return data.StructLayout(
        {"action": range(max(config.actions, 2)), "reward": width, "discount": width, "weight": width}
    )


class DQNLoss(wiring.Component):
    """Computes the TD error of one sample after another, and the derivative of its loss by the action values::

        error = values[action] - (reward + discount * max(next_values))
        derivative = weight * (clamp(error, -1, 1) if huber else error)

    The discount is 0 where the next state is terminal; weights have importance and 1 / batch in them. Of actions that
    were not taken the derivative is +0.

    Number format: ``config.network.arithmetic.format``; every operation is rounded to nearest even, in the order
    written. The maximum is NaN if a value is.

    Latency: ``latency`` cycles from a sample's last value to its first derivative. Throughput: a sample in
    ``config.loss_cycles`` cycles. Back-pressure: a sample is worked on while there is room for what comes out.

    Parameters
    ----------
    config : DQNLearnerConfig

    Members
    -------
    values : In(stream of width)
        Of the online network at the state: that of action 0, then 1, and so on.
    next_values : In(stream of width)
        Of the target network at the next state.
    transitions : In(stream of ``transition_layout(config)``)
    errors : Out(stream of width)
        Derivatives by the value of action 0, then 1, and so on.
    priorities : Out(stream of width)
        Magnitude of the TD error, one a sample.

    Source
    ------
    V. Mnih et al., "Human-level control through deep reinforcement learning", Nature 518, 2015; T. Schaul et al.,
    "Prioritized experience replay", ICLR 2016, for the weights.
    """

    def __init__(self, config: DQNLearnerConfig):
        self._config = config
        numbers = stream.Signature(config.network.arithmetic.format.width)
        super().__init__(
            {
                "values": In(numbers),
                "next_values": In(numbers),
                "transitions": In(stream.Signature(transition_layout(config))),
                "errors": Out(numbers),
                "priorities": Out(numbers),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def _computing(self):
        """Cycles of two products and two sums."""
        arithmetic = self._config.network.arithmetic
        return 2 * (arithmetic.multiplier_depth + arithmetic.adder_depth)

    @property
    def latency(self):
        """Cycles from the transfer of a sample's last value to its first derivative, valid."""
        return 1 + self._computing + 2

    def elaborate(self, platform):
        m = Module()
        config = self._config
        width = config.network.arithmetic.format.width
        derived = data.StructLayout({"action": range(max(config.actions, 2)), "derivative": width})
        # Samples under way are at least their values' cycles apart.
        room = StreamBufferConfig(depth=2 + -(-self.latency // config.loss_cycles))
        m.submodules.derivatives = derivatives = StreamBuffer(derived, room)
        m.submodules.priorities_waiting = priorities = StreamBuffer(width, room)
        issue, derivative_left, priority_left = Signal(), Signal(), Signal()
        chosen, best = self._choose(m, issue)
        for name, left in (("derivatives", derivative_left), ("priorities", priority_left)):
            waiting = Signal(range(room.depth + 1), name=f"{name}_under_way")
            m.d.sync += waiting.eq(waiting + issue - left)
            with m.If(waiting == room.depth):
                m.d.comb += issue.eq(0)
        error, derivative = self._compute(m, chosen, best)
        done = delay(m, issue, self._computing, "done", reset_less=False)
        m.d.comb += [
            derivatives.i.payload.action.eq(delay(m, self.transitions.payload.action, self._computing, "action")),
            derivatives.i.payload.derivative.eq(derivative),
            derivatives.i.valid.eq(done),
            priorities.i.payload.eq(error[:-1]),
            priorities.i.valid.eq(done),
            priority_left.eq(self.priorities.valid & self.priorities.ready),
        ]
        wiring.connect(m, priorities.o, wiring.flipped(self.priorities))
        self._leave(m, derivatives.o, derivative_left)
        return m

    def _choose(self, m, issue):
        """Takes the values of a sample; returns that of its action, and the best of the next state."""
        config = self._config
        number_format, actions = config.network.arithmetic.format, config.actions
        m.submodules.comparator = comparator = FloatComparator(FloatConfig(format=number_format, depth=0))
        chosen, best = Signal(number_format.width), Signal(number_format.width)
        complete = []
        for name, values, allowed in (("value", self.values, self.transitions.valid), ("next", self.next_values, 1)):
            index, ended = Signal(range(actions + 1), name=f"{name}_index"), Signal(name=f"{name}_ended")
            m.d.comb += [ended.eq(index == actions), values.ready.eq(~ended & allowed)]
            with m.If(values.valid & values.ready):
                m.d.sync += index.eq(index + 1)
                if values is self.values:
                    with m.If(index == self.transitions.payload.action):
                        m.d.sync += chosen.eq(values.payload)
                else:
                    m.d.sync += best.eq(Mux(index == 0, values.payload, comparator.maximum))
            with m.If(issue):
                m.d.sync += index.eq(0)
            complete.append(ended)
        m.d.comb += [
            comparator.a.eq(best),
            comparator.b.eq(self.next_values.payload),
            issue.eq(complete[0] & complete[1]),
            self.transitions.ready.eq(issue),
        ]
        return chosen, best

    def _compute(self, m, chosen, best):
        """``(error, derivative)``, which come at the same time."""
        arithmetic = self._config.network.arithmetic
        number_format = arithmetic.format
        numbers = FloatExpression(m, arithmetic)
        reward, discount, weight = (
            Number(self.transitions.payload[name], 0) for name in ("reward", "discount", "weight")
        )
        later = numbers.multiply("discounted", discount, Number(best, 0))
        error = numbers.subtract("error", Number(chosen, 0), numbers.add("target", reward, later))
        slope = Signal(number_format.width)
        m.d.comb += slope.eq(error.value)
        if self._config.loss == "huber":
            magnitude = error.value[:-1]
            with m.If((magnitude > number_format.one) & (magnitude <= number_format.infinity)):
                m.d.comb += slope[:-1].eq(number_format.one)
        derivative = numbers.multiply("derivative", weight, Number(slope, error.time))
        return numbers.at(error, derivative.time), derivative.value

    def _leave(self, m, derivatives, left):
        """Derivatives of all actions, of which one was taken."""
        actions = self._config.actions
        index = Signal(range(max(actions, 2)))
        m.d.comb += [
            self.errors.payload.eq(Mux(index == derivatives.payload.action, derivatives.payload.derivative, 0)),
            self.errors.valid.eq(derivatives.valid),
            left.eq(self.errors.valid & self.errors.ready & (index == actions - 1)),
            derivatives.ready.eq(left),
        ]
        with m.If(self.errors.valid & self.errors.ready):
            m.d.sync += index.eq(Mux(left, 0, index + 1))
