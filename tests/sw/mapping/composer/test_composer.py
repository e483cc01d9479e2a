"""Algorithm 3 as a whole: hypernode, resource limit, data parallelism, replay memory."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardware.sw.mapping.composer.composer import compose
from rewardware.sw.mapping.composer.data_parallel import AGGREGATE, data_parallel
from rewardware.sw.mapping.composer.latency_table import Latency, LatencyTable
from rewardware.sw.mapping.composer.platform import Device, Link, Platform
from rewardware.sw.mapping.composer.problem import Problem
from rewardware.sw.mapping.composer.simulator import simulate
from rewardware.sw.mapping.composer.task_graph import Edge, Task, TaskGraph

from .random_problems import random_problem

CHAIN = ("sample", "forward", "backward", "update")


def chain(latencies, *, devices=("cpu", "gpu"), batch=64, size=0, gradient_bytes=0, resources=None, limits=None):
    """Sample, forward, backward, update, one after the other, on devices with links of 1 byte a second.

    Numbers that tests give it are such that no sum or product of them is rounded.
    """
    joined = [(first, second) for first in devices for second in devices if first < second]
    return Problem(
        graph=TaskGraph(
            tasks=tuple(Task(name=name, kind="replay" if name in CHAIN[::3] else "learner") for name in CHAIN),
            edges=tuple(
                Edge(source=first, target=second, bytes=size) for first, second in zip(CHAIN, CHAIN[1:], strict=False)
            ),
            batch=batch,
            experience_bytes=10,
            gradient_bytes=gradient_bytes,
        ),
        platform=Platform(
            devices=tuple(
                Device(name=name, kind=name.rstrip("12"), memory_bandwidth=64, resources=(limits or {}).get(name, {}))
                for name in devices
            ),
            links=tuple(Link(between=pair, bandwidth=1) for pair in joined),
        ),
        table=LatencyTable(
            latencies={
                name: {device: value if isinstance(value, Latency) else Latency(fixed=value) for device, value in row}
                for name, row in ((name, zip(devices, latencies[name], strict=True)) for name in CHAIN)
            },
            resources=resources or {},
        ),
    )


def test_the_hypernode_goes_where_both_of_its_tasks_are_fastest():
    latencies = {"sample": (1, 2), "forward": (5, 5), "backward": (5, 5), "update": (9, 2)}
    composition = compose(chain(latencies))
    assert composition.schedule.placement["sample"] == composition.schedule.placement["update"] == "gpu"
    assert composition.decisions[0].finish == {"cpu": 10, "gpu": 4}
    assert composition.makespan == 14 and composition.experiences_per_second == 64 / 14


def test_a_device_without_room_takes_nothing_from_then_on():
    latencies = {"sample": (9, 1), "forward": (9, 1), "backward": (9, 1), "update": (9, 1)}
    names = ("cpu", "fpga")
    resources = {"forward": {"fpga": {"dsp": 60}}, "backward": {"fpga": {"dsp": 50}}, "sample": {"fpga": {"ram": 7}}}

    def placed(limit):
        composition = compose(chain(latencies, devices=names, resources=resources, limits={"fpga": limit}))
        return [composition.schedule.placement[name] for name in CHAIN], composition

    assert placed({"dsp": 110})[0] == ["fpga"] * 4
    assert placed({"dsp": 109})[0] == ["fpga", "fpga", "cpu", "fpga"]
    where, composition = placed({"dsp": 55})
    # Backward would fit, but the FPGA was removed before.
    assert where == ["fpga", "cpu", "cpu", "fpga"]
    assert [decision.removed for decision in composition.decisions] == [(), ("fpga",), ()]
    assert placed({"dsp": 110, "ram": 6})[0] == ["cpu"] * 4


def test_nothing_has_the_resources():
    everywhere = {"backward": {"cpu": {"dsp": 2}, "gpu": {"dsp": 2}}}
    limits = {"cpu": {"dsp": 1}, "gpu": {"dsp": 1}}
    with pytest.raises(ValueError, match="No device has the resources for backward"):
        compose(chain(dict.fromkeys(CHAIN, (1, 1)), resources=everywhere, limits=limits))


PER_EXPERIENCE = {
    "sample": (1, 1),
    "forward": (Latency(experience=1), Latency(experience=1 / 4)),
    "backward": (Latency(experience=2), Latency(experience=3 / 4)),
    "update": (1, 1),
}


def test_data_parallelism_by_hand():
    problem = chain(PER_EXPERIENCE, gradient_bytes=8)
    composition = compose(problem)
    # On the faster device alone.
    assert composition.task_parallel.makespan == 1 + 64 + 1
    assert composition.explored and composition.is_data_parallel
    assert composition.data_parallel.shares == {"cpu": 16, "gpu": 48}
    # Sample, forward and backward on both, 8 bytes to the processor, 24 through its memory, 8 back, 16 written.
    assert composition.makespan == 1 + 48 + 8 + 24 / 64 + 8 + 16 / 64
    assert composition.schedule.placement[AGGREGATE] == "cpu"


def test_data_parallelism_that_does_not_pay_is_not_taken():
    composition = compose(chain(PER_EXPERIENCE, gradient_bytes=1000))
    assert composition.explored and not composition.is_data_parallel
    assert composition.data_parallel.schedule.makespan > composition.makespan == composition.task_parallel.makespan
    assert compose(chain(PER_EXPERIENCE)).data_parallel is None


def test_data_parallelism_needs_room_and_experiences():
    problem = chain(PER_EXPERIENCE, gradient_bytes=1, batch=1)
    assert data_parallel(problem, ("cpu", "gpu"), "cpu") is None
    full = chain(
        PER_EXPERIENCE, gradient_bytes=1, resources={"forward": {"gpu": {"dsp": 2}}}, limits={"gpu": {"dsp": 1}}
    )
    assert data_parallel(full, ("cpu", "gpu"), "cpu") is None


def test_a_large_gain_leaves_data_parallelism_alone():
    latencies = {"sample": (1, 1), "forward": (1, 90), "backward": (90, 1), "update": (1, 1)}
    composition = compose(chain(latencies, gradient_bytes=1))
    assert not composition.explored and composition.makespan == 4
    assert composition.single_device.makespan > 1.5 * composition.makespan


def test_replay_memory_is_where_traffic_is_least():
    on_gpu = {"sample": (1, 9), "forward": (9, 1), "backward": (9, 1), "update": (1, 9)}
    few = compose(chain(on_gpu), actors=1).replay_memory
    # The learner takes 64 * 10 + 256 bytes, actors bring 10, the replay manager's indices are 256.
    assert few.traffic == {"gpu": 896 / 64 + 10 + 256, "cpu": 896 + 10 / 64 + 256 / 64}
    assert few.device == "gpu"
    assert compose(chain(on_gpu), actors=200).replay_memory.device == "cpu"


@given(
    rng=st.randoms(use_true_random=False),
    tasks=st.integers(2, 10),
    devices=st.integers(1, 3),
    refine=st.booleans(),
    gradient_bytes=st.integers(0, 5),
)
def test_every_answer_is_simulated(rng: random.Random, tasks, devices, refine, gradient_bytes):
    """Data-parallel answers as well; an answer is never slower than step 2's."""
    problem = random_problem(rng, tasks, devices, batch=rng.randint(1, 64), gradient_bytes=gradient_bytes)
    # One device at least holds everything, so that there is an answer.
    composition = compose(problem, refine=refine)
    queues = {device: [task.task for task in composition.schedule.on(device)] for device in problem.devices}
    times = simulate(composition.problem, queues)
    assert times == {task.task: (task.start, task.finish) for task in composition.schedule.tasks}
    assert composition.makespan == max(finish for _, finish in times.values())
    assert composition.makespan <= composition.task_parallel.makespan
    if composition.is_data_parallel:
        assert sum(composition.data_parallel.shares.values()) == problem.graph.batch
