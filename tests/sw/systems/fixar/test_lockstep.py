"""Lockstep: what it compares, when, and what it says of a difference."""

import numpy as np
import pytest

from rewardware.sw.core.lockstep import LockstepError, first_difference
from rewardware.sw.systems.fixar.lockstep import FixarLockstep


class Counter:
    """A learner whose state is how often each job was done; `wrong` spoils one element of its state."""

    def __init__(self, wrong: int | None = None):
        self.state = {"weight": np.zeros((3, 2), np.int32), "noise": np.array(0, np.uint64)}
        self.wrong = wrong
        self.loads = 0

    def act(self, observations, noise):
        self.state["noise"] = self.state["noise"] + np.uint64(noise)
        return np.full((len(observations), 1), float(self.state["noise"]))

    def train(self, batch):
        self.state["weight"] = self.state["weight"] - 1
        if self.wrong is not None and self.state["weight"][0, 0] == -self.wrong:
            self.state["weight"][2, 1] += 5
        return np.zeros(len(batch))

    def freeze(self, bits):
        self.state["bits"] = np.array(bits)

    def save(self):
        return {name: value.copy() for name, value in self.state.items()}

    def load(self, state):
        self.loads += 1
        self.state = {name: value.copy() for name, value in state.items()}

    def counters(self):
        return {"saturations": 0}

    def tally(self):
        return {"loads": self.loads}

    def restore_tally(self, tally):
        self.loads = tally["loads"]

    def close(self):
        pass


def play(learner, steps):
    for _ in range(steps):
        learner.act(np.zeros((1, 2)), noise=True)
        learner.act(np.zeros((4, 2)), noise=False)
        learner.train(range(10))


@pytest.mark.parametrize("every", [1, 3, 7])
def test_every_kth_step_is_compared_in_full(every):
    reference, device = Counter(), Counter()
    lockstep = FixarLockstep(reference, device, every)
    play(lockstep, 20)
    counters = lockstep.counters()
    assert counters["lockstep_steps"] == -(-20 // every)
    assert counters["lockstep_compared"] == counters["lockstep_equal"]
    # Weights, noise state and errors; the action where it was noisy.
    assert counters["lockstep_compared"] >= counters["lockstep_steps"] * (6 + 1 + 10 + 1)


def test_training_is_the_references_own():
    alone, reference = Counter(), Counter()
    play(alone, 20)
    play(FixarLockstep(reference, Counter(), 3), 20)
    assert first_difference(alone.save(), reference.save()) is None


def test_difference_is_reported_by_step_name_index_and_value():
    lockstep = FixarLockstep(Counter(), Counter(wrong=7), 2)
    with pytest.raises(LockstepError) as failure:
        play(lockstep, 20)
    assert str(failure.value) == (
        "Training step 6, train: RTL differs from the reference in weight[2, 1]: "
        "expected 0xfffffff9 (-7), got 0xfffffffe (-2); 1 of 6 elements of weight differ"
    )


def test_tally_goes_on_after_a_checkpoint():
    straight, first, second = (FixarLockstep(Counter(), Counter(), 3) for _ in range(3))
    play(straight, 20)
    play(first, 7)
    second.load(first.save())
    second.restore_tally(first.tally())
    play(second, 13)
    assert second.counters() == straight.counters()


def test_freezing_is_compared():
    lockstep = FixarLockstep(Counter(), Counter(), 5)
    play(lockstep, 3)
    lockstep.freeze(12)
    assert lockstep.device.save()["bits"] == 12 and lockstep.compared == lockstep.equal > 0


def test_first_difference_names_what_is_missing_or_misshapen():
    one = {"a": np.zeros(3), "b": np.zeros(2)}
    assert first_difference(one, {"a": np.zeros(3)}) == "b is missing"
    assert first_difference(one, {**one, "c": np.zeros(1)}) == "c is not expected"
    assert first_difference(one, {**one, "b": np.zeros(4)}) == "b has shape (4,), expected (2,)"
    assert first_difference({"x": np.array(0.5)}, {"x": np.array(0.25)}).startswith(
        "x: expected 0.5 (0x1.0000000000000p-1), got 0.25 (0x1.0000000000000p-2)"
    )


@pytest.mark.parametrize(
    ("every", "kind", "words"),
    [
        (0, ValueError, "lockstep_every must be at least 1, not 0"),
        (1.5, TypeError, "lockstep_every must be a whole number, not 1.5"),
    ],
)
def test_errors(every, kind, words):
    with pytest.raises(kind, match=words):
        FixarLockstep(Counter(), Counter(), every)
