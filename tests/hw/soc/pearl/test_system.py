"""The replay device against the reference: every answer."""

import dataclasses
import random

import numpy as np
import pytest

from rewardware.hw.cores.replay.requests import RequestKind
from rewardware.hw.soc.pearl.config import PearlConfig
from rewardware.hw.soc.presets import list_presets, load_preset
from rewardware.sw.device.errors import DeviceError
from rewardware.sw.device.replay_backends import DeviceSumTree, ReferenceSumTree, segment_width
from rewardware.sw.reference.replay.requests import Requests

from ....sw.reference.replay.stimulus import random_requests
from .run_requests import run_requests

CONFIG = PearlConfig(leaves=150, fanout=8, priority_width=24, priority_fraction=12)
TWO_LANES = dataclasses.replace(CONFIG, lanes=2)


@pytest.fixture(scope="module", params=[CONFIG, TWO_LANES], ids=["one_lane", "two_lanes"])
def opened(request):
    device = DeviceSumTree(request.param, stall=0.2, seed=3)
    yield device
    device.close()


@pytest.fixture
def trees(opened):
    reference = ReferenceSumTree(CONFIG.tree)
    for tree in (opened, reference):
        tree.clear()
        tree.seed(12345)
    return opened, reference


def both(trees, call):
    """The reference's results, which are the device's."""
    device, reference = (call(tree).each() for tree in trees)
    assert device == reference
    return reference


def test_packets_and_batches_in_turn(trees):
    rng = random.Random(1)
    for count in (1, 2, 37, 600):
        requests = Requests.gather(random_requests(CONFIG, rng, count))
        both(trees, lambda tree, requests=requests: tree.request(requests))
        for segment in (0, segment_width(count)):
            found = both(trees, lambda tree, segment=segment, count=count: tree.sample(count, segment))
            assert len(found) == count + 1


def test_a_soft_reset_forgets_all_priorities(trees):
    device, _ = trees
    total = Requests.of(RequestKind.TOTAL, 1)
    device.request(Requests.of(RequestKind.INSERT, 10, priority=np.full(10, 5)))
    assert device.request(total).total.tolist() == [50]
    device.device.soft_reset()
    assert device.request(total).total.tolist() == [0]


@pytest.mark.parametrize("ask", [lambda tree: tree.sample(0, 0), lambda tree: tree.seed(0)])
def test_what_means_nothing_is_an_error(trees, ask):
    device, _ = trees
    with pytest.raises(DeviceError, match="address_out_of_range"):
        ask(device)
    device.device.soft_reset()
    device.clear()


@pytest.mark.parametrize("name", list_presets("pearl"))
def test_presets(name):
    config = load_preset(name, "pearl")
    assert config.name == name and config.leaves == {"small": 1 << 10, "ulx3s": 1 << 15}.get(name, 1 << 17)


@pytest.mark.parametrize("config", [CONFIG, TWO_LANES], ids=["one_lane", "two_lanes"])
def test_many_requests(config):
    """A small version of what `run_requests` does with whole presets."""
    ends = run_requests(config, 5000)
    assert {kind for kind, status in ends if status == "done"} == set(RequestKind)
