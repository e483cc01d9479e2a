"""Sizes of MAAC's networks: what is refused, in words, and what follows from them."""

import pytest

from rewardware.sw.algorithms.maac.maac_shape import MAACShape


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"sizes": (3,), "counts": (2,)}, "MAAC must have at least 2 agents, .*, not 1"),
        ({"counts": (2,)}, "counts must be of the 2 agents, not of 1"),
        ({"sizes": (3, 0)}, "Agents must observe at least 1 element, not 0"),
        ({"counts": (0, 2)}, "Agents must have at least 1 action, not 0"),
        ({"heads": 3}, "hidden_size must be a multiple of the 3 heads, not 8"),
    ],
)
def test_shapes_that_are_refused(values, words):
    with pytest.raises(ValueError, match=words):
        MAACShape(**{"sizes": (3, 4), "counts": (2, 5), "hidden_size": 8, "heads": 2, **values})


def test_sizes_follow():
    shape = MAACShape(sizes=(3, 4), counts=(2, 1), hidden_size=8, heads=2)
    assert (shape.agents, shape.observation_size, shape.actions, shape.key_size) == (2, 4, 2, 4)
    assert shape.observed.tolist() == [[True, True, True, False], [True] * 4]
    assert shape.present.tolist() == [[True, True], [True, False]]
