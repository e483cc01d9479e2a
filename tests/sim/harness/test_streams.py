"""The stream harness: what is sent comes in, what comes out is received."""

import signal
import time

import numpy as np
import pytest

from rewardware.sim.harness.handle import PART_CYCLES
from rewardware.sim.harness.streams import StreamSimulation

from .units import Accumulate, Add, Packed


@pytest.mark.parametrize("stall", [0.0, 0.6])
def test_values_pass_in_order(stall):
    terms = [1 << 69, *range(100)]
    with StreamSimulation(Add(), stall=stall, seed=3) as simulation:
        simulation.set("offset", 1 << 39)
        simulation.send("terms", terms)
        simulation.send("others", np.arange(101) % 32)
        cycles = simulation.run("results", 101, 1000)
        assert cycles == 101 if stall == 0 else 300 < cycles < 900
        got = simulation.receive("results", 60, 0).tolist() + simulation.receive("results", 41, 0).tolist()
        assert got == [term + index % 32 + (1 << 39) for index, term in enumerate(terms)]
        simulation.send("others", [1])
        simulation.send("terms", [2])
        assert simulation.receive("results", 1, 100).tolist() == [3 + (1 << 39)]
        # An element that is taken shows a cycle later.
        with pytest.raises(TimeoutError, match="^Stream results has 0 of 1 values after 5 cycles$"):
            simulation.run("results", 1, 5)
        assert simulation.get("taken") == 102
    with pytest.raises(RuntimeError, match="^The simulation is closed$"):
        simulation.get("taken")


def test_limits_are_counted_over_all_parts():
    with StreamSimulation(Add()) as simulation:
        with pytest.raises(TimeoutError, match="^Stream results has 0 of 1 values after 5003 cycles$"):
            simulation.run("results", 1, 2 * PART_CYCLES + 1003)
        count = 2 * PART_CYCLES + 7
        simulation.send("terms", range(count))
        simulation.send("others", np.zeros(count, np.int64))
        assert simulation.run("results", count, 10 * PART_CYCLES) == count
        assert simulation.receive("results", count, 0).tolist() == list(range(count))


def test_a_simulation_without_an_end_can_be_interrupted():
    """Ctrl-C a moment from now, as Python's own handler has it."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with StreamSimulation(Add()) as simulation:
            begun = time.monotonic()
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            with pytest.raises(KeyboardInterrupt):
                # Some minutes of cycles.
                simulation.run("results", 1, 1_000_000_000)
            assert time.monotonic() - begun < 10
            simulation.send("terms", [1])
            simulation.send("others", [2])
            assert simulation.receive("results", 1, 10).tolist() == [3]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_mistakes_are_named():
    with StreamSimulation(Add()) as simulation:
        with pytest.raises(ValueError, match="^Stream in must be one of terms, others, not 'results'$"):
            simulation.send("results", [1])
        with pytest.raises(ValueError, match="^Stream out must be one of results, not 'terms'$"):
            simulation.receive("terms", 1, 1)
        with pytest.raises(ValueError, match="^Input must be one of offset, not 'taken'$"):
            simulation.set("taken", 1)
        with pytest.raises(ValueError, match="^Output must be one of taken, not 'offset'$"):
            simulation.get("offset")
    with pytest.raises(ValueError, match="^Stall must be a probability from 0 to below 1, not 1$"):
        StreamSimulation(Add(), stall=1)
    with pytest.raises(ValueError, match="^Port words must be a stream or a plain value$"):
        StreamSimulation(Packed())


def test_without_streams():
    with StreamSimulation(Accumulate()) as simulation:
        simulation.set("a", 3)
        with pytest.raises(ValueError, match="^Stream out must be one of none, not 'sum'$"):
            simulation.run("sum", 1, 2)
