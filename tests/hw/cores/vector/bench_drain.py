"""Waves at random in chains as the clusters have them, and everything that leaves, cycle by cycle."""

from collections import defaultdict, deque
from dataclasses import dataclass

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.vector.drain import Drain
from rewardware.hw.cores.vector.lane_reduction import lane_block_layout
from rewardware.hw.cores.vector.matrix_config import ACCUMULATORS, Product
from rewardware.hw.cores.vector.matrix_layouts import result_descriptor_layout
from rewardware.sim.cocotb import clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of
from rewardware.sw.reference.float.arithmetic import is_nonfinite

from ..side_by_side import Ports
from ..stimulus import noise
from .stimulus import mixed

WAVES = 200
FLAGS = ("drained", "drained_sums", "nonfinite", "out_of_range")
NOTHING = {"results": {}, "sums": None} | dict.fromkeys(FLAGS, 0)


@dataclass
class Wave:
    """Numbers of its clusters (clusters, VPUs, accumulators), and the descriptors that say where they go."""

    product: Product
    blocks: int
    numbers: np.ndarray
    descriptors: list

    @property
    def drain_cycles(self):
        return len(self.numbers) if self.product == Product.GRADIENT else len(self.descriptors)


def random_row(config, random):
    """A row of the result memory, or one past its end, often by a single bit."""
    rows, width = config.result_rows, result_descriptor_layout(config)["first"].width
    if random.random() < 0.3:
        return 1 << int(random.integers((rows - 1).bit_length(), width))
    return int(random.choice([0, rows - 1, *random.integers(rows, size=10), rows]))


def random_wave(config, random, number):
    """One full wave of each kind and number of blocks first."""
    product = Product(number % len(Product))
    exponent = int(random.integers(config.blocks.bit_length()))
    blocks, most = 1 << exponent, config.clusters
    clusters = most if number < 3 * config.blocks else int(random.choice([1, most, random.integers(1, most + 1)]))
    descriptors = []
    for first in range(0, clusters, blocks):
        descriptor = noise(codec_of(result_descriptor_layout(config)), random)
        if product != Product.GRADIENT and random.random() < 0.9:
            descriptor |= {name: random_row(config, random) for name in ("first", "second")}
        count = min(blocks, clusters - first)
        descriptors.append(
            descriptor
            | {"product": int(product), "blocks": exponent, "offset": int(random.integers(blocks)), "count": count}
            | {"last": int(first + blocks >= clusters)}
        )
    share = random.choice([0, 0.05])
    numbers = mixed(random, config.format, (clusters, config.cluster_vpus, ACCUMULATORS), share)
    if not share:
        # The only number that is not finite among those that are written at once.
        for first in range(0, clusters, blocks):
            together = numbers[first : first + blocks]
            together.flat[random.integers(together.size)] = config.format.infinity
    return Wave(product, blocks, numbers, descriptors)


def words(config, numbers):
    """Accumulators side by side, for each VPU."""
    return [sum(int(number) << config.format.width * place for place, number in enumerate(vpu)) for vpu in numbers]


def leaving(config, wave, cycle):
    """Results of a wave that leave from ``cycle`` on: (cycle, port, value)."""
    clusters = iter(wave.numbers)
    for descriptor in wave.descriptors:
        written, nonfinite = {}, False
        for place in range(descriptor["offset"], descriptor["offset"] + descriptor["count"]):
            numbers = next(clusters)
            block = place % wave.blocks
            target = descriptor["first"] if place < wave.blocks else descriptor["second"]
            if wave.product == Product.GRADIENT:
                tag = target % (1 << config.reduction.tag_width)
                yield (
                    cycle,
                    "sums",
                    {"values": words(config, numbers), "block": block, "blocks": descriptor["blocks"], "tag": tag},
                )
                cycle += 1
            elif target < config.result_rows:
                written[block] = target, words(config, numbers)
                nonfinite |= bool(is_nonfinite(config.format, numbers).any())
            else:
                yield cycle - 1, "out_of_range", 1
        if wave.product != Product.GRADIENT:
            yield cycle, "results", written
            yield cycle + 1, "nonfinite", int(nonfinite)
            cycle += 1
    yield cycle - 1, "drained_sums" if wave.product == Product.GRADIENT else "drained", 1


class Links:
    """Registers of the chains in the clusters: accumulator i gets its results i cycles after accumulator 0."""

    def __init__(self, config, random):
        self.config, self.random = config, random
        self.values = self._noise(max(config.clusters, config.blocks))
        self.loading = [None] * ACCUMULATORS

    def _noise(self, clusters):
        config = self.config
        return self.random.integers(0, 1 << config.format.width, (clusters, config.cluster_vpus, ACCUMULATORS))

    def chains(self):
        return [words(self.config, cluster) for cluster in self.values[: self.config.blocks]]

    def edge(self, load, shift):
        """``load``: the numbers of a wave, or None."""
        self.loading = [load, *self.loading[:-1]]
        moved = np.concatenate([self.values, self._noise(self.config.blocks)])[self.config.blocks :]
        for accumulator, numbers in enumerate(self.loading):
            place = ..., accumulator
            if numbers is not None:
                self.values[place] = self._noise(len(self.values))[place]
                self.values[: len(numbers)][place] = numbers[place]
            elif shift >> accumulator & 1:
                self.values[place] = moved[place]


def left(got, sums):
    """Results that have left in a cycle, in the form of :func:`leaving`."""
    blocks = sum(port.startswith("write_results") and port.endswith("data") for port in got)
    results = [
        [got[f"write_results__{block}__{part}"] for part in ("enable", "address", "data")] for block in range(blocks)
    ]
    return {
        "results": {block: (address, data) for block, (enable, address, data) in enumerate(results) if enable},
        "sums": sums,
    } | {flag: got[flag] for flag in FLAGS}


@cocotb.test()
async def everything_leaves_in_time(dut):
    config, random = parameters()["config"], rng("rounds")
    unit = Drain(config)
    ports, descriptor_codec = Ports(dut, unit, "drain"), codec_of(result_descriptor_layout(config))
    sum_codec = codec_of(lane_block_layout(config.reduction))
    dut.drain__descriptors__valid.value = 0
    loads, descriptors, expected = {}, deque(), defaultdict(lambda: dict(NOTHING))
    load = 3
    for number in range(WAVES):
        wave = random_wave(config, random, number)
        loads[load] = wave.numbers
        # Descriptors are there in time, or have been for a while.
        from_cycle = load + 1 - int(random.choice([0, 0, 1, 7]))
        descriptors += [(from_cycle, descriptor) for descriptor in wave.descriptors]
        for cycle, port, value in leaving(config, wave, load + unit.latency):
            expected[cycle][port] = value
        # A wave has a step of four cycles; its results come when those of the wave before have left, or later.
        load += max(4, wave.drain_cycles) + int(random.choice([0, 0, 1, 9]))
    links = Links(config, random)
    await clock_and_reset(dut)
    for cycle in range(load + unit.latency + config.clusters):
        valid = bool(descriptors) and descriptors[0][0] <= cycle
        dut.drain__descriptors__valid.value = int(valid)
        dut.drain__descriptors__payload.value = descriptor_codec.pack(
            descriptors[0][1] if valid else noise(descriptor_codec, random)
        )
        ports.set(load=int(cycle in loads), chains=links.chains())
        got = await ports.outputs()
        sums = sum_codec.unpack(int(dut.drain__lane_blocks__payload.value))
        for port, value in left(got, sums if int(dut.drain__lane_blocks__valid.value) else None).items():
            compare(expected[cycle][port], value, f"{port} of cycle", cycle)
        taken = int(dut.drain__descriptors__ready.value)
        assert valid or not taken, f"cycle {cycle}: a descriptor is taken that is not there"
        await RisingEdge(dut.clk)
        links.edge(loads.get(cycle), got["shift"])
        if taken:
            descriptors.popleft()
    compare(0, len(descriptors), "descriptors left", 0)
