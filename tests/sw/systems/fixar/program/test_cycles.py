"""The cycle model: tiles, drains, and engines that overlap."""

import dataclasses

import pytest

from rewardware.sw.systems.fixar.program.cycles import CycleModel, block_cycles, drain_cycles, slot_cycles

from ....reference.ddpg_numbers import ODD

VECTORS = {"dataflow": 0, "half": 0, "intra_layer": 0, "bias": 0, "samples": 11, "inner_count": 4}
GRADIENT = {"dataflow": 2, "half": 0, "intra_layer": 0, "bias": 1, "first": 3, "last": 20, "inner_count": 2}


@pytest.mark.parametrize(
    "fields, slot, block, drain",
    [
        (VECTORS, 11, 44, 11),
        (VECTORS | {"bias": 1}, 11, 44, 11),
        (VECTORS | {"samples": 2, "bias": 1}, 6, 25, 2),  # the bias row is loaded with the first tile
        (VECTORS | {"half": 1}, 6, 24, 11),
        (VECTORS | {"dataflow": 1, "half": 1}, 11, 44, 11),  # errors are whole words
        (VECTORS | {"samples": 1, "intra_layer": 1}, 18, 36, 1),  # three cores take three tiles, loaded one by one
        (GRADIENT, 18, 36, 18),
        (GRADIENT | {"half": 1}, 10, 20, 19),  # inputs in pairs: the partner of the first one is passed over
    ],
)
def test_cycles_of_a_block(fields, slot, block, drain):
    assert slot_cycles(ODD, fields) == slot
    assert block_cycles(ODD, fields) == block
    assert drain_cycles(fields) == drain


def matrix(**fields):
    return "matrix", (), {**VECTORS, "outer_count": 3, "hold": 0, "follow": 0, **fields}


def test_independent_instructions_stream_without_a_gap():
    one, two = (CycleModel(ODD).run([matrix()] * count) for count in (1, 2))
    assert two.cycles - one.cycles == 3 * 44
    assert two.matrix_cycles == 2 * one.matrix_cycles and two.held_cycles == 0


def test_registers_in_the_array_cost_a_cycle_a_drain_that_is_waited_for():
    plain, pipelined = (
        CycleModel(dataclasses.replace(ODD, pipelined=registers)).run([matrix(), matrix(hold=1)])
        for registers in (False, True)
    )
    assert pipelined.cycles == plain.cycles + 2
    assert pipelined.held_cycles == plain.held_cycles + 1


def test_a_hold_costs_a_drain_and_following_costs_less():
    plain, held, following = (
        CycleModel(ODD).run([matrix(), matrix(**fields)]) for fields in ({}, {"hold": 1}, {"hold": 1, "follow": 1})
    )
    assert held.held_cycles > 11
    assert following.held_cycles == max(held.held_cycles - 3 * 11, 0)
    assert held.cycles == plain.cycles + held.held_cycles


def test_a_sweep_overlaps_what_does_not_wait_for_it():
    adam = "adam", ("matrix",), {"count": 100}
    alone = CycleModel(ODD).run([matrix(), adam])
    assert CycleModel(ODD).run([matrix(), adam, matrix(outer_count=1)]).cycles == alone.cycles
    waiting = "matrix", ("adam",), matrix(outer_count=1)[2]
    assert CycleModel(ODD).run([matrix(), adam, waiting]).cycles > alone.cycles + 44
    assert alone.sweep_cycles == 100
