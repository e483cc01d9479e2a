"""List scheduling against its definitions, step by step and pair by pair."""

from hypothesis import given
from hypothesis import strategies as st

from rewardware.sw.mapping.list_schedule import dependencies, list_order, longest_paths

names = st.lists(st.sampled_from("abcdef"), max_size=3)
steps = st.lists(st.tuples(names, names), max_size=12)


def ways(before):
    """For each step all those that it comes after, by whatever way."""
    found = []
    for each in before:
        found.append(set(each).union(*(found[other] for other in each)))
    return found


@given(steps=steps)
def test_steps_that_touch_the_same_keep_their_order_and_no_others(steps):
    before = dependencies(steps)
    behind = ways(before)
    for later, (reads, writes) in enumerate(steps):
        touching = [
            earlier
            for earlier, (others_reads, others_writes) in enumerate(steps[:later])
            if set(writes) & {*others_reads, *others_writes} or set(reads) & set(others_writes)
        ]
        assert before[later] <= set(touching) <= behind[later]


@given(steps=steps, choices=st.randoms(use_true_random=False))
def test_who_chooses_sees_all_that_can_be_next(steps, choices):
    before = dependencies(steps)
    done = []

    def choose(ready):
        can_be = [number for number, each in enumerate(before) if number not in done and each <= set(done)]
        assert list(ready) == can_be
        return choices.choice(can_be)

    for number in list_order(before, choose):
        done.append(number)
    assert sorted(done) == list(range(len(steps)))


@given(steps=steps, lengths=st.lists(st.integers(0, 9), min_size=12, max_size=12))
def test_a_path_is_the_longest_chain_behind_a_step(steps, lengths):
    before = dependencies(steps)

    def longest(number):
        after = (longest(other) for other in range(len(steps)) if number in before[other])
        return lengths[number] + max(after, default=0)

    assert longest_paths(lengths[: len(steps)], before) == [longest(number) for number in range(len(steps))]
