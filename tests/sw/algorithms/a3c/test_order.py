"""The order in which agents were served: what goes in comes out, also behind a checkpoint."""

import numpy as np

from rewardware.sw.algorithms.a3c.order import ServiceOrder
from rewardware.sw.algorithms.a3c.policy import draw, scores
from tests.sw.algorithms.a3c.requests import SHAPE, make


def test_calls_come_out_as_they_went_in():
    order = ServiceOrder()
    assert order.array().tolist() == [] and list(order.calls()) == []
    order.add([3, 0, 63], {0: 2, 5: 1})
    assert order.array().dtype == np.int16 and len(order.array()) == 3
    order.add([1], {1: 1})
    again = ServiceOrder(order.array())
    again.add([2, 1], {})
    expected = [[(3, 0), (0, 2), (63, 0)], [(1, 1)], [(2, 0), (1, 0)]]
    assert list(again.calls()) == expected and list(order.calls()) == expected[:2]


class Fixed:
    """Gives one number."""

    def __init__(self, number):
        self.number = np.float32(number)

    def random(self, dtype):
        assert dtype == np.float32
        return self.number


def test_draws_are_the_inverse_transform():
    probabilities = np.array([0, 0.25, 0, 0.5, 0.25, 0], np.float32)
    last = 1 - 2.0**-24
    found = [draw(probabilities, Fixed(number)) for number in (0, 0.2499, 0.25, 0.7499, 0.75, last)]
    assert found == [1, 1, 3, 3, 4, 4]
    # Also where the total is not 1.
    assert draw(np.array([0.5, 0.4999], np.float32), Fixed(last)) == 1
    assert draw(np.array([0.7, 0.300001], np.float32), Fixed(last)) == 1
    # Each action has exactly its share of numbers that are evenly spread.
    counts = np.bincount([draw(probabilities, Fixed(number / 1024)) for number in range(1024)], minlength=6)
    assert counts.tolist() == [0, 256, 0, 512, 256, 0]


def test_a_draw_takes_one_number_of_the_generator():
    probabilities = np.array([0.25, 0.5, 0.25], np.float32)
    generator, same = np.random.default_rng(0), np.random.default_rng(0)
    numbers = [same.random(dtype=np.float32) for _ in range(1000)]
    assert [draw(probabilities, generator) for _ in numbers] == np.digitize(numbers, [0.25, 0.75]).tolist()
    assert generator.bit_generator.state == same.bit_generator.state


def test_scores_are_logits_of_the_network():
    service = make("torch")
    observations = np.random.default_rng(0).normal(0, 1, (4, 5)).astype(np.float32)
    logits = scores(service.parameters(), observations)
    assert logits.shape == (4, SHAPE.actions) and logits.dtype == np.float32
    import torch

    expected = service._forward(service._central, torch.from_numpy(observations))[0]
    np.testing.assert_allclose(logits, expected.numpy(), atol=1e-6)
