"""Test of a pipeline without back-pressure: vectors in, one a cycle, and out `latency` cycles later."""

import numpy as np
from amaranth.hdl import Shape

from rewardware.sim.cocotb import simulate


def check_pipeline(component, inputs, expected, *, latency=None, delays=None, latencies=None):
    """Simulate ``component`` on columns of input values and compare its outputs with the expected columns.

    Parameters
    ----------
    component : wiring.Component
    inputs, expected : dict
        For each port its values, one a cycle.
    latency : int or None
        Cycles from inputs to outputs; None takes the component's own.
    delays, latencies : dict or None
        Inputs that enter later, and outputs with a latency of their own.
    """
    latency = component.latency if latency is None else latency
    delays = delays or {}
    latencies = dict.fromkeys(expected, latency) | (latencies or {})
    shapes = {name: Shape.cast(member.shape) for name, member in component.signature.members.items()}
    simulate(
        component,
        bench="tests.hw.cores.bench_pipeline",
        parameters={
            "latencies": latencies,
            "inputs": {
                name: [0] * delays.get(name, 0) + _bits(values, shapes[name].width) for name, values in inputs.items()
            },
            "expected": {name: [int(value) for value in values] for name, values in expected.items()},
            "signed": {name: shapes[name].width for name in expected if shapes[name].signed},
        },
        after_noise=True,
    )


def _bits(values, width):
    return [int(value) & (1 << width) - 1 for value in np.asarray(values, dtype=object)]
