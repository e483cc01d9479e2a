"""Sums over lanes and blocks against plain ones."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BFLOAT16, BINARY16
from rewardware.hw.cores.vector.lane_reduction import LaneReduction, lane_block_layout
from rewardware.hw.cores.vector.matrix_config import ACCUMULATORS, LaneReductionConfig
from rewardware.sim.cocotb import simulate
from rewardware.sim.cocotb.codec import codec_of
from rewardware.sw.reference.vector.products import reduce_blocks, reduce_lanes

from ..bench_play import Expected
from .stimulus import mixed, packed


@pytest.mark.parametrize(
    "config",
    [
        LaneReductionConfig(format=BINARY16, cluster_vpus=2, tag_width=9),
        LaneReductionConfig(format=BFLOAT16.flushing(), cluster_vpus=1, tag_width=3),
    ],
    ids=["eight lanes", "four lanes"],
)
def test_equals_reference(config):
    rng = np.random.default_rng(config.cluster_vpus)
    number_format = config.format
    cycles = 1500
    shape = cycles, config.cluster_vpus, ACCUMULATORS
    values = mixed(rng, number_format, shape, 0.01)
    # Between blocks that follow each other at once there are gaps, in which nothing is valid.
    values[rng.random(cycles) < 0.05] = number_format.sign_bit
    table = {name: np.zeros(cycles, np.int64) for name in ("block", "blocks", "tag")}
    valid = np.zeros(cycles, np.int64)
    sums, tags, ends = (np.zeros(cycles, np.int64) for _ in range(3))
    cycle = 0
    while cycle < cycles - 20:
        blocks = int(rng.integers(0, 3))
        places = []
        for block in range(1 << blocks):
            cycle += int(rng.integers(1, 4)) if rng.random() < 0.3 else 1
            places.append(cycle)
            table["block"][cycle] = block
        valid[places] = 1
        table["blocks"][places] = blocks
        table["tag"][places] = rng.integers(0, 1 << config.tag_width)
        lanes = values[places].reshape(len(places), -1)
        sums[cycle] = reduce_blocks(number_format, reduce_lanes(number_format, lanes))
        tags[cycle] = table["tag"][cycle]
        ends[cycle] = 1
    component = LaneReduction(config)
    codec = codec_of(lane_block_layout(config))
    blocks_of_lanes = packed(values, number_format.width)
    payloads = np.array(
        [
            codec.pack({"values": blocks_of_lanes[row]} | {name: int(column[row]) for name, column in table.items()})
            for row in range(cycles)
        ],
        dtype=object,
    )
    latency = component.latency
    assert latency == 4 * (2 + config.cluster_vpus.bit_length() - 1 + 2)
    simulate(
        component,
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": {"lane_blocks__valid": valid, "lane_blocks__payload": payloads},
            "outputs": {
                "sums__valid": Expected(ends, latency, before=0),
                "sums__payload": Expected(sums | tags << number_format.width, latency, ends == 1),
            },
        },
        after_noise=True,
    )


def test_bad_configuration():
    with pytest.raises(ValueError, match="^Cluster VPUs must be a power of two, not 6$"):
        LaneReductionConfig(cluster_vpus=6)
    with pytest.raises(ValueError, match="^Tag width must be from 1 to 64, not 0$"):
        LaneReductionConfig(tag_width=0)
