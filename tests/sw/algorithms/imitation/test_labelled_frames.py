"""Samples from which a policy learns: whole observations from single frames, batches, checkpoints."""

import numpy as np

from rewardware.sw.algorithms.imitation.labelled_frames import LabelledFrames


def filled(lengths=(5, 1, 3), side=6):
    """Data of episodes, and the observations that went in."""
    generator, data, given = np.random.default_rng(0), LabelledFrames(), []
    for length in lengths:
        frame = generator.integers(0, 256, (side, side, 1), np.uint8)
        observation = np.repeat(frame, 4, axis=2)
        for step in range(length):
            given.append(observation)
            data.add(observation, len(given) % 3 and 2, step == 0)
            frame = generator.integers(0, 256, (side, side, 1), np.uint8)
            observation = np.concatenate([observation[..., 1:], frame], axis=2)
    return data, np.stack(given)


def test_observations_come_back_whole():
    data, given = filled()
    assert data.size == 9
    indices = np.array([8, 0, 3, 5, 6, 1, 4, 4])
    np.testing.assert_array_equal(data.observations(indices), given[indices])
    np.testing.assert_array_equal(data.actions(np.arange(9)), [2, 2, 0] * 3)
    assert data.spread(3).tolist() == [0, 4, 8] and data.spread(20).tolist() == list(range(9))


def test_every_action_is_drawn_as_often():
    data, _ = filled((40, 60))
    data.add(np.zeros((6, 6, 4), np.uint8), 1, True)
    actions = data.actions(data.draw(3000, np.random.default_rng(1)))
    counts = np.bincount(actions)
    assert len(counts) == 3 and all(900 < count < 1100 for count in counts)


def test_a_checkpoint_has_everything():
    data, given = filled()
    again = LabelledFrames()
    again.restore(*data.state())
    for each in (data, again):
        each.add(given[8], 1, False)
    assert again.size == 10
    np.testing.assert_array_equal(again.observations(np.arange(10)), data.observations(np.arange(10)))
    drawn = [each.draw(50, np.random.default_rng(2)) for each in (data, again)]
    np.testing.assert_array_equal(*drawn)
    empty = LabelledFrames()
    empty.restore(*LabelledFrames().state())
    assert empty.size == 0
