"""Rounds at random in chains as the clusters have them, and everything that leaves, cycle by cycle."""

from collections import defaultdict, deque
from dataclasses import dataclass

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.vector.drain import Drain
from rewardware.hw.cores.vector.matrix_config import ACCUMULATORS, Product
from rewardware.hw.cores.vector.matrix_layouts import entry_layout
from rewardware.sim.cocotb import clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of
from rewardware.sw.reference.float.arithmetic import is_nonfinite

from ..side_by_side import Ports
from ..stimulus import noise
from .stimulus import mixed

ROUNDS = 200
FLAGS = ("drained", "drained_sums", "nonfinite", "out_of_range")
NOTHING = {"results": {}, "sums": None} | dict.fromkeys(FLAGS, 0)


@dataclass
class Round:
    """Numbers of its tasks (tasks, VPUs, accumulators), and the entries that say where they go."""

    product: Product
    blocks: int
    numbers: np.ndarray
    entries: list

    @property
    def drain_cycles(self):
        return len(self.numbers) if self.product == Product.GRADIENT else len(self.entries)


def random_round(config, random, number):
    """One full round of each kind and number of blocks first."""
    product = Product(number % len(Product))
    exponent = int(random.integers(config.blocks.bit_length()))
    blocks, most = 1 << exponent, config.clusters
    tasks = most if number < 3 * config.blocks else int(random.choice([1, most, random.integers(1, most + 1)]))
    entries = []
    for first in range(0, tasks, blocks):
        entry = noise(codec_of(entry_layout(config)), random)
        if product != Product.GRADIENT and random.random() < 0.9:
            # The last one is behind the end.
            places = [0, config.result_rows - 1, *random.integers(config.result_rows, size=10), config.result_rows]
            entry |= {name: int(random.choice(places)) for name in ("first", "second")}
        count = min(blocks, tasks - first)
        entries.append(
            entry
            | {"product": int(product), "blocks": exponent, "offset": int(random.integers(blocks)), "count": count}
            | {"last": int(first + blocks >= tasks)}
        )
    share = random.choice([0, 0.05])
    return Round(
        product, blocks, mixed(random, config.format, (tasks, config.cluster_vpus, ACCUMULATORS), share), entries
    )


def words(config, numbers):
    """Accumulators side by side, for each VPU."""
    return [sum(int(number) << config.format.width * place for place, number in enumerate(vpu)) for vpu in numbers]


def leaving(config, round_, cycle):
    """What leaves of a round from ``cycle`` on: (cycle, port, value)."""
    tasks = iter(round_.numbers)
    for entry in round_.entries:
        written, nonfinite = {}, False
        for place in range(entry["offset"], entry["offset"] + entry["count"]):
            numbers = next(tasks)
            block = place % round_.blocks
            target = entry["first"] if place < round_.blocks else entry["second"]
            if round_.product == Product.GRADIENT:
                sums = {"sums": words(config, numbers), "sums_block": block, "sums_blocks": entry["blocks"]}
                yield cycle, "sums", sums | {"sums_target": target}
                cycle += 1
            elif target < config.result_rows:
                written[block] = target, words(config, numbers)
                nonfinite |= bool(is_nonfinite(config.format, numbers).any())
            else:
                yield cycle - 1, "out_of_range", 1
        if round_.product != Product.GRADIENT:
            yield cycle, "results", written
            yield cycle + 1, "nonfinite", int(nonfinite)
            cycle += 1
    yield cycle - 1, "drained_sums" if round_.product == Product.GRADIENT else "drained", 1


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
        """``load``: the numbers of a round, or None."""
        self.loading = [load, *self.loading[:-1]]
        moved = np.concatenate([self.values, self._noise(self.config.blocks)])[self.config.blocks :]
        for accumulator, numbers in enumerate(self.loading):
            place = ..., accumulator
            if numbers is not None:
                self.values[place] = self._noise(len(self.values))[place]
                self.values[: len(numbers)][place] = numbers[place]
            elif shift >> accumulator & 1:
                self.values[place] = moved[place]


def left(got):
    """What has left in a cycle, in the form of :func:`leaving`."""
    enables = got["results__enables"]
    rows = zip(got["results__addresses"], got["results__data"], strict=True)
    sums = {name: got[name] for name in ("sums", "sums_block", "sums_blocks", "sums_target")}
    return {
        "results": {block: row for block, row in enumerate(rows) if enables >> block & 1},
        "sums": sums if got["sums_valid"] else None,
    } | {flag: got[flag] for flag in FLAGS}


@cocotb.test()
async def everything_leaves_in_time(dut):
    config, random = parameters()["config"], rng("rounds")
    unit = Drain(config)
    ports, entry_codec = Ports(dut, unit, "drain"), codec_of(entry_layout(config))
    dut.drain__entries__valid.value = 0
    loads, entries, expected = {}, deque(), defaultdict(lambda: dict(NOTHING))
    load = 3
    for number in range(ROUNDS):
        round_ = random_round(config, random, number)
        loads[load] = round_.numbers
        # Entries are there in time, or have been for a while.
        from_cycle = load + 1 - int(random.choice([0, 0, 1, 7]))
        entries += [(from_cycle, entry) for entry in round_.entries]
        for cycle, port, value in leaving(config, round_, load + unit.latency):
            expected[cycle][port] = value
        # A round has a step of four cycles; its results come when those of the round before have left, or later.
        load += max(4, round_.drain_cycles) + int(random.choice([0, 0, 1, 9]))
    links = Links(config, random)
    await clock_and_reset(dut)
    for cycle in range(load + unit.latency + config.clusters):
        valid = bool(entries) and entries[0][0] <= cycle
        dut.drain__entries__valid.value = int(valid)
        dut.drain__entries__payload.value = entry_codec.pack(entries[0][1] if valid else noise(entry_codec, random))
        ports.set(load=int(cycle in loads), chains=links.chains())
        got = await ports.outputs()
        for port, value in left(got).items():
            compare(expected[cycle][port], value, f"{port} of cycle", cycle)
        taken = int(dut.drain__entries__ready.value)
        assert valid or not taken, f"cycle {cycle}: an entry is taken that is not there"
        await RisingEdge(dut.clk)
        links.edge(loads.get(cycle), got["shift"])
        if taken:
            entries.popleft()
    compare(0, len(entries), "entries left", 0)
