"""Positions that are kept: which ones, what is drawn of them, and what a checkpoint has."""

import numpy as np
import pytest

from rewardware.sw.algorithms.alphazero.position_buffer import PositionBuffer, Positions

from .small import game


def positions(count, seed, planes=None, actions=9):
    generator = np.random.default_rng(seed)
    given = generator.integers(0, 2, (count, 3, 3, 3)) if planes is None else planes
    legal = generator.integers(0, 2, (count, actions)).astype(bool)
    legal[:, 4] = True
    visits = np.where(legal, generator.integers(1, 60_000, (count, actions)), 0).astype(np.uint16)
    return Positions(
        planes=given.astype(np.float32), legal=legal, visits=visits, outcomes=generator.choice([-1, 0, 1], count)
    )


def make(capacity=10, symmetries=None):
    return PositionBuffer(capacity, (3, 3, 3), 9, game().symmetries if symmetries is None else symmetries)


def test_the_newest_positions_are_drawn_as_they_were_added():
    buffer, first, second = make(symmetries=game().symmetries[:1]), positions(7, 0), positions(6, 1)
    for each in (first, second):
        buffer.add(each)
    assert (buffer.size, buffer.added) == (10, 13)
    kept = {name: np.concatenate([getattr(first, name)[3:], getattr(second, name)]) for name in vars(first)}
    batch = buffer.draw(500, np.random.default_rng(2))
    seen = set()
    for planes, legal, policy, outcome in zip(
        batch.planes, batch.legal, batch.policies, batch.outcomes, strict=True
    ):  # fmt: skip
        (row,) = [row for row in range(10) if (kept["planes"][row] == planes).all()]
        seen.add(row)
        assert (kept["legal"][row] == legal).all() and kept["outcomes"][row] == outcome
        visits = kept["visits"][row].astype(np.float64)
        assert (policy == (visits / visits.sum()).astype(np.float32)).all()
    assert seen == set(range(10))


def test_a_position_is_seen_through_all_symmetries_with_its_moves():
    buffer = make()
    planes = np.zeros((1, 3, 3, 3))
    planes[0, 0, 0, 1] = 1
    visits = np.zeros((1, 9), np.uint16)
    visits[0, [1, 5]] = 3, 1
    buffer.add(Positions(planes=planes, legal=visits > 0, visits=visits, outcomes=np.ones(1, np.float32)))
    batch = buffer.draw(200, np.random.default_rng(0))
    # Whichever way the board lies, the stone is where most visits are, and the others are beside it.
    assert (batch.planes[:, 0].reshape(200, 9).argmax(axis=1) == batch.policies.argmax(axis=1)).all()
    assert ((batch.policies > 0) == batch.legal).all()
    assert len({tuple(policy) for policy in batch.policies}) == 8


def test_planes_that_are_no_bytes_are_kept_too():
    for value in (0.5, -1.0, 300.0):
        buffer, odd = make(), positions(2, 3, np.full((2, 3, 3, 3), value))
        buffer.add(positions(2, 1))
        assert buffer.state()[0]["planes"].dtype == np.uint8
        buffer.add(odd)
        planes = buffer.state()[0]["planes"]
        assert planes.dtype == np.float32 and (planes[2:] == odd.planes).all()
        assert (planes[:2] == positions(2, 1).planes).all()


@pytest.mark.parametrize("value", [None, 0.5])
def test_what_goes_on_draws_the_same(value):
    buffer, other = make(), make()
    buffer.add(positions(9, 0, None if value is None else np.full((9, 3, 3, 3), value)))
    buffer.add(positions(4, 1))
    other.restore(*buffer.state())
    for each in (buffer, other):
        each.add(positions(3, 2))
    one, two = (each.draw(40, np.random.default_rng(5)) for each in (buffer, other))
    assert all((getattr(one, name) == getattr(two, name)).all() for name in vars(one))
    assert buffer.added == other.added == 16
