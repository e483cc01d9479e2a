"""The losses of two critics against the lesser of their targets."""

from amaranth.hdl import Const, Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..attention.stream_expression import stream_expression
from ..component import ConfiguredComponent
from ..float.comparison import FloatComparator
from ..float.config import FloatConfig
from ..float.expression import Number
from ..stream.join import join_streams
from ..stream.ways import fork_stream
from .temporal_difference_config import TemporalDifferenceConfig
from .temporal_difference_loss import TemporalDifferenceLoss, transition_layout

__all__ = ["TwinCriticLoss"]


class TwinCriticLoss(ConfiguredComponent):
    """Computes the temporal-difference errors of two critics, and the derivatives of their losses by their values::

        next_value = min(next_values) - temperature * log_density
        priority = 0.5 * (|error_1| + |error_2|)

    with :class:`.TemporalDifferenceLoss` of each critic's value and this next one.

    ::

        next_values ---> lesser -.
        log_densities -----------+-> next value -+-> TemporalDifferenceLoss -+-> errors[0]
                                                 |      ^ values[0]          `-> |error_1| -.
        transitions -----------------------------+                                          +-> priorities
                                                 |      v values[1]          .-> |error_2| -'
                                                 `-> TemporalDifferenceLoss -+-> errors[1]

    Number format: ``config.arithmetic.format``; every operation is rounded to nearest even, in the order written. The
    lesser value is NaN if one of both is.

    Latency: ``latency`` cycles from a sample's last number to its derivatives. Throughput: a sample in
    ``config.cycles`` cycles. Back-pressure: samples wait for all of their numbers, and for room behind both losses.

    Parameters
    ----------
    config : TemporalDifferenceConfig
        Configuration with a single value.

    Members
    -------
    values : In(stream of width).array(2)
        The critics' at the action that was taken.
    next_values : In(stream of width).array(2)
        The target critics' at the action that is drawn at the next state.
    log_densities : In(stream of width)
        Logarithm of the density of that action.
    transitions : In(stream of ``transition_layout(config)``)
    errors : Out(stream of width).array(2)
        Derivatives by each critic's value.
    priorities : Out(stream of width)
        Mean magnitude of both temporal-difference errors, one a sample.
    temperature : In(width)
        Worth of a unit of entropy; constant while samples are under way.

    Source
    ------
    T. Haarnoja et al., "Soft actor-critic algorithms and applications", 2019, equations 5 and 6.
    """

    def __init__(self, config: TemporalDifferenceConfig):
        width = config.arithmetic.format.width
        elements = stream.Signature(width)
        self._losses = [TemporalDifferenceLoss(config) for _ in range(2)]
        super().__init__(
            config,
            {
                "values": In(elements).array(2),
                "next_values": In(elements).array(2),
                "log_densities": In(elements),
                "transitions": In(stream.Signature(transition_layout(config))),
                "errors": Out(elements).array(2),
                "priorities": Out(elements),
                "temperature": In(width),
            },
        )

    @property
    def latency(self):
        """Cycles from the transfer of a sample's last next value to its derivatives, valid, if nothing waits."""
        arithmetic = self._config.arithmetic
        return arithmetic.multiplier_depth + arithmetic.adder_depth + 2 + self._losses[0].latency

    def elaborate(self, platform):
        m = Module()
        arithmetic = self._config.arithmetic
        m.submodules.comparator = self._comparator = FloatComparator(FloatConfig(format=arithmetic.format, depth=0))
        numbers = join_streams(
            m, "numbers", first=self.next_values[0], second=self.next_values[1], log_density=self.log_densities
        )
        following = stream_expression(m, "following", arithmetic, numbers, self._following)
        m.d.comb += [
            self._comparator.a.eq(numbers.payload.first),
            self._comparator.b.eq(numbers.payload.second),
        ]
        next_values = fork_stream(m, "following", following.o)
        transitions = fork_stream(m, "transitions", wiring.flipped(self.transitions))
        for index, loss in enumerate(self._losses):
            m.submodules[f"loss_{index}"] = loss
            wiring.connect(m, wiring.flipped(self.values[index]), loss.values)
            wiring.connect(m, next_values[index], loss.next_values)
            wiring.connect(m, transitions[index], loss.transitions)
            wiring.connect(m, loss.errors, wiring.flipped(self.errors[index]))
        first, second = self._losses
        magnitudes = join_streams(m, "magnitudes", first=first.priorities, second=second.priorities)
        means = stream_expression(m, "means", arithmetic, magnitudes, self._mean)
        wiring.connect(m, means.o, wiring.flipped(self.priorities))
        return m

    def _following(self, expression, numbers):
        """The value of the next state, entropy included."""
        entropy = expression.multiply("entropy", self.temperature, Number(numbers.log_density, 0))
        return expression.subtract("next_value", Number(self._comparator.minimum, 0), entropy)

    def _mean(self, expression, magnitudes):
        """The mean of both magnitudes."""
        number_format = self._config.arithmetic.format
        total = expression.add("total", Number(magnitudes.first, 0), Number(magnitudes.second, 0))
        return expression.multiply("mean", Const(number_format.nearest(0.5), number_format.width), total)
