"""Task graphs, tables and platforms at random."""

import itertools
import random

from rewardware.sw.mapping.composer.latency_table import Latency, LatencyTable
from rewardware.sw.mapping.composer.platform import Device, Link, Platform
from rewardware.sw.mapping.composer.problem import Problem
from rewardware.sw.mapping.composer.task_graph import Edge, Task, TaskGraph

KINDS = ("cpu", "gpu", "fpga")


def random_problem(rng, tasks, devices, communication=1.0, replay=True, batch=1, gradient_bytes=0, tight=False):
    """A problem of so many tasks and devices.

    Tasks take 1 to 20 on the middling device, and up to four times less or more on another; transfers take up to 20
    times ``communication``. The first and the last task are the replay manager's, if there is to be one. The last
    device of three holds about half of the tasks, the others all; if ``tight``, each holds about half, and there may
    be no placement.
    """
    names = [f"task{number}" for number in range(tasks)]
    replayed = {names[0], names[-1]} if replay else set()
    pairs = list(itertools.combinations(range(tasks), 2))
    density = rng.choice([0.2, 0.4, 0.7])
    edges = [
        Edge(source=names[first], target=names[second], bytes=rng.randint(0, 20) * communication)
        for first, second in pairs
        if rng.random() < density
    ]
    held = [f"device{number}" for number in range(devices)]
    limited = held if tight else held[2:]
    platform = Platform(
        devices=tuple(
            Device(
                name=name,
                kind=KINDS[number],
                memory_bandwidth=rng.randint(1, 9),
                resources={"dsp": 5 * tasks / 2} if name in limited else {},
            )
            for number, name in enumerate(held)
        ),
        links=tuple(
            Link(between=pair, bandwidth=rng.choice([1, 2, 4]), initiation_latency=rng.randint(0, 2) * communication)
            for pair in itertools.combinations(held, 2)
        ),
    )
    table = LatencyTable(
        latencies={name: {device: _latency(rng, batch) for device in held} for name in names},
        resources={name: {device: {"dsp": rng.randint(0, 10)} for device in limited} for name in names},
    )
    graph = TaskGraph(
        tasks=tuple(Task(name=name, kind="replay" if name in replayed else "learner") for name in names),
        edges=tuple(edges),
        batch=batch,
        gradient_bytes=gradient_bytes,
    )
    return Problem(graph=graph, platform=platform, table=table)


def _latency(rng, batch):
    """Latency of the whole batch, a part of it fixed."""
    whole, fixed = rng.randint(1, 20) * rng.choice([0.25, 1, 4]), rng.choice([0, 0.5, 1])
    return Latency(fixed=whole * fixed, experience=whole * (1 - fixed) / batch)


def seeded_problem(seed, most_tasks=8, most_devices=3, communication=None, tight=False):
    """A problem of at most so many tasks and devices; with little to much communication, if it is not said."""
    rng = random.Random(seed)
    tasks, devices = rng.randint(2, most_tasks), rng.randint(2, most_devices)
    drawn = rng.choice([0.1, 1, 3])
    communication = drawn if communication is None else communication
    return random_problem(rng, tasks, devices, communication, rng.random() < 0.8, tight=tight)
