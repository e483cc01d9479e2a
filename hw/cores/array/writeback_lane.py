"""One lane of the write-back path: the unit that the path repeats."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..pipeline import delay
from ..quantization.parameters import slot_parameters, stage_parameters
from ..quantization.quantizer import QuantizerLane
from .activation_unit import ActivationUnit
from .config import ACCUMULATOR_WIDTH, WORD_WIDTH
from .dequantizer import Dequantizer
from .rescaler import Rescaler

__all__ = ["WritebackLane"]


class WritebackLane(wiring.Component):
    """Rescaler, activation unit and quantiser in a row, and beside the first of them the dequantiser.

    All lanes of a path do the same in the same cycle, so what controls them is delayed once, outside: every input
    is due in the cycle in which the unit that it is for starts.

    Number format: see the units; ``word`` is the value, or with ``quantize`` its code.

    Latency: ``latency`` cycles from sums to ``word``, ``value_latency`` to ``value``, ``activation_start`` to the
    inputs of the activation unit and ``auxiliary_value``; one row a cycle. No back-pressure.

    Members
    -------
    low, high, half_rule, select_high, scale, bias, bias_shift, shift : In
        Inputs of the :class:`.Rescaler`, in cycle 0.
    auxiliary, auxiliary_packed, auxiliary_high : In
        Inputs of the :class:`.Dequantizer`, in cycle 0.
    auxiliary_parameters : In(slot_parameters)
        In cycle 0.
    auxiliary_value : Out(signed(32))
        In cycle ``activation_start``.
    factor, operation : In
        Inputs of the :class:`.ActivationUnit`, in cycle ``activation_start``.
    value : Out(signed(32))
        In cycle ``value_latency``.
    output_parameters : In(stage_parameters)
        Input of the :class:`.QuantizerLane`, from cycle ``value_latency`` on.
    quantize : In(1)
        In cycle ``latency - 1``.
    word : Out(32)
        In cycle ``latency``, like the flags.
    rescaler_saturated, activation_saturated, quantizer_saturated : Out(1)

    Source
    ------
    FIXAR, sections III and IV.
    """

    low: In(signed(ACCUMULATOR_WIDTH))
    high: In(signed(ACCUMULATOR_WIDTH))
    half_rule: In(1)
    select_high: In(1)
    scale: In(WORD_WIDTH)
    bias: In(signed(WORD_WIDTH))
    bias_shift: In(4)
    shift: In(5)
    auxiliary: In(WORD_WIDTH)
    auxiliary_packed: In(1)
    auxiliary_high: In(1)
    auxiliary_parameters: In(slot_parameters)
    auxiliary_value: Out(signed(WORD_WIDTH))
    factor: In(signed(WORD_WIDTH))
    operation: In(3)
    value: Out(signed(WORD_WIDTH))
    output_parameters: In(stage_parameters)
    quantize: In(1)
    word: Out(WORD_WIDTH)
    rescaler_saturated: Out(1)
    activation_saturated: Out(1)
    quantizer_saturated: Out(1)

    @property
    def activation_start(self):
        """Cycles from sums to the activation unit."""
        return Rescaler.LATENCY

    @property
    def value_latency(self):
        """Cycles from sums to ``value``."""
        return self.activation_start + ActivationUnit.LATENCY

    @property
    def latency(self):
        """Cycles from sums to ``word``."""
        return self.value_latency + QuantizerLane.LATENCY

    def elaborate(self, platform):
        m = Module()
        m.submodules.rescaler = rescaler = Rescaler()
        m.submodules.dequantizer = dequantizer = Dequantizer()
        m.submodules.activation = activation = ActivationUnit()
        m.submodules.quantizer = quantizer = QuantizerLane()

        for name in ("low", "high", "half_rule", "select_high", "scale", "bias", "bias_shift", "shift"):
            m.d.comb += getattr(rescaler, name).eq(getattr(self, name))
        m.d.comb += [
            dequantizer.word.eq(self.auxiliary),
            dequantizer.packed.eq(self.auxiliary_packed),
            dequantizer.high.eq(self.auxiliary_high),
            dequantizer.scale.eq(self.auxiliary_parameters.scale),
            dequantizer.zero_point.eq(self.auxiliary_parameters.zero_point),
            dequantizer.bits.eq(self.auxiliary_parameters.bits),
        ]

        waiting = rescaler.latency - dequantizer.latency
        m.d.comb += [
            self.auxiliary_value.eq(delay(m, dequantizer.value, waiting, "auxiliary")),
            activation.x.eq(rescaler.x),
            activation.auxiliary.eq(self.auxiliary_value),
            activation.positive.eq(delay(m, dequantizer.positive, waiting, "positive")),
            activation.factor.eq(self.factor),
            activation.operation.eq(self.operation),
            self.value.eq(activation.y),
            quantizer.value.eq(activation.y),
            quantizer.stages.eq(self.output_parameters),
        ]

        plain, quantize = Signal(WORD_WIDTH), delay(m, self.quantize, 1, "quantize")
        m.d.comb += [
            plain.eq(delay(m, activation.y, quantizer.latency, "value")),
            self.word.eq(Mux(quantize, quantizer.code, plain)),
            self.rescaler_saturated.eq(
                delay(m, rescaler.saturated, self.latency - rescaler.latency, "rescaler_saturated")
            ),
            self.activation_saturated.eq(delay(m, activation.saturated, quantizer.latency, "activation_saturated")),
            self.quantizer_saturated.eq(quantizer.saturated & quantize),
        ]
        return m
