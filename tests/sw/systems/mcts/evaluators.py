"""Evaluators that tests can predict."""

import zlib

import numpy as np

from rewardware.hw.cores.tree.config import REWARD_FRACTION, SCORE_FRACTION


class Drawn:
    """Priors and value drawn by chance, but the same wherever a state is met, and such as the tree's formats hold.

    Priors of legal actions add up to 1; where there is no action stands what must not be looked at.
    """

    def __init__(self, seed=0):
        self.seed = seed

    def __call__(self, environment):
        generator = np.random.default_rng((self.seed, zlib.crc32(repr(environment.save()).encode())))
        legal = [action for action in range(environment.actions) if environment.legal_actions() >> action & 1]
        cuts = generator.integers(1 << SCORE_FRACTION, size=len(legal) - 1)
        priors = np.full(environment.actions, np.nan)
        priors[legal] = np.diff([0, *np.sort(cuts), 1 << SCORE_FRACTION]) / 2**SCORE_FRACTION
        limit = 1 << REWARD_FRACTION
        return priors, int(generator.integers(-limit, limit + 1)) / limit


class Fixed:
    """The same priors and value for every state."""

    def __init__(self, priors, value=0.0):
        self.priors, self.value = priors, value

    def __call__(self, environment):
        return self.priors, self.value
