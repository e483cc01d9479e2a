"""What the benches of RMSprop share: weights and mean squares in words, gradients, and the same for the reference."""

import numpy as np

from rewardware.sim.cocotb import compare
from rewardware.sw.reference.float.conversion import from_numbers

# As real numbers.
RATES = {"alpha": 0.97, "rest": 0.03, "rate": 2e-3, "epsilon": 1e-3}


def random_gradients(number_format, random, shape):
    """Of every magnitude, corner cases among them."""
    found = from_numbers(number_format, random.normal(0, 1, shape) * 2.0 ** random.integers(-18, 4, shape))
    corners = [0, 1, number_format.sign_bit, number_format.largest, number_format.infinity, number_format.quiet_nan]
    places = random.random(shape) < 0.05
    found[places] = random.choice(corners, places.sum())
    return found


def rate_bits(number_format):
    """The rates by name, as bits."""
    return {name: int(from_numbers(number_format, np.array([value]))[0]) for name, value in RATES.items()}


def random_state(number_format, random, shape):
    """Weights and mean squares of some magnitudes."""
    weights = from_numbers(number_format, random.normal(0, 1, shape))
    return weights, from_numbers(number_format, random.gamma(1, 1, shape) * 2.0 ** random.integers(-12, 2, shape))


class OptimizerMemory:
    """Words of weights and mean squares; ``expected`` is what the reference makes of them, ``rates`` are its bits.

    Parameters
    ----------
    dut : handle
        Gets the rates.
    number_format : FloatFormat
    shape : (int, int)
        Words, lanes.
    random : Generator
    """

    def __init__(self, dut, number_format, shape, random):
        self.number_format, self.lanes = number_format, shape[1]
        self.weights, self.squares = random_state(number_format, random, shape)
        self.expected = self.weights.copy(), self.squares.copy()
        self.rates = rate_bits(number_format)
        for name, value in self.rates.items():
            getattr(dut, name).value = value

    def show(self, dut, address):
        """What was read at ``address``, on the ports; zeros where nothing was: data hold for one cycle only."""
        for port, memory in ((dut.weights, self.weights), (dut.squares, self.squares)):
            words = [] if address is None else memory[address]
            port.value = sum(int(word) << self.number_format.width * lane for lane, word in enumerate(words))

    def check(self, what):
        """Raises where a word is not what the reference has."""
        for name, expected, got in zip(
            ("weights", "squares"), self.expected, (self.weights, self.squares), strict=True
        ):
            for address in np.flatnonzero((expected != got).any(axis=1))[:1]:
                compare(expected[address], got[address], f"{name} after {what}", int(address))
