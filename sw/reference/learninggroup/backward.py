"""Back through time, and the gradients of all parameters, on words: (features, batches, lanes of a word)."""

import numpy as np

from ..arrays import ValueArray
from .arithmetic import Binary64
from .forward import GATES, Step, others
from .layout import Layout
from .network import NetworkReference
from .state import SAMPLED_HEADS

__all__ = ["backward_through_time", "gradients"]


def backward_through_time(
    network: NetworkReference,
    layout: Layout,
    steps: list[Step],
    returns: ValueArray,
    scales: ValueArray,
    value_factor: ValueArray,
) -> dict[str, list[ValueArray]]:
    """Errors at the outputs of every layer, ``{layer: [words of step 0, ...]}``.

    Parameters
    ----------
    returns, scales : array (steps, batches, lanes)
        R and k of every vector; k is 0 in lanes without one.
    value_factor : number
        Twice the value's coefficient in the loss.
    """
    arithmetic = network.arithmetic
    add, subtract, multiply = arithmetic.add, arithmetic.subtract, arithmetic.multiply
    one = arithmetic.numbers(1)
    found: dict[str, list[ValueArray]] = {name: [] for name in network.layers}
    dh = arithmetic.zeros(*steps[0].h.shape)
    dc = arithmetic.zeros(*steps[0].c.shape)
    for t in reversed(range(len(steps))):
        step, errors = steps[t], heads_errors(arithmetic, steps[t], returns[t], scales[t], value_factor)
        dh = add(network.heads_backward(errors), dh)
        gates = step.gates
        du = multiply(dh, gates["o"])
        dc = add(dc, multiply(du, subtract(one, multiply(step.u, step.u))))
        slopes = {
            name: subtract(one, multiply(gate, gate)) if name == "g" else multiply(gate, subtract(one, gate))
            for name, gate in gates.items()
        }
        arriving = {
            "i": multiply(dc, gates["g"]),
            "f": multiply(dc, step.c_before),
            "g": multiply(dc, gates["i"]),
            "o": multiply(dh, step.u),
        }
        dz = np.concatenate([multiply(arriving[name], slopes[name]) for name in GATES])
        dc = multiply(dc, gates["f"])
        dx = network.backward("input", dz)
        errors |= {"encoder": dx, "communication": dx, "input": dz, "hidden": dz}
        if t > 0:
            dq = others(network, layout, network.backward("communication", dx))
            dh = add(network.backward("hidden", dz), multiply(dq, step.spoke))
        for name, error in errors.items():
            found[name].insert(0, error)
    return found


def heads_errors(
    arithmetic: Binary64, step: Step, returns: ValueArray, scale: ValueArray, value_factor: ValueArray
) -> dict[str, ValueArray]:
    """Errors at the outputs of the heads: of the REINFORCE loss with the value as baseline, and of the value's."""
    subtract, multiply = arithmetic.subtract, arithmetic.multiply
    advantage = subtract(returns, step.value)
    errors = {}
    for head in SAMPLED_HEADS:
        probabilities = step.probabilities[head]
        number = np.arange(len(probabilities))[:, np.newaxis, np.newaxis]
        one_hot = (step.actions[head] == number).astype(arithmetic.dtype)
        errors[head] = multiply(multiply(subtract(probabilities, one_hot), advantage), scale)
    errors["value"] = multiply(multiply(subtract(step.value, returns), value_factor), scale)
    return errors


def gradients(
    network: NetworkReference, steps: list[Step], errors: dict[str, list[ValueArray]], grouping_gradient: str
) -> dict[str, ValueArray]:
    """Gradients of all parameters, by name; without grouping matrices where there is one group only.

    Parameters
    ----------
    errors : dict
        Errors of :func:`backward_through_time`.
    grouping_gradient : str
        ``"unmasked"`` or ``"dense"``.
    """
    inputs = {
        "encoder": [step.observation for step in steps],
        "communication": [step.heard for step in steps],
        "input": [step.x for step in steps],
        "hidden": [step.h_before for step in steps],
    }
    after = [step.h for step in steps]
    found = {}
    groups = network.network.groups
    for name in network.layers:
        x, d = in_order(inputs.get(name, after)), in_order(errors[name])
        gradient = network.weight_gradient(name, x, d, grouping_gradient == "dense" and groups > 1)
        if groups > 1:
            both = network.grouping_gradients(name, gradient)
            found[f"input_grouping/{name}"], found[f"output_grouping/{name}"] = both
        found[f"weight/{name}"] = gradient
        if name in network.biases:
            found[f"bias/{name}"] = network.bias_gradient(name, d)
    return found


def in_order(words: list[ValueArray]) -> ValueArray:
    """Words of all steps as (k, features, lanes): step after step, and within a step batch after batch."""
    stacked = np.stack(words).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(stacked).reshape(-1, *stacked.shape[2:])
