"""Units against their references: every depth in one model."""

import numpy as np
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring

from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, BINARY32, MAXIMUM_DEPTH, FloatFormat
from rewardware.sim.harness.vectors import evaluate

FORMATS = [
    BINARY16,
    BINARY16.flushing(),
    BFLOAT16,
    BFLOAT16.flushing(),
    BINARY32,
    BINARY32.flushing(),
    FloatFormat(exponent_bits=6, fraction_bits=9),
    FloatFormat(exponent_bits=4, fraction_bits=3).flushing(),
    # So few exponents that the product of two subnormal numbers counts.
    FloatFormat(exponent_bits=3, fraction_bits=6),
]


class EveryDepth(wiring.Component):
    """A unit in each of its depths, on the same operands; output ``result_3`` is ``result`` of depth 3.

    All of them come out together, after ``latency`` cycles.
    """

    def __init__(self, unit, config, settings):
        self.units = [unit(config(depth=depth, **settings)) for depth in range(MAXIMUM_DEPTH + 1)]
        self.latency = MAXIMUM_DEPTH
        ports = {}
        for name, member in self.units[0].signature.members.items():
            if member.flow == wiring.In:
                ports[name] = member
            else:
                ports |= {f"{name}_{depth}": member for depth in range(len(self.units))}
        super().__init__(ports)

    def elaborate(self, platform):
        m = Module()
        for depth, unit in enumerate(self.units):
            assert unit.latency == depth
            m.submodules[f"depth_{depth}"] = unit
            for name, member in unit.signature.members.items():
                if member.flow == wiring.In:
                    m.d.comb += getattr(unit, name).eq(getattr(self, name))
                    continue
                value = getattr(unit, name)
                for _ in range(self.latency - depth):
                    delayed = Signal.like(value)
                    m.d.sync += delayed.eq(value)
                    value = delayed
                m.d.comb += getattr(self, f"{name}_{depth}").eq(value)
        return m


def check(unit, config, settings, inputs, expected, *, depth=None):
    """Compare a unit, in every depth or in one, with what is expected of it.

    ``settings`` are those of ``config`` but the depth, ``inputs`` and ``expected`` columns by port.
    """
    if depth is None:
        results = evaluate(EveryDepth(unit, config, settings), inputs)
    else:
        chosen = unit(config(depth=depth, **settings))
        results = {f"{name}_{depth}": values for name, values in evaluate(chosen, inputs).items()}
    assert {name.rpartition("_")[0] for name in results} == set(expected)
    for name, got in results.items():
        port, _, at_depth = name.rpartition("_")
        wrong = np.flatnonzero(got != expected[port])
        if len(wrong):
            index = wrong[0]
            operands = ", ".join(f"{source}={_at(values, index):#x}" for source, values in inputs.items())
            raise AssertionError(
                f"{unit.__name__} of depth {at_depth} ({settings}): {port} of {operands} is {int(got[index]):#x}, "
                f"expected {int(expected[port][index]):#x}; {len(wrong)} of {len(got)} differ"
            )


def _at(values, index):
    values = np.asarray(values)
    return int(values[index] if values.ndim else values)
