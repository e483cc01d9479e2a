"""The function units against their references: every operand of the short formats, a million of binary32."""

import numpy as np
import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.float.config import BINARY16, FloatFormat
from rewardware.hw.cores.float.functions.config import FloatFunctionConfig
from rewardware.hw.cores.float.functions.exponential import FloatExponential
from rewardware.hw.cores.float.functions.logarithm import FloatLogarithm
from rewardware.hw.cores.float.functions.reciprocal import FloatReciprocal
from rewardware.hw.cores.float.functions.sigmoid_tanh import FloatSigmoidTanh
from rewardware.hw.cores.float.functions.square_root import FloatReciprocalSquareRoot, FloatSquareRoot
from rewardware.hw.cores.pipeline import delay
from rewardware.sim.harness.vectors import evaluate
from rewardware.sw.reference.float.arithmetic import is_nonfinite
from rewardware.sw.reference.float.functions.exponential import exponential
from rewardware.sw.reference.float.functions.logarithm import logarithm
from rewardware.sw.reference.float.functions.reciprocal import reciprocal
from rewardware.sw.reference.float.functions.sigmoid_tanh import sigmoid_tanh
from rewardware.sw.reference.float.functions.square_root import reciprocal_square_root, square_root

from .stimulus import FORMATS, operands

UNITS = {
    "reciprocal": (FloatReciprocal, reciprocal),
    "square_root": (FloatSquareRoot, square_root),
    "reciprocal_square_root": (FloatReciprocalSquareRoot, reciprocal_square_root),
    "exponential": (FloatExponential, exponential),
    "logarithm": (FloatLogarithm, logarithm),
    "sigmoid_tanh": (FloatSigmoidTanh, sigmoid_tanh),
}


class EveryFunction(wiring.Component):
    """All units on the same operand; what comes earlier waits for the last."""

    def __init__(self, config):
        self.units = {name: unit(config) for name, (unit, _) in UNITS.items()}
        self.latency = max(unit.latency for unit in self.units.values())
        width = config.format.width
        ports = {"a": In(width), "tanh": In(1)}
        for name in self.units:
            ports |= {name: Out(width), f"{name}_nonfinite": Out(1)}
        super().__init__(ports)

    def elaborate(self, platform):
        m = Module()
        for name, unit in self.units.items():
            m.submodules[name] = unit
            m.d.comb += unit.a.eq(self.a)
            wait = self.latency - unit.latency
            m.d.comb += [
                getattr(self, name).eq(delay(m, unit.result, wait, name)),
                getattr(self, f"{name}_nonfinite").eq(delay(m, unit.nonfinite, wait, f"{name}_nonfinite")),
            ]
        m.d.comb += self.units["sigmoid_tanh"].tanh.eq(self.tanh)
        return m


@pytest.mark.parametrize("number_format", FORMATS, ids=str)
def test_units_follow_their_references(number_format):
    bits = operands(number_format)
    # Both functions of the unit that has two, in turn, each of them of every operand of the short formats.
    tanh = np.arange(2 * bits.size) % 2 if number_format.width <= 16 else np.arange(bits.size) % 3 == 0
    bits = bits.repeat(2) if number_format.width <= 16 else bits
    results = evaluate(EveryFunction(FloatFunctionConfig(format=number_format)), {"a": bits, "tanh": tanh})
    for name, (_, reference) in UNITS.items():
        expected = reference(number_format, bits, *([tanh] if name == "sigmoid_tanh" else []))
        wrong = np.flatnonzero(results[name] != expected)
        assert not wrong.size, (
            f"{name} of {bits[wrong[0]]:#x} (tanh={tanh[wrong[0]]}) is {results[name][wrong[0]]:#x}, expected "
            f"{expected[wrong[0]]:#x}; {wrong.size} of {bits.size} differ"
        )
        np.testing.assert_array_equal(results[f"{name}_nonfinite"], is_nonfinite(number_format, expected), name)


def test_latencies():
    short, long = FloatFunctionConfig(), FloatFunctionConfig(format="binary32")
    latencies = {name: (unit(short).latency, unit(long).latency) for name, (unit, _) in UNITS.items()}
    assert latencies == {
        "reciprocal": (5, 7),
        "square_root": (6, 8),
        "reciprocal_square_root": (6, 8),
        "exponential": (8, 10),
        "logarithm": (9, 11),
        "sigmoid_tanh": (14, 18),
    }


def test_configuration_takes_names():
    assert FloatFunctionConfig(format="binary16").format == BINARY16
    assert FloatFunctionConfig(format="binary16_flush").format == BINARY16.flushing()


@pytest.mark.parametrize(
    "exponent_bits, fraction_bits, message",
    [
        (5, 14, "Fraction bits of a function must be from 4 to 13, not 14"),
        (8, 3, "Fraction bits of a function must be from 4 to 23, not 3"),
        (3, 2, "Exponent bits of a function must be from 4 to 8, not 3"),
    ],
)
def test_configuration_refuses(exponent_bits, fraction_bits, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        FloatFunctionConfig(format=FloatFormat(exponent_bits=exponent_bits, fraction_bits=fraction_bits))


def test_configuration_refuses_other_kinds():
    with pytest.raises(TypeError, match="^Format must be a FloatFormat or a name, not 16$"):
        FloatFunctionConfig(format=16)
