"""Cycles of layers and of a network on the RTL against those of the schedule: equal."""

import dataclasses

import pytest

from rewardware.hw.cores.convolution.commands import Dataflow
from rewardware.sw.core.lockstep import LockstepError
from rewardware.sw.mapping.convolution.algorithms import Algorithm
from rewardware.sw.reference.convolution.quantization import QuantizedNetwork
from rewardware.sw.systems.dynamap.bench import network_cycles
from rewardware.sw.systems.dynamap.bench.figures import DynamapBench
from rewardware.sw.systems.dynamap.compiler.network_plan import NetworkPlan
from rewardware.sw.systems.dynamap.compiler.products import Choice

# The others take longer to build; `rewardware bench dynamap` counts on all.
ARRAY = "5 x 3"


@pytest.fixture(autouse=True)
def one_array(monkeypatch):
    monkeypatch.setattr(network_cycles, "ARRAYS", {ARRAY: network_cycles.ARRAYS[ARRAY]})


def test_layers_by_themselves():
    found = network_cycles.count_layers(ARRAY)
    assert [one for one in found if one.counted != one.modelled] == []
    told = "\n".join(one.what for one in found)
    for way in (
        "im2col IS",
        "kn2row WS",
        "winograd-2-3 NS",
        "winograd-2-3 IS",
        "average pooling",
        "max pooling",
        "linear",
        "5x5, stride 2",
    ):
        assert way in told
    (row,) = DynamapBench().rows(["model_error"])
    assert row["value"] == 0 and row["kind"] == "counted"
    assert f"all {len(found)} are the model's" in row["how"]


def test_a_layer_of_several_programs():
    """The program memory holds 512 instructions; the layer is among those that were counted."""
    (network,) = [one for one in network_cycles.LAYERS if one.name.startswith("5x5, 4 channels")]
    model, _ = network_cycles.quantized(network)
    choice = Choice(algorithm=Algorithm(name="winograd", m=2, r=3), dataflow=Dataflow.NON_STATIONARY)
    plan = NetworkPlan(network_cycles.ARRAYS[ARRAY], model, {"5x5": choice})
    assert len(plan.schedule.programs) > 1
    told = f"{network.name}: winograd-2-3 NS, {len(plan.plans['5x5'].parts)} parts, on {ARRAY} elements"
    (counted,) = [one for one in network_cycles.count_layers(ARRAY) if one.what == told]
    assert counted.counted == plan.schedule.cycles


def test_the_mapped_network_takes_the_fewest_cycles():
    mapped, *alike = network_cycles.count_mappings(ARRAY, network_cycles.NETWORK).values()
    assert len(alike) == 9
    assert mapped.counted <= min(one.counted for one in alike)
    error, gain = DynamapBench().rows(["model_error_network", "mapped_gain_counted"])
    assert error["value"] <= 2
    best = min(one.counted for one in alike)
    assert gain["value"] == round(100 * (1 - mapped.counted / best), 2) >= 0
    assert f"{mapped.counted} cycles mapped against {best}" in gain["how"]


def test_wrong_words_are_no_figure(monkeypatch):
    infer = QuantizedNetwork.infer

    def wrong(*arguments):
        found = infer(*arguments)
        return dataclasses.replace(found, words={name: words + 1 for name, words in found.words.items()})

    monkeypatch.setattr(QuantizedNetwork, "infer", wrong)
    with pytest.raises(LockstepError, match="1x1, 20 channels of 9x9: im2col .* 5 x 3 elements differs"):
        network_cycles.count_layers(ARRAY, network_cycles.LAYERS[2:3])
