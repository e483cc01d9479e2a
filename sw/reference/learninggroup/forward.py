"""A time step of IC3Net forward, on words: (features, batches, lanes of a word)."""

from dataclasses import dataclass, field

import numpy as np

from ....hw.soc.learninggroup.config import HEADS
from ..arrays import IntegerArray, ValueArray
from .arithmetic import Binary64
from .layout import Layout
from .network import NetworkReference
from .state import SAMPLED_HEADS

__all__ = ["GATES", "Step", "choose", "others", "softmax", "step_forward"]

# The LSTM's, in the order of its columns.
GATES = ("i", "f", "g", "o")


@dataclass
class Step:
    """Numbers that a step keeps for the backward pass.

    Parameters
    ----------
    observation, heard, x : array
        Inputs of encoder, communication and LSTM.
    spoke : array
        The gate's action of the step before, 0 or 1; 0 in lanes without a vector.
    h_before, c_before : array
        The LSTM's state before the step.
    gates : dict of array
        i, f, g, o.
    c, u, h : array
        Cell, its hyperbolic tangent, hidden state.
    probabilities, actions : dict of array
        Probabilities and actions of policy and gate, by name; an action has one feature, the number of the choice.
    value : array
    """

    observation: ValueArray
    spoke: ValueArray
    h_before: ValueArray
    c_before: ValueArray
    heard: ValueArray
    x: ValueArray
    gates: dict[str, ValueArray]
    c: ValueArray
    u: ValueArray
    h: ValueArray
    value: ValueArray = field(default_factory=lambda: np.zeros(0))
    probabilities: dict[str, ValueArray] = field(default_factory=dict)
    actions: dict[str, IntegerArray] = field(default_factory=dict)


def step_forward(
    network: NetworkReference,
    layout: Layout,
    observation: ValueArray,
    spoke: ValueArray,
    h: ValueArray,
    c: ValueArray,
    uniform: dict[str, ValueArray],
) -> Step:
    """One step; arguments as in :class:`Step`.

    Parameters
    ----------
    uniform : dict of array
        For policy and gate a number below 1 in each lane.
    """
    arithmetic = network.arithmetic
    add, multiply = arithmetic.add, arithmetic.multiply
    heard = others(network, layout, multiply(h, spoke))
    x = add(
        add(network.forward("encoder", observation), network.forward("communication", heard)), network.biases["encoder"]
    )
    z = add(add(network.forward("input", x), network.forward("hidden", h)), network.biases["input"])
    gates = {
        name: (arithmetic.tanh if name == "g" else arithmetic.sigmoid)(part)
        for name, part in zip(GATES, np.split(z, len(GATES)), strict=True)
    }
    cell = add(multiply(gates["f"], c), multiply(gates["i"], gates["g"]))
    u = arithmetic.tanh(cell)
    step = Step(
        observation=observation, spoke=spoke, h_before=h, c_before=c, heard=heard, x=x, gates=gates, c=cell, u=u,
        h=multiply(gates["o"], u),
    )  # fmt: skip
    outputs = {head: add(network.forward(head, step.h), network.biases[head]) for head in HEADS}
    step.value = outputs["value"]
    for head in SAMPLED_HEADS:
        step.probabilities[head] = softmax(arithmetic, outputs[head])
        step.actions[head] = choose(arithmetic, step.probabilities[head], uniform[head])
    return step


def others(network: NetworkReference, layout: Layout, words: ValueArray) -> ValueArray:
    """The mean over the other agents of each: ``(total + (-own)) * 1 / (agents - 1)``, 0 for a single one."""
    arithmetic, agents = network.arithmetic, layout.agents
    share = arithmetic.numbers(1 / (agents - 1) if agents > 1 else 0)
    return arithmetic.multiply(arithmetic.subtract(layout.totals(words, arithmetic.add), words), share)


def softmax(arithmetic: Binary64, logits: ValueArray) -> ValueArray:
    """Probabilities over the first axis: ``e * reciprocal(sum of all e)``, ``e = exp(logit + (-maximum))``."""
    powers = arithmetic.exponential(arithmetic.subtract(logits, logits.max(axis=0)))
    total = powers[0]
    for power in powers[1:]:
        total = arithmetic.add(total, power)
    return arithmetic.multiply(powers, arithmetic.reciprocal(total))


def choose(arithmetic: Binary64, probabilities: ValueArray, uniform: ValueArray) -> IntegerArray:
    """The number of partial sums of the probabilities, without the last, that are not above a uniform number."""
    total = probabilities[0]
    chosen = (total <= uniform).astype(np.int64)
    for probability in probabilities[1:-1]:
        total = arithmetic.add(total, probability)
        chosen += total <= uniform
    return chosen[np.newaxis]
