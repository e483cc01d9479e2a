"""MAAC's learner: replay, normal rewards, the same bits from the same seed, and from what was saved."""

from functools import partial

import numpy as np
import pytest

from rewardware.sw.algorithms.maac.joint_replay_buffer import JointReplayBuffer
from rewardware.sw.algorithms.maac.maac_learner import MAACLearner
from rewardware.sw.algorithms.maac.reference_update import ReferenceMAACUpdate
from rewardware.sw.algorithms.maac.torch_update import TorchMAACUpdate

from .batches import EVEN, UNEVEN, config_of, experiences, learner_of


def assert_same_state(one, other):
    (left, about), (right, rest) = one.save(), other.save()
    assert left.keys() == right.keys() and about == rest
    for name in left:
        assert np.array_equal(left[name], right[name]), name


def trained(learner, rounds, first=0):
    for number in range(first, first + rounds):
        rows = experiences(learner.shape, rows=12, seed=number)
        learner.act(rows["observations"])
        learner.remember(**rows)
        learner.learn()
    return learner


@pytest.mark.parametrize("shape", [EVEN, UNEVEN])
def test_same_seed_same_bits_and_what_was_saved_goes_on(shape):
    whole, begun = trained(learner_of(shape), 6), trained(learner_of(shape), 3)
    resumed = learner_of(shape, seed=9)
    arrays, rest = begun.save()
    resumed.load({name: values.copy() for name, values in arrays.items()}, rest)
    assert_same_state(resumed, begun)
    assert_same_state(trained(resumed, 3, first=3), whole)
    assert resumed.updates == 10
    with pytest.raises(AssertionError):
        assert_same_state(trained(learner_of(shape, seed=4), 6), whole)


def test_policies_may_be_updated_by_the_host_or_by_the_backend():
    """Either goes on with what the other has saved, and learns the same but for rounding."""
    config = config_of(UNEVEN)
    host = TorchMAACUpdate
    backend = partial(ReferenceMAACUpdate, updates_policies=True)
    found = []
    for first, second in ((host, host), (backend, backend), (host, backend), (backend, host)):
        begun, resumed = (MAACLearner(UNEVEN, config, make) for make in (first, second))
        resumed.load(*trained(begun, 3).save())
        assert_same_state(resumed, begun)
        trained(resumed, 3, first=3)
        assert resumed.updates == 10
        arrays, rest = resumed.save()
        assert rest["policies"] == rest["update"] == {"steps": 10}
        # It acts with the policies that the backend has.
        for name, values in resumed.policies.parameters.items():
            assert (arrays[f"update/policy.{name}"] == values).all()
        found.append(arrays)
    for arrays in found[1:]:
        assert arrays.keys() == found[0].keys()
        for name, values in arrays.items():
            assert np.median(np.abs(values - found[0][name])) < 1e-5, name
    begun = MAACLearner(UNEVEN, config, backend)
    assert_same_state(trained(trained(begun, 3), 3, first=3), resumed_from(UNEVEN, config, backend))


def resumed_from(shape, config, make):
    """A learner that goes on after half of its rounds with what another one has saved."""
    resumed = MAACLearner(shape, config, make)
    resumed.load(*trained(MAACLearner(shape, config, make), 3).save())
    return trained(resumed, 3, first=3)


def test_nothing_is_learned_before_there_are_experiences_for_a_batch():
    learner = learner_of(EVEN)
    learner.remember(**experiences(EVEN, rows=15))
    assert learner.learn() == {} and learner.updates == 0
    learner.remember(**experiences(EVEN, rows=1))
    report = learner.learn()
    assert set(report) == {"critic_loss", "q", "policy_loss", "entropy", "advantage"} and learner.updates == 2
    assert learner.counters() == {"updates": 2, "experiences": 16}
    assert learner_of(EVEN, updates=0).learn() == {}


def test_rewards_are_normalized_by_agent():
    seen = []

    class Watching(TorchMAACUpdate):
        def update(self, batch):
            seen.append(batch)
            return super().update(batch)

    for normalize in (True, False):
        learner = learner_of(EVEN, batch_size=64, updates=1, normalize_rewards=normalize)
        learner.backend.__class__ = Watching
        rows = experiences(EVEN)
        rows["rewards"][:, 0] = rows["rewards"][:, 0] * 50 - 7
        rows["rewards"][:, 1] = 3
        learner.remember(**rows)
        learner.learn()
    mean, deviation = rows["rewards"][:, 0].mean(), rows["rewards"][:, 0].std()
    assert seen[0].rewards[:, 0] == pytest.approx((seen[1].rewards[:, 0] - mean) / deviation, rel=1e-4, abs=1e-5)
    # All the same: only their mean is taken away.
    assert (seen[0].rewards[:, 1] == 0).all() and (seen[1].rewards[:, 1] == 3).all()


def test_the_replay_buffer_has_joint_experiences():
    replay = JointReplayBuffer(20, UNEVEN, seed=1)
    with pytest.raises(ValueError, match="the buffer is empty"):
        replay.reward_moments()
    rows = experiences(UNEVEN, rows=15)
    replay.add(**rows)
    replay.add(**experiences(UNEVEN, rows=15, seed=1))
    drawn = replay.sample(200)
    assert drawn.experiences["observations"].shape == (200, 3, 6) and len(replay) == 20
    mean, deviation = replay.reward_moments()
    kept = np.concatenate((rows["rewards"][10:], experiences(UNEVEN, rows=15, seed=1)["rewards"]))
    assert mean == pytest.approx(kept.mean(0), rel=1e-5) and deviation == pytest.approx(kept.std(0), rel=1e-5)


def test_acting_is_taken_back():
    learner = learner_of(UNEVEN)
    seen = experiences(UNEVEN, rows=30)["observations"]
    before = learner.drawn()
    first = learner.act(seen)
    assert first.shape == (30, 3) and not np.array_equal(learner.act(seen), first)
    learner.rewind(before)
    assert np.array_equal(learner.act(seen), first)


def test_it_learns_which_action_pays():
    """A game of one step: agent 0 is paid for the action that it sees, agent 1 for the last one."""
    learner = learner_of(EVEN, batch_size=64, buffer_size=4000, updates=4, reward_scale=20.0)
    generator = np.random.default_rng(0)

    def play(rows):
        signs = generator.integers(0, 3, rows)
        seen = np.zeros((rows, 2, 4), np.float32)
        seen[np.arange(rows), :, signs] = 1
        actions = learner.act(seen)
        paid = np.stack((actions[:, 0] == signs, actions[:, 1] == 2), 1).astype(np.float32)
        return seen, actions, paid

    _, _, before = play(600)
    for _ in range(200):
        seen, actions, paid = play(24)
        learner.remember(
            observations=seen, actions=actions, rewards=paid, next_observations=seen, finished=np.ones((24, 2))
        )
        learner.learn()
    _, _, after = play(600)
    assert before.mean() < 0.6 and after.mean() > 0.85
