"""Rounds at random, offered at any time, and their steps cycle by cycle."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.vector.matrix_config import SLOTS, Product
from rewardware.hw.cores.vector.matrix_layouts import round_layout
from rewardware.hw.cores.vector.step_sequencer import StepSequencer
from rewardware.sim.cocotb import clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of

from ..side_by_side import Ports
from ..stimulus import noise
from .fields import only

ROUNDS = 150
# Before the end of a round, from when on the next one is wanted.
LEAD = 2 * SLOTS


def random_round(config, random, number):
    """Corner cases first: a single step, results that take long to leave behind it, more steps than a row of banks."""
    longest = max(config.features, config.steps)
    corners = [(1, 1), (1, config.clusters), (1, config.clusters), (longest, config.clusters), (2, 1), (1, 0), (16, 1)]
    steps, drain_cycles = (
        corners[number]
        if number < len(corners)
        else (
            int(random.choice([1, 2, random.integers(1, longest + 1)])),
            int(random.choice([0, 1, config.clusters, random.integers(config.clusters + 1)])),
        )
    )
    round_ = noise(codec_of(round_layout(config)), random)
    for slot in (*round_["slots"], *round_["errors"]):
        slot["count"] = int(random.choice([0, steps, random.integers(steps + 1)]))
    product = int(random.integers(len(Product)))
    return round_ | {"product": product, "steps": steps, "drain_cycles": drain_cycles}


def ticks(config, round_):
    """What is read, cycle by cycle; of slots without a term only that there is none."""
    product = round_["product"]
    for step in range(round_["steps"]):
        for index, slot in enumerate(round_["slots"]):
            left = slot["count"] - step
            tick = {
                "active": 1, "product": product, "index": index, "step": step % config.weight_banks,
                "first": int(step == 0), "last": int(step == round_["steps"] - 1), "present": int(left > 0),
            }  # fmt: skip
            if left > 0:
                tick["slot"] = slot | {"count": left} | moved(config, product, slot, step)
            tick["errors"] = []
            for error in round_["errors"][index::SLOTS]:
                left = max(error["count"] - step, 0)
                base = wrapped(config, "errors", "base", error["base"] + step * error["stride"])
                tick["errors"].append({"count": left} | (error | {"count": left, "base": base} if left else {}))
            yield tick


def moved(config, product, slot, step):
    """The fields of a slot that change from step to step."""
    if product == Product.GRADIENT:
        changes = {"base": slot["base"] + step * slot["stride"]}
    elif product == Product.FORWARD:
        changes = {"place": slot["place"] + step, "weights": slot["weights"] + step * slot["pitch"]}
    else:
        changes = {"place": slot["place"] + step, "weights": slot["weights"] + step // config.weight_banks}
    return {name: wrapped(config, "slots", name, value) for name, value in changes.items()}


def wrapped(config, array, name, value):
    """In the bits of a field."""
    return value % (1 << round_layout(config)[array].shape.elem_shape[name].width)


@cocotb.test()
async def steps_follow_each_other(dut):
    config, random = parameters()["config"], rng("rounds")
    ports = Ports(dut, StepSequencer(config), "sequencer")
    await clock_and_reset(dut)
    # When the round under way ends, and its ticks; when the results of all before will have left.
    end = left = 0
    running = iter(())
    rounds = [random_round(config, random, number) for number in range(ROUNDS)]
    offered = next_offer = 0
    number = cycle = 0
    while number < ROUNDS or cycle < end + 2:
        if number < ROUNDS and cycle >= next_offer:
            offered = 1
        ports.set(round_valid=offered, round=rounds[number] if offered else noise(ports.codecs["round"], random))
        got = await ports.outputs()
        # The end of this round must be no sooner than the results before it need.
        takes = bool(offered) and cycle >= end - 1 and cycle + SLOTS * rounds[number]["steps"] >= left - 1
        compare(int(takes), got["take"], f"take of round {number}, cycle", cycle)
        compare(int(cycle >= end - LEAD), got["wanted"], "wanted of cycle", cycle)
        expected = next(running, {"active": 0, "present": 0})
        compare(expected, only(expected, got["tick"]), f"tick of round {number - 1}, cycle", cycle)
        await RisingEdge(dut.clk)
        if takes:
            running = ticks(config, rounds[number])
            end = cycle + 1 + SLOTS * rounds[number]["steps"]
            left = end + rounds[number]["drain_cycles"]
            number, offered = number + 1, 0
            next_offer = cycle + 1 + int(random.choice([0, 2, random.integers(80)]))
        cycle += 1
