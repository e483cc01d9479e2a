"""Units against their references: several configurations of a unit in one model."""

import numpy as np
from amaranth.hdl import Module
from amaranth.lib import wiring

from rewardware.hw.cores.pipeline import delay
from rewardware.sim.harness.vectors import evaluate


class Configurations(wiring.Component):
    """A unit in several configurations, each on its own operands; port ``a_3`` is ``a`` of the fourth.

    All results come out together, after ``latency`` cycles.
    """

    def __init__(self, unit, configs):
        self.units = [unit(config) for config in configs]
        self.latency = max(each.latency for each in self.units)
        super().__init__(
            {
                f"{name}_{index}": member
                for index, each in enumerate(self.units)
                for name, member in each.signature.members.items()
            }
        )

    def elaborate(self, platform):
        m = Module()
        for index, unit in enumerate(self.units):
            m.submodules[f"unit_{index}"] = unit
            for name, member in unit.signature.members.items():
                port, outer = getattr(unit, name), getattr(self, f"{name}_{index}")
                if member.flow == wiring.In:
                    m.d.comb += port.eq(outer)
                else:
                    m.d.comb += outer.eq(delay(m, port, self.latency - unit.latency, f"{name}_{index}"))
        return m


def check(unit, configs, columns):
    """Compare a unit in several configurations, all in one model, with what is expected of it.

    ``columns`` has for each configuration its inputs and the expected outputs, two dictionaries of arrays by port.
    Short ones are played again until the longest has ended.
    """
    model = Configurations(unit, configs)
    assert [each.latency for each in model.units] == [config.depth for config in configs]
    count = max(np.size(values) for inputs, _ in columns for values in inputs.values())
    played = {
        f"{name}_{index}": np.resize(values, count)
        for index, (inputs, _) in enumerate(columns)
        for name, values in inputs.items()
    }
    results = evaluate(model, played)
    for index, (inputs, expected) in enumerate(columns):
        outputs = [name for name, member in model.units[index].signature.members.items() if member.flow == wiring.Out]
        assert set(outputs) == set(expected)
        for name, values in expected.items():
            got = results[f"{name}_{index}"][: len(values)]
            wrong = np.flatnonzero(got != values)
            if len(wrong):
                first = wrong[0]
                operands = ", ".join(f"{source}={int(column[first]):#x}" for source, column in inputs.items())
                raise AssertionError(
                    f"{unit.__name__} of {configs[index]}: {name} of {operands} is {int(got[first]):#x}, expected "
                    f"{int(values[first]):#x}; {len(wrong)} of {len(got)} differ"
                )
