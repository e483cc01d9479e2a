"""The vector harness: columns in, columns out."""

import numpy as np
import pytest

from rewardware.sim.harness.vectors import evaluate

from .units import Accumulate, Invert, Streaming, Wide


def test_columns_come_out_in_order():
    a = np.arange(-16, 16)
    b = np.arange(32, dtype=np.uint64) << np.uint64(59)
    results = evaluate(Accumulate(), {"a": a, "b": b})
    assert (results["sum"] == 2 * a).all()
    assert (results["flipped"] == ~b).all() and results["flipped"].dtype == np.uint64
    assert (results["count"] == np.arange(2, 34)).all()


def test_single_values_stay():
    results = evaluate(Accumulate(), {"a": [3, -4, 5], "b": 0})
    assert results["sum"].tolist() == [6, -8, 10]
    assert evaluate(Accumulate(), {"a": -1, "b": 0})["sum"].tolist() == [-2]


def test_another_latency():
    assert evaluate(Accumulate(), {"a": [3, -4, 5], "b": 0}, 3)["count"].tolist() == [3, 4, 5]


def test_without_clock():
    values = np.arange(512)
    assert (evaluate(Invert(), {"a": values})["result"] == values ^ 511).all()
    # Upper bits that the port does not have are left out.
    assert evaluate(Invert(), {"a": [-1]})["result"].tolist() == [0]


@pytest.mark.parametrize(
    ("component", "inputs", "message"),
    [
        (Invert, {"b": [1]}, "Inputs must be a, not b"),
        (Invert, {}, "Inputs must be a, not none"),
        (Invert, {"a": []}, "Inputs must be integers, not float64"),
        (Invert, {"a": np.zeros(0, np.int64)}, "Inputs must have values, not none"),
        (Invert, {"a": [0.5]}, "Inputs must be integers, not float64"),
        (Wide, {"a": [1]}, "Port a must have 1 to 64 bits, not 65"),
        (Streaming, {"a": [1]}, "Port a must be a plain value"),
    ],
)
def test_mistakes_are_named(component, inputs, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        evaluate(component(), inputs)
