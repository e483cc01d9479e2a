"""The temperature of a policy that draws actions."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..attention.stream_expression import stream_expression
from ..component import ConfiguredComponent
from ..float.config import FloatConfig
from ..float.expression import Number
from ..float.functions.config import FloatFunctionConfig
from ..float.functions.exponential import FloatExponential
from ..float.multiplier import FloatMultiplier
from ..layer.config import LayerConfig
from ..layer.ports import word_read
from ..pipeline import delay

__all__ = ["TemperatureStage"]


class TemperatureStage(ConfiguredComponent):
    """Makes the temperature of its logarithm once a batch, and each sample's error at the logarithm::

        temperature = exp(logarithm);  entropy_slope = policy_slope * temperature
        error = policy_slope * (log_density + target_entropy)

    The logarithm is the only weight of a layer, whose gradient is the sum of the errors.

    Number format: ``config.arithmetic.format``; every operation is rounded to nearest even, in the order written.

    Latency: ``latency`` cycles from ``start`` to ``ready``. Throughput: an error a cycle. Back-pressure: that of
    ``errors``.

    Parameters
    ----------
    config : LayerConfig
        With one input, one output and no bias.

    Members
    -------
    start : In(1)
    ready : Out(1)
        ``temperature`` and ``entropy_slope`` are there, and stay until the next ``start``.
    weights_0 : Out(word_read)
    temperature : Out(width)
    entropy_slope : Out(width)
        Derivative of the policy's loss by the negative logarithm of a sample's density.
    policy_slope : In(width)
        -1 / batch; constant while one is under way, as is the target.
    target_entropy : In(width)
        Entropy that the temperature is learned for.
    log_densities : In(stream of width)
        One a sample.
    errors : Out(stream of width)
        Derivatives of the temperature's loss by its logarithm.

    Source
    ------
    T. Haarnoja et al., "Soft actor-critic algorithms and applications", 2019, equation 18. As implementations have it,
    the temperature is its logarithm there.
    """

    def __init__(self, config: LayerConfig):
        arithmetic = config.arithmetic
        width = arithmetic.format.width
        elements = stream.Signature(width)
        self._exponential = FloatExponential(FloatFunctionConfig(format=arithmetic.format))
        super().__init__(
            config,
            {
                "start": In(1),
                "ready": Out(1),
                "weights_0": Out(word_read(config)),
                "temperature": Out(width),
                "entropy_slope": Out(width),
                "policy_slope": In(width),
                "target_entropy": In(width),
                "log_densities": In(elements),
                "errors": Out(elements),
            },
        )

    @property
    def latency(self):
        """Cycles from ``start`` to ``ready``: memory, exponential, product."""
        return 1 + self._exponential.latency + self._config.arithmetic.multiplier_depth

    def elaborate(self, platform):
        m = Module()
        arithmetic = self._config.arithmetic
        product = FloatConfig(format=arithmetic.format, depth=arithmetic.multiplier_depth)
        m.submodules.exponential = exponential = self._exponential
        m.submodules.multiplier = multiplier = FloatMultiplier(product)
        m.d.comb += [
            self.weights_0.enable.eq(self.start),
            self.weights_0.address.eq(0),
            # The word stays, and so does what is made of it.
            exponential.a.eq(self.weights_0.data[0]),
            multiplier.a.eq(self.policy_slope),
            multiplier.b.eq(exponential.result),
            self.temperature.eq(exponential.result),
            self.entropy_slope.eq(multiplier.result),
            self.ready.eq(delay(m, self.start, self.latency, "start", reset_less=False)),
        ]
        errors = stream_expression(m, "errors", arithmetic, wiring.flipped(self.log_densities), self._differentiate)
        wiring.connect(m, errors.o, wiring.flipped(self.errors))
        return m

    def _differentiate(self, expression, log_density):
        """A sample's error."""
        difference = expression.add("difference", Number(log_density, 0), self.target_entropy)
        return expression.multiply("error", self.policy_slope, difference)
