"""When the parameters of a network have been updated, and what is told: the layers' own benches say to what."""

import pytest

from rewardware.hw.cores.float.config import BFLOAT16, FloatLaneConfig
from rewardware.hw.cores.layer.config import NetworkConfig
from rewardware.hw.cores.layer.layer_parameters import LayerParameters
from rewardware.hw.cores.layer.network_parameters import NetworkParameters
from rewardware.hw.cores.layer.update_stage_config import UpdateStageConfig
from rewardware.sim.cocotb import simulate

BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=3, multiplier_depth=1)


# A layer with many words, one with fewer, one with few.
@pytest.mark.parametrize(
    ("units", "target"), [((1, 2, 4), "soft"), ((4, 1, 2), "soft"), ((2, 4, 1), "soft"), ((2, 4, 1), "none")]
)
def test_updated_when_the_last_layer_is(units, target):
    """Each layer in turn is the last one to end."""
    network = NetworkConfig(sizes=(4, 4, 4, 4), units=units, arithmetic=BRAIN)
    updates = tuple(UpdateStageConfig(layer=layer, optimizer="adam", target=target) for layer in network.layers)
    simulate(
        NetworkParameters(updates, (1, 1, 1)),
        bench="tests.hw.cores.layer.bench_network_parameters",
        parameters={"cycles": max(LayerParameters(update, 1).cycles for update in updates)},
        tests="updated_when_the_last_layer_is",
        after_noise=True,
    )


@pytest.mark.parametrize("shared", [False, True])
def test_infinity_is_told(shared):
    """An update tells that the weights or the target of a layer were loaded with an infinite number."""
    network = NetworkConfig(sizes=(4, 3, 5, 4), units=(1, 2, 4), arithmetic=BRAIN)
    updates = tuple(
        UpdateStageConfig(layer=layer, optimizer="sgd", target="soft", shared=shared) for layer in network.layers
    )
    simulate(
        NetworkParameters(updates, (1, 1, 1)),
        bench="tests.hw.cores.layer.bench_network_parameters",
        tests="infinity_of_any_array_is_told",
        parameters={
            "arrays": updates[0].arrays.index("target") + 1,
            "layers": [layer.rows * layer.outputs for layer in network.layers],
            "infinity": BRAIN.format.infinity,
        },
        after_noise=True,
    )
