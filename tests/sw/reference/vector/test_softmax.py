"""The reference of the softmax unit against double precision."""

import numpy as np

from rewardware.hw.cores.float.config import BINARY16
from rewardware.sw.reference.vector.softmax import choose, softmax


def test_reference():
    """Probabilities are those of double precision within what eleven bits allow; choices follow them."""
    random = np.random.default_rng(3)
    logits = (random.normal(0, 3, (6, 20_000))).astype(np.float16)
    powers = np.exp(logits.astype(np.float64))
    exact = powers / powers.sum(axis=0)
    bits = softmax(BINARY16, logits.view(np.uint16).astype(np.int64))
    got = bits.astype(np.uint16).view(np.float16).astype(np.float64)
    # A difference of up to 16 is rounded by 2**-8 at most, and so is its power, relatively; then a few half units.
    np.testing.assert_allclose(got, exact, rtol=2**-8 + 8 * 2**-11, atol=2**-24)
    uniform = random.integers(0, 2048, 20_000)
    choice = choose(BINARY16, bits, uniform)
    # The choice's interval holds the number, but for the roundings of the sums.
    sums = np.concatenate([np.zeros((1, 20_000)), np.cumsum(exact, axis=0)])
    lower, upper = (np.take_along_axis(sums, (choice + step)[np.newaxis], 0)[0] for step in (0, 1))
    assert (lower <= uniform / 2048 + 0.01).all()
    assert (uniform / 2048 <= upper + 0.01).all()
    counts = np.bincount(choice, minlength=6)
    np.testing.assert_allclose(counts / 20_000, exact.mean(axis=1), atol=0.012)
