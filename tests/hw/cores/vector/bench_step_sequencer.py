"""Waves at random, offered at any time, and their steps cycle by cycle."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.vector.matrix_config import SLOTS, Product
from rewardware.hw.cores.vector.matrix_layouts import wave_layout
from rewardware.hw.cores.vector.step_sequencer import StepSequencer
from rewardware.sim.cocotb import clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of

from ..side_by_side import Ports
from ..stimulus import noise
from .fields import only

WAVES = 150
# Before the end of a wave, from when on the next one is wanted.
LEAD = 2 * SLOTS


def random_wave(config, random, number):
    """Corner cases first: a single step, results that take long to leave after it, more steps than a row of banks."""
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
    wave = noise(codec_of(wave_layout(config)), random)
    for slot in (*wave["operand_slots"], *wave["error_slots"]):
        slot["count"] = int(random.choice([0, steps, random.integers(steps + 1)]))
    product = int(random.integers(len(Product)))
    return wave | {"product": product, "steps": steps, "drain_cycles": drain_cycles}


def issue_slots(config, wave):
    """Issue slots with their reads, cycle by cycle; slots without a term have none."""
    product = wave["product"]
    for step in range(wave["steps"]):
        for index, slot in enumerate(wave["operand_slots"]):
            left = slot["count"] - step
            issue = {
                "active": 1, "product": product, "index": index, "step": step % config.weight_banks,
                "first": int(step == 0), "last": int(step == wave["steps"] - 1), "present": int(left > 0),
            }  # fmt: skip
            if left > 0:
                issue["slot"] = slot | {"count": left} | moved(config, product, slot, step)
            issue["errors"] = []
            for error in wave["error_slots"][index::SLOTS]:
                left = max(error["count"] - step, 0)
                base = wrapped(config, "error_slots", "base", error["base"] + step * error["stride"])
                issue["errors"].append({"count": left} | (error | {"count": left, "base": base} if left else {}))
            yield issue


def moved(config, product, slot, step):
    """The fields of a slot that change from step to step."""
    if product == Product.GRADIENT:
        changes = {"base": slot["base"] + step * slot["stride"]}
    elif product == Product.FORWARD:
        changes = {"place": slot["place"] + step, "weights": slot["weights"] + step * slot["pitch"]}
    else:
        changes = {"place": slot["place"] + step, "weights": slot["weights"] + step // config.weight_banks}
    return {name: wrapped(config, "operand_slots", name, value) for name, value in changes.items()}


def wrapped(config, array, name, value):
    """In the bits of a field."""
    return value % (1 << wave_layout(config)[array].shape.elem_shape[name].width)


@cocotb.test()
async def steps_follow_each_other(dut):
    config, random = parameters()["config"], rng("waves")
    ports, codec = Ports(dut, StepSequencer(config), "sequencer"), codec_of(wave_layout(config))
    dut.sequencer__waves__valid.value = 0
    await clock_and_reset(dut)
    # When the wave under way ends, and its issue slots; when the results of all before will have left.
    end = left = 0
    running = iter(())
    waves = [random_wave(config, random, number) for number in range(WAVES)]
    offered = next_offer = 0
    number = cycle = 0
    while number < WAVES or cycle < end + 2:
        if number < WAVES and cycle >= next_offer:
            offered = 1
        dut.sequencer__waves__valid.value = offered
        dut.sequencer__waves__payload.value = codec.pack(waves[number] if offered else noise(codec, random))
        got = await ports.outputs()
        # The end of this wave must be no sooner than the results before it need.
        takes = bool(offered) and cycle >= end - 1 and cycle + SLOTS * waves[number]["steps"] >= left - 1
        taken = offered and int(dut.sequencer__waves__ready.value)
        compare(int(takes), taken, f"take of wave {number}, cycle", cycle)
        compare(int(cycle >= end - LEAD), got["wanted"], "wanted of cycle", cycle)
        expected = next(running, {"active": 0, "present": 0})
        compare(expected, only(expected, got["issue"]), f"issue of wave {number - 1}, cycle", cycle)
        await RisingEdge(dut.clk)
        if takes:
            running = issue_slots(config, waves[number])
            end = cycle + 1 + SLOTS * waves[number]["steps"]
            left = end + waves[number]["drain_cycles"]
            number, offered = number + 1, 0
            next_offer = cycle + 1 + int(random.choice([0, 2, random.integers(80)]))
        cycle += 1
