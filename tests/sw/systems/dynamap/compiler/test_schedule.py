"""Programs wait for all that they must wait for, however long commands take."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardware.sw.systems.dynamap.bench.network_cycles import ARRAYS, NETWORK, quantized
from rewardware.sw.systems.dynamap.compiler.choice import choose_alike, ways
from rewardware.sw.systems.dynamap.compiler.network_plan import NetworkPlan
from rewardware.sw.systems.dynamap.compiler.schedule import schedule
from rewardware.sw.systems.dynamap.compiler.tasks import Task

HARDWARE = ARRAYS["5 x 3"]


def conflicts(earlier, later):
    """Whether a command must not begin before another one is complete."""
    both_fill = earlier.fills and later.fills
    return (
        later.reads & earlier.writes
        or later.writes & earlier.reads
        or (later.writes & earlier.writes and not both_fill)
        or later.after & earlier.users
    )


def executed(issues, random):
    """When each command of a program begins and is complete, with engines that take any time."""
    now, spans, ends = 0, [], {}
    for issue in issues:
        for engine, left in issue.waits:
            complete = ends.get(engine, [])
            if len(complete) > left:
                now = max(now, complete[len(complete) - left - 1])
        mine = ends.setdefault(issue.task.engine, [])
        begin = max([now, *mine[-1:]])
        mine.append(begin + int(random.integers(1, 100)))
        # At most 15 are under way.
        now = max([now, *mine[-15:-14]])
        spans.append((begin, mine[-1]))
    return spans


def require_order(tasks, found, random):
    number = {id(task): index for index, task in enumerate(tasks)}
    assert sorted(number[id(issue.task)] for issue in found.issues) == list(range(len(tasks)))
    for engine in {task.engine for task in tasks}:
        mine = [number[id(issue.task)] for issue in found.issues if issue.task.engine == engine]
        assert mine == sorted(mine), engine
    program = {number[id(issue.task)]: at for at, issues in enumerate(found.programs) for issue in issues}
    spans = {
        number[id(issue.task)]: span
        for issues in found.programs
        for issue, span in zip(issues, executed(issues, random), strict=True)
    }
    for later, one in enumerate(tasks):
        for earlier in range(later):
            if one.engine != tasks[earlier].engine and conflicts(tasks[earlier], one):
                here, before = (program[each] for each in (later, earlier))
                assert before <= here, (earlier, later)
                assert before < here or spans[later][0] >= spans[earlier][1], (earlier, later)


@st.composite
def drawn_tasks(draw):
    """Drawn tasks: a resource that several tasks fill is never replaced by one."""
    fills, names = draw(st.booleans()), st.frozensets(st.sampled_from("mn"), max_size=1)
    return Task(
        instruction="any",
        engine=draw(st.sampled_from("abc")),
        fields=dict,
        reads=draw(st.frozensets(st.sampled_from("vwxy"), max_size=2)),
        writes=draw(st.frozensets(st.sampled_from("vw" if fills else "xy"), max_size=2)),
        fills=fills,
        after=draw(names),
        users=draw(names),
        cycles=draw(st.integers(1, 40)),
    )


@given(st.lists(drawn_tasks(), min_size=1, max_size=40), st.integers(0, 1 << 32), st.sampled_from([math.inf, 8]))
def test_drawn_commands(tasks, seed, depth):
    require_order(tasks, schedule(tasks, HARDWARE.array, depth), np.random.default_rng(seed))


@pytest.mark.parametrize("way", ways(HARDWARE), ids=lambda way: f"{way[0]}-{way[1].name}")
def test_commands_of_a_network(way):
    model, _ = quantized(NETWORK)
    plan = NetworkPlan(HARDWARE, model, choose_alike(HARDWARE, model, way), keep=way[0].name == "im2col")
    for depth in (math.inf, 64):
        found = schedule(plan.tasks, HARDWARE.array, depth)
        assert (len(found.programs) > 1) == (depth == 64)
        for issues in found.programs:
            assert sum(1 + sum(left > 0 for _, left in issue.waits) for issue in issues) < depth
        require_order(plan.tasks, found, np.random.default_rng(1))


def test_each_engine_begins_as_soon_as_it_can():
    """The order is that of the cycles in which commands could begin, not that in which they are given."""

    def task(engine, cycles, reads="", writes=""):
        uses = {"reads": frozenset(reads), "writes": frozenset(writes)}
        return Task(instruction="any", engine=engine, fields=dict, cycles=cycles, **uses)

    tasks = [task("a", 50, writes="x"), task("b", 10, reads="x"), task("a", 10, writes="y"), task("c", 5, writes="z")]
    found = schedule(tasks, HARDWARE.array)
    assert [issue.task for issue in found.issues] == [tasks[index] for index in (0, 3, 2, 1)]
    # Waits for the first command while the second one of its engine is under way.
    assert [issue.waits for issue in found.issues] == [(), (), (), (("a", 1),)]
    # 3 to the first command, which takes 50; 2 from its completion to the wait's end, 3 to the command that waited.
    assert found.cycles == 3 + 50 + 1 + 3 + 3 + 10 + 2


def test_cycles_of_several_programs_add_up():
    tasks = [Task(instruction="any", engine="a", fields=dict, cycles=20) for _ in range(5)]
    whole, cut = (schedule(tasks, HARDWARE.array, depth) for depth in (math.inf, 3))
    assert [len(issues) for issues in cut.programs] == [2, 2, 1]
    alone = [schedule(issues, HARDWARE.array).cycles for issues in (tasks[:2], tasks[:1])]
    assert cut.cycles == 2 * alone[0] + alone[1] > whole.cycles
