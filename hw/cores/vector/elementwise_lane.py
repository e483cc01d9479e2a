"""One lane of the elementwise unit."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.adder import FloatAdder
from ..float.config import FloatConfig
from ..float.functions.config import FloatFunctionConfig
from ..float.functions.sigmoid_tanh import FloatSigmoidTanh
from ..float.multiplier import FloatMultiplier
from ..pipeline import delay
from .elementwise_config import Combination, ElementwiseLaneConfig, Function

__all__ = ["ElementwiseLane"]


class ElementwiseLane(ConfiguredComponent):
    """Computes ``value = (a first b) second c`` and ``result = function(value)``.

    ``first`` and ``second`` are a :class:`~.elementwise_config.Combination`, ``function`` a
    :class:`~.elementwise_config.Function`. The gradients of sigmoid and tanh are taken from what these functions gave:
    ``c * (1 + (-c))`` and ``1 + (-(c * c))``.

    ::

        a, b ──> first combination ───────┐
        c ──┬────────────────────────┐    ├──> second combination ──┬──────────────> value
            └──> gradient of sigmoid ┴────┘                         └──> function ──> result
                 or of tanh

    Number format: that of the configuration; each addition and multiplication rounds to nearest, ties to even.

    Latency: ``latency`` cycles to ``value`` and ``result``; one operation a cycle. No back-pressure.
    One adder and one multiplier make both gradients, in either order: ``latency`` cycles must lie between an
    operation with a gradient and one with the other gradient. All else may follow each other freely.

    Parameters
    ----------
    config : ElementwiseLaneConfig

    Members
    -------
    a, b, c : In(format.width)
    first, second : In(3)
    function : In(2)
    value, result : Out(format.width)

    Source
    ------
    LearningGroup, section III; IC3Net's LSTM cell and its gradient.
    """

    def __init__(self, config: ElementwiseLaneConfig):
        width = config.format.width
        self._function = FloatSigmoidTanh(FloatFunctionConfig(format=config.format))
        super().__init__(
            config,
            {
                "a": In(width),
                "b": In(width),
                "c": In(width),
                "first": In(3),
                "second": In(3),
                "function": In(2),
                "value": Out(width),
                "result": Out(width),
            },
        )

    @property
    def _longer(self):
        """Cycles of a combination."""
        return max(self._config.adder_depth, self._config.multiplier_depth)

    @property
    def _middle(self):
        """When the second combination begins: after a gradient, the longest thing that is ready for it."""
        return self._config.adder_depth + self._config.multiplier_depth

    @property
    def latency(self):
        """Cycles from the operands to value and result."""
        return self._middle + self._longer + self._function.latency

    def elaborate(self, platform):
        m = Module()
        middle, longer = self._middle, self._longer
        first = self._combine(m, "first", self.first, self.a, self.b)
        value = self._combine(
            m,
            "second",
            delay(m, self.second, middle, "second"),
            delay(m, first, middle - longer, "first"),
            self._second_operand(m),
        )
        m.submodules.function_unit = function = self._function
        chosen = delay(m, self.function, middle + longer, "function")
        applied = delay(m, chosen != Function.NONE, function.latency, "applied")
        m.d.comb += [
            function.a.eq(value),
            function.tanh.eq(chosen == Function.TANH),
            self.value.eq(delay(m, value, function.latency, "value")),
            self.result.eq(Mux(applied, function.result, self.value)),
        ]
        return m

    def _combine(self, m, name, combination, value, operand):
        """Result of a combination, ``_longer`` cycles after its operands."""
        config, longer = self._config, self._longer
        total = self._add(m, f"{name}_adder", value, operand, combination == Combination.SUBTRACT)
        product = self._multiply(m, f"{name}_multiplier", value, operand)
        late_value, late_total, late_product = (
            delay(m, number, longer - depth, f"{name}_{kind}")
            for kind, number, depth in (
                ("value", value, 0),
                ("sum", total, config.adder_depth),
                ("product", product, config.multiplier_depth),
            )
        )
        result = Signal(config.format.width, name=f"{name}_chosen")
        with m.Switch(delay(m, combination, longer, f"{name}_combination")):
            with m.Case(Combination.PASS):
                m.d.comb += result.eq(late_value)
            with m.Case(Combination.ADD, Combination.SUBTRACT):
                m.d.comb += result.eq(late_total)
            with m.Default():
                m.d.comb += result.eq(late_product)
        return result

    def _second_operand(self, m):
        """c or a gradient, ``_middle`` cycles later: sigmoid's adds and then multiplies, tanh's multiplies and then
        adds, so that one adder and one multiplier do for both."""
        config, width = self._config, self._config.format.width
        sigmoid, tanh = Signal(), Signal()
        added, multiplied, operand = Signal(width), Signal(width), Signal(width)
        m.d.comb += [
            sigmoid.eq(self.second == Combination.SIGMOID_GRADIENT),
            tanh.eq(self.second == Combination.TANH_GRADIENT),
        ]
        late_c = delay(m, self.c, config.adder_depth, "gradient_operand")
        sigmoid_multiplies = delay(m, sigmoid, config.adder_depth, "sigmoid_multiplies")
        tanh_adds = delay(m, tanh, config.multiplier_depth, "tanh_adds")
        subtrahend = Mux(tanh_adds, multiplied, self.c)
        factors = Mux(sigmoid_multiplies, late_c, self.c), Mux(sigmoid_multiplies, added, self.c)
        m.d.comb += [
            added.eq(self._add(m, "gradient_adder", config.format.one, subtrahend, 1)),
            multiplied.eq(self._multiply(m, "gradient_multiplier", *factors)),
            operand.eq(delay(m, self.c, self._middle, "second_operand")),
        ]
        late_sigmoid = delay(m, sigmoid, self._middle, "sigmoid_gradient")
        late_tanh = delay(m, tanh, self._middle, "tanh_gradient")
        with m.If(late_sigmoid):
            m.d.comb += operand.eq(multiplied)
        with m.Elif(late_tanh):
            m.d.comb += operand.eq(added)
        return operand

    def _add(self, m, name, a, b, subtract):
        m.submodules[name] = unit = FloatAdder(FloatConfig(format=self._config.format, depth=self._config.adder_depth))
        m.d.comb += [unit.a.eq(a), unit.b.eq(b), unit.subtract.eq(subtract)]
        return unit.result

    def _multiply(self, m, name, a, b):
        config = FloatConfig(format=self._config.format, depth=self._config.multiplier_depth)
        m.submodules[name] = unit = FloatMultiplier(config)
        m.d.comb += [unit.a.eq(a), unit.b.eq(b)]
        return unit.result
