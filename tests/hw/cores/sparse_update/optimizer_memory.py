"""Parts that the benches of RMSprop share: weights and mean squares in words, gradients, and their reference."""

import numpy as np

from rewardware.sim.cocotb import compare
from rewardware.sw.reference.float.conversion import from_numbers
from tests.hw.cores.sparse.memories import ReadPort

# As real numbers.
RATES = {"decay": 0.97, "one_minus_decay": 0.03, "learning_rate": 2e-3, "epsilon": 1e-3}


def random_gradients(number_format, random, shape):
    """Gradients of every magnitude, corner cases among them."""
    found = from_numbers(number_format, random.normal(0, 1, shape) * 2.0 ** random.integers(-18, 4, shape))
    corners = [0, 1, number_format.sign_bit, number_format.largest, number_format.infinity, number_format.quiet_nan]
    places = random.random(shape) < 0.05
    found[places] = random.choice(corners, places.sum())
    return found


def rate_bits(number_format):
    """The rates by name, as bits."""
    return {name: int(from_numbers(number_format, np.array([value]))[0]) for name, value in RATES.items()}


def pack_rates(number_format, rates):
    """The rates as one word."""
    return sum(rates[name] << number_format.width * place for place, name in enumerate(RATES))


def random_state(number_format, random, shape):
    """Weights and mean squares of some magnitudes."""
    weights = from_numbers(number_format, random.normal(0, 1, shape))
    return weights, from_numbers(number_format, random.gamma(1, 1, shape) * 2.0 ** random.integers(-12, 2, shape))


class Rows:
    """Rows of weights or mean squares as bits."""

    def __init__(self, memory, name):
        self._memory, self._name = memory, name

    def __getitem__(self, address):
        row, width = getattr(self._memory, self._name)[address], self._memory.number_format.width
        return sum(int(number) << width * lane for lane, number in enumerate(row))


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
        dut.rates.value = pack_rates(number_format, self.rates)
        for name in ("weights", "squares"):
            ReadPort(dut, name, Rows(self, name), stays=False)

    def take(self, dut):
        """Does what is written in this cycle; returns ``(address, mask of lanes)``, or nothing."""
        width = self.number_format.width
        mask = int(dut.new_weights__enable.value)
        assert mask == int(dut.new_squares__enable.value)
        if not mask:
            return None
        address = int(dut.new_weights__address.value)
        assert address == int(dut.new_squares__address.value)
        for memory, port in ((self.weights, dut.new_weights__data), (self.squares, dut.new_squares__data)):
            row = int(port.value)
            for lane in range(self.lanes):
                if mask >> lane & 1:
                    memory[address, lane] = row >> width * lane & (1 << width) - 1
        return address, mask

    def check(self, what):
        """Raises where a word is not what the reference has."""
        for name, expected, got in zip(
            ("weights", "squares"), self.expected, (self.weights, self.squares), strict=True
        ):
            for address in np.flatnonzero((expected != got).any(axis=1))[:1]:
                compare(expected[address], got[address], f"{name} after {what}", int(address))
