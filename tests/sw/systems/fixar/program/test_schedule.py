"""Order of matrix instructions and their waiting."""

import dataclasses

import pytest

from rewardware.hw.cores.array.matrix_engine import ArrayMatrixEngine
from rewardware.hw.soc.presets import read_preset
from rewardware.sw.systems.fixar.program.schedule import SETTLE_CYCLES, MatrixStep, Scheduler

from ....reference.ddpg_numbers import ODD

FORWARD = {"dataflow": 0, "samples": 12, "bias": 0, "intra_layer": 0}
GRADIENT = {"dataflow": 2, "first": 0, "last": 20, "bias": 1, "samples": 12, "intra_layer": 0}


def step(name, reads, writes, outer=8, inner=2, kind=FORWARD):
    return MatrixStep(name, {**kind, "outer_count": outer, "inner_count": inner}, tuple(reads), tuple(writes))


def order(*steps):
    return [(step.name, step.hold) for step in Scheduler(ODD).order(list(steps))]


def test_a_chain_waits_at_every_link():
    chain = [step("1", "a", "b"), step("2", "b", "c"), step("3", "c", "d")]
    assert order(*chain) == [("1", False), ("2", True), ("3", True)]


def test_independent_work_fills_the_wait():
    steps = [step("1", "a", "b"), step("2", "b", "c"), step("x", "u", "v"), step("y", "v", "w")]
    assert order(*steps) == [("1", False), ("x", False), ("2", False), ("y", False)]


def test_the_first_block_after_a_result_does_not_count():
    single = step("x", "u", "v", outer=1, inner=100)
    assert order(step("1", "a", "b"), single, step("2", "b", "c")) == [("1", False), ("x", False), ("2", True)]
    blocks = 1 + -(-SETTLE_CYCLES // 24)
    several = step("x", "u", "v", outer=blocks)
    assert order(step("1", "a", "b"), several, step("2", "b", "c")) == [("1", False), ("x", False), ("2", False)]
    fewer = step("x", "u", "v", outer=blocks - 1)
    assert order(step("1", "a", "b"), fewer, step("2", "b", "c"))[-1] == ("2", True)


def test_a_gradient_needs_its_errors_one_tile_earlier():
    blocks = 1 + -(-SETTLE_CYCLES // 24)
    steps = [step("1", "a", "b"), step("x", "u", "v", outer=blocks), step("2", "b", "c", kind=GRADIENT)]
    assert order(*steps)[-1] == ("2", True)


def test_what_is_overwritten_was_read_before():
    steps = [step("1", "a", "b"), step("2", "b", "c"), step("3", "u", "b")]
    assert [name for name, _ in order(*steps)] == ["1", "2", "3"]


def test_a_layer_follows_the_one_before_where_its_blocks_are_in_time():
    first = step("1", "a", "b", outer=8)
    follower = step("2", "b", "c", inner=8)
    Scheduler(ODD).order([first, follower])
    assert follower.hold and follower.follow
    for other in (
        step("2", "b", "c", inner=7),  # also reads another tensor's blocks
        step("2", "b", "c", inner=8, kind=GRADIENT),  # needs its errors before its first tile
        step("2", "ub", "c", inner=8),  # needs the last block for something else
    ):
        Scheduler(ODD).order([step("1", "a", "b", outer=8), other])
        assert other.hold and not other.follow
    short = step("2", "b", "c", inner=3)
    Scheduler(ODD).order([step("1", "a", "b", outer=3), short])
    assert short.hold and not short.follow


@pytest.mark.parametrize(("interval", "waits"), [(1, False), (6, True)])
def test_time_multiplexed_lanes_take_longer(interval, waits):
    """Six tiles of seven cycles suffice for a result that takes 40, and not for one that takes 45."""
    config, kind = dataclasses.replace(ODD, lane_interval=interval), FORWARD | {"samples": 7}
    between = step("x", "u", "v", outer=7, inner=1, kind=kind)
    third = step("2", "b", "c", kind=kind)
    Scheduler(config).order([step("1", "a", "b", kind=kind), between, third])
    assert third.hold == waits
    follower = step("2", "b", "c", inner=8, kind=kind)
    Scheduler(config).order([step("1", "a", "b", outer=8, kind=kind), follower])
    assert follower.follow != waits


@pytest.mark.parametrize("interval", [1, 2, 16])
def test_results_are_in_memory_when_a_program_may_read_them(interval):
    config = dataclasses.replace(read_preset("paper", "fixar").hardware, lane_interval=interval)
    assert ArrayMatrixEngine(config.array_engine).write_latency < Scheduler(config).settle_cycles
