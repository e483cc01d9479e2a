"""Dependencies between commands."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rewardware.sw.systems.dynamap.compiler.tasks import Task, dependencies


def task(engine, **uses):
    return Task(
        instruction=engine, engine=engine, fields=dict, **{name: frozenset(each) for name, each in uses.items()}
    )


def filling(engine, **uses):
    return Task(
        instruction=engine,
        engine=engine,
        fields=dict,
        fills=True,
        **{name: frozenset(each) for name, each in uses.items()},
    )


def test_a_reader_needs_the_writer():
    assert dependencies([task("a", writes="x"), task("b", reads="x")]) == [set(), {0}]
    assert dependencies([task("a", writes="x"), task("b", reads="y")]) == [set(), set()]


def test_who_replaces_needs_the_readers_and_the_writer():
    tasks = [task("a", writes="x"), task("b", reads="x"), task("c", writes="x")]
    assert dependencies(tasks) == [set(), {0}, {0, 1}]
    # Nobody needs a value that was replaced.
    assert dependencies([*tasks, task("d", reads="x")])[3] == {2}


def test_who_fills_needs_no_other_who_fills():
    tasks = [filling("a", writes="x"), filling("b", writes="x"), task("c", reads="x")]
    assert dependencies(tasks) == [set(), set(), {0, 1}]


def test_a_place_that_others_had():
    tasks = [
        filling("a", writes="x", users=["map"]),
        task("b", reads="x", users=["map"]),
        filling("c", writes="y", after=["map"], users=["next"]),
        filling("a", writes="y", after=["map"], users=["next"]),
    ]
    assert dependencies(tasks) == [set(), {0}, {0, 1}, {1}]


def test_the_last_of_an_engine_stands_for_those_before():
    tasks = [task("a", writes="x"), task("a", writes="y"), task("b", reads="xy"), task("b", reads="x")]
    assert dependencies(tasks) == [set(), set(), {1}, {0}]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sets(st.sampled_from("xyz")), st.sets(st.sampled_from("xyz")))))
def test_conflicts_keep_their_order(drawn):
    """With needs, and the order of each engine, nothing overtakes what it must not overtake."""
    tasks = [task(engine, reads=reads, writes=writes) for engine, reads, writes in drawn]
    needs = dependencies(tasks)
    before = np.eye(len(tasks), dtype=bool)
    for number, one in enumerate(tasks):
        direct = needs[number] | {other for other in range(number) if tasks[other].engine == one.engine}
        for other in direct:
            before[number] |= before[other]
        for other in range(number):
            conflicts = one.reads & tasks[other].writes or one.writes & (tasks[other].reads | tasks[other].writes)
            assert before[number, other] or not conflicts, (number, other)
