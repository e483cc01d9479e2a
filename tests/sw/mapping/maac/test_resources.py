"""Resources of a design, against the gateware's own sizes of memories."""

import pytest

from rewardware.hw.soc.target.target import Resources
from rewardware.sw.mapping.maac.design import CRITIC, POLICY
from rewardware.sw.mapping.maac.resources import buffer_resources, lane_resources, layer_resources, memory_blocks

from .spaces import COSTS, small_networks, space_of


@pytest.mark.parametrize(
    ("depth", "family", "blocks"),
    [(64, "xcup", 0), (65, "xcup", 0.5), (512, "xcup", 0.5), (513, "xcup", 1), (1025, "ecp5", 3), (257, "intel", 2)],
)
def test_blocks_of_a_memory(depth, family, blocks):
    assert memory_blocks(depth, family) == blocks


def test_a_layer_of_each_network():
    space = space_of(small_networks(agents=4, hidden=32, observations=20, actions=5))
    layers = {f"{choice.network} {choice.name}": choice.layer for choice in space.layers}
    forward, backward, gradient = (COSTS.stages[kind].of(1) for kind in ("forward", "backward", "gradient"))
    # 4 * 33 * 32 words: two copies of a policy's weights, its own and the target's.
    policy = layer_resources(COSTS, POLICY, layers["policy second"], first=False)
    assert policy == forward * 2 + Resources(bram=2 * 4.5)
    assert not lane_resources(COSTS, POLICY, 8, 2).lut and lane_resources(COSTS, CRITIC, 9, 4) == COSTS.lane * 3
    # Weights for two forward stages and a backward one, the target's, two moments, and the gradient.
    hidden = layer_resources(COSTS, CRITIC, layers["critic hidden"], first=False)
    blocks = 7 * memory_blocks(4 * 65 * 32, "xcup")
    assert hidden == forward * 3 + backward + gradient + COSTS.parameters.of(1) + Resources(bram=blocks)
    embedding = layer_resources(COSTS, CRITIC, layers["critic embedding"], first=True)
    assert embedding.bram == 6 * memory_blocks(4 * 26 * 32, "xcup")


def test_a_design_takes_what_its_elements_take():
    space = space_of(small_networks(agents=3, hidden=8, heads=2))
    design = space.design((2,) * 10, parallel_heads=2, update_interval=4)
    options = [space.option(choice, 2, 1, 4) for choice in space.layers] + [space.attention[1]]
    total = space.resources(design)
    waiting = buffer_resources(design, COSTS.family)
    assert waiting.bram > 0 and not waiting.lut
    assert round(total.lut) == round(sum(option.resources.lut for option in options))
    assert total.bram == waiting.bram + sum(option.resources.bram for option in options)
