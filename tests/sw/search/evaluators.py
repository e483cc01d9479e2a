"""Evaluators for tests: what they say of a position follows from its planes alone, and not from its batch."""

import hashlib

import numpy as np

__all__ = ["HashEvaluator", "found", "some_states"]


class HashEvaluator:
    """Priors and value by a hash of the planes.

    Parameters
    ----------
    most : float
        Largest amount of a value.
    """

    def __init__(self, most=1.0):
        self.most = most
        self.batches = []

    def evaluate(self, planes, legal):
        self.batches.append(len(planes))
        priors, values = np.empty(legal.shape, np.float32), np.empty(len(planes), np.float32)
        for index, position in enumerate(planes):
            seed = int.from_bytes(hashlib.sha256(position.astype(np.int8).tobytes()).digest()[:8], "little")
            drawn = np.random.default_rng(seed).random(legal.shape[1] + 1, np.float32)
            priors[index] = drawn[1:] ** 3
            values[index] = self.most * (2 * drawn[0] - 1)
        return priors, values

    def close(self):
        pass


def found(result):
    """Results in which two searches have to agree."""
    return {
        "visits": result.visits.tolist(),
        "totals": result.totals.tolist(),
        "priors": result.priors.tolist(),
        "value": result.value,
        "legal": result.legal.tolist(),
        "nodes": result.nodes,
        "evaluations": result.evaluations,
    }


def some_states(environment, count, seed):
    """Positions of random games in which nobody has won yet, the first one first."""
    generator = np.random.default_rng(seed)
    environment.reset(0)
    states = [environment.save()]
    while len(states) < count:
        legal = [action for action in range(environment.actions) if environment.legal_actions() >> action & 1]
        _, ended = environment.step(int(generator.choice(legal)))
        if ended:
            environment.reset(0)
        else:
            states.append(environment.save())
    return states
