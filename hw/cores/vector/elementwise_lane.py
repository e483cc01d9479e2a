"""One lane of the elementwise unit."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..float.adder import FloatAdder
from ..float.config import FloatConfig
from ..float.functions.config import FloatFunctionConfig
from ..float.functions.sigmoid_tanh import FloatSigmoidTanh
from ..float.multiplier import FloatMultiplier
from ..pipeline import delay
from .elementwise_config import Combination, ElementwiseLaneConfig, Function

__all__ = ["ElementwiseLane"]


class ElementwiseLane(wiring.Component):
    """Computes ``value = (a first b) second c`` and ``result = function(value)``.

    ``first`` and ``second`` are a :class:`~.elementwise_config.Combination`, ``function`` a
    :class:`~.elementwise_config.Function`. The gradients of sigmoid and tanh are taken from what these functions gave:
    ``c * (1 + (-c))`` and ``1 + (-(c * c))``.

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
        self._config = config
        width = config.format.width
        self._function = FloatSigmoidTanh(FloatFunctionConfig(format=config.format))
        super().__init__(
            {
                "a": In(width),
                "b": In(width),
                "c": In(width),
                "first": In(3),
                "second": In(3),
                "function": In(2),
                "value": Out(width),
                "result": Out(width),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from the operands to value and result."""
        adder, multiplier = self._config.adder_depth, self._config.multiplier_depth
        return adder + multiplier + max(adder, multiplier) + self._function.latency

    def elaborate(self, platform):
        m = Module()
        number_format = self._config.format
        adder_depth, multiplier_depth = self._config.adder_depth, self._config.multiplier_depth
        longer = max(adder_depth, multiplier_depth)
        # Where the second combination begins: behind a gradient, the longest thing that is ready for it.
        middle = adder_depth + multiplier_depth

        def adder(name, a, b, subtract):
            m.submodules[name] = unit = FloatAdder(FloatConfig(format=number_format, depth=adder_depth))
            m.d.comb += [unit.a.eq(a), unit.b.eq(b), unit.subtract.eq(subtract)]
            return unit.result

        def multiplier(name, a, b):
            m.submodules[name] = unit = FloatMultiplier(FloatConfig(format=number_format, depth=multiplier_depth))
            m.d.comb += [unit.a.eq(a), unit.b.eq(b)]
            return unit.result

        def chosen(name, combination, value, added, multiplied):
            """What a combination gives, ``longer`` cycles after its operands."""
            late = delay(m, combination, longer, f"{name}_combination")
            plain = delay(m, value, longer, f"{name}_value")
            product = delay(m, multiplied, longer - multiplier_depth, f"{name}_product")
            total = delay(m, added, longer - adder_depth, f"{name}_sum")
            result = Signal(number_format.width, name=f"{name}_chosen")
            with m.Switch(late):
                with m.Case(Combination.PASS):
                    m.d.comb += result.eq(plain)
                with m.Case(Combination.ADD, Combination.SUBTRACT):
                    m.d.comb += result.eq(total)
                with m.Default():
                    m.d.comb += result.eq(product)
            return result

        first = chosen(
            "first",
            self.first,
            self.a,
            adder("first_adder", self.a, self.b, self.first == Combination.SUBTRACT),
            multiplier("first_multiplier", self.a, self.b),
        )

        # Gradients: sigmoid's adds and then multiplies, tanh's multiplies and then adds.
        one = number_format.one
        sigmoid_late = delay(m, self.second == Combination.SIGMOID_GRADIENT, middle, "sigmoid_gradient")
        added, multiplied = Signal(number_format.width), Signal(number_format.width)
        late_c = delay(m, self.c, adder_depth, "gradient_operand")
        sigmoid_multiplies = delay(m, self.second == Combination.SIGMOID_GRADIENT, adder_depth, "sigmoid_multiplies")
        tanh_adds = delay(m, self.second == Combination.TANH_GRADIENT, multiplier_depth, "tanh_adds")
        m.d.comb += [
            added.eq(adder("gradient_adder", one, Mux(tanh_adds, multiplied, self.c), 1)),
            multiplied.eq(
                multiplier(
                    "gradient_multiplier",
                    Mux(sigmoid_multiplies, late_c, self.c),
                    Mux(sigmoid_multiplies, added, self.c),
                )
            ),
        ]
        tanh_late = delay(m, self.second == Combination.TANH_GRADIENT, middle, "tanh_gradient")
        operand = Signal(number_format.width)
        m.d.comb += operand.eq(
            Mux(sigmoid_late, multiplied, Mux(tanh_late, added, delay(m, self.c, middle, "second_operand")))
        )

        value_in = delay(m, first, middle - longer, "first")
        second = delay(m, self.second, middle, "second")
        value = chosen(
            "second",
            second,
            value_in,
            adder("second_adder", value_in, operand, 0),
            multiplier("second_multiplier", value_in, operand),
        )

        m.submodules.function_unit = function = self._function
        late = delay(m, self.function, middle + longer, "function")
        applied = delay(m, late != Function.NONE, function.latency, "applied")
        m.d.comb += [
            function.a.eq(value),
            function.tanh.eq(late == Function.TANH),
            self.value.eq(delay(m, value, function.latency, "value")),
            self.result.eq(Mux(applied, function.result, self.value)),
        ]
        return m
