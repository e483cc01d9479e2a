"""A network on backends: the reference, and two that are compared word by word."""

import sys
from contextlib import closing
from types import SimpleNamespace

import numpy as np
import pytest

from rewardware.sw.core.lockstep import LockstepError
from rewardware.sw.systems.dynamap.backends import network_on
from rewardware.sw.systems.dynamap.lockstep_network import LockstepNetwork
from rewardware.sw.systems.dynamap.reference_network import ReferenceNetwork

from .networks import PICTURES, model_of

MODEL = model_of().network
WORDS = [MODEL.to_words(picture) for picture in PICTURES]


class FakeDevice:
    """Gives some of the reference's tensors, and from a picture on one word too much."""

    def __init__(self, given, wrong="", first=0):
        self.given, self.wrong, self.first = given, wrong, first
        self.pictures, self.closed = 0, False

    def infer(self, words):
        tensors = {name: MODEL.infer(words).words[name].copy() for name in self.given}
        if self.wrong and self.pictures >= self.first:
            tensors[self.wrong][0, 1, 1] += 1
        self.pictures += 1
        return tensors

    def counters(self):
        return {"cycles": 10 * self.pictures}

    def close(self):
        self.closed = True


def lockstep(device):
    return LockstepNetwork(ReferenceNetwork(MODEL), device, MODEL.outputs)


def test_the_reference_gives_all_tensors():
    with closing(network_on("reference")(MODEL)) as running:
        for words in WORDS:
            found, expected = running.infer(words), MODEL.infer(words)
            assert list(found) == list(expected.words)
            for name, tensor in expected.words.items():
                np.testing.assert_array_equal(found[name], tensor)
        assert running.counters() == {"saturated": sum(sum(MODEL.infer(each).saturated.values()) for each in WORDS)}


def test_two_backends_are_compared():
    with closing(network_on("lockstep:reference,reference")(MODEL)) as running:
        found = running.infer(WORDS[0])
        np.testing.assert_array_equal(found["actions"], MODEL.infer(WORDS[0]).words["actions"])
        total = sum(tensor.size for tensor in found.values())
        counters = running.counters()
    assert counters.pop("saturated") >= 0
    assert counters == {"lockstep_steps": 1, "lockstep_compared": total, "lockstep_equal": total}


def test_tensors_that_both_give_are_compared():
    device = FakeDevice(MODEL.outputs)
    running = lockstep(device)
    for words in WORDS:
        running.infer(words)
    compared = sum(MODEL.infer(WORDS[0]).words[name].size for name in MODEL.outputs)
    assert running.counters()["lockstep_compared"] == 2 * compared and running.counters()["cycles"] == 20
    running.close()
    assert device.closed


@pytest.mark.parametrize("first", [0, 1])
def test_a_wrong_word_is_named(first):
    """The layer that is wrong, and not those after it, which have all of its words right."""
    running = lockstep(FakeDevice((*MODEL.outputs, "pool", "first"), wrong="first", first=first))
    right = int(MODEL.infer(WORDS[first]).words["first"][0, 1, 1])
    with pytest.raises(LockstepError) as error:
        for words in WORDS:
            running.infer(words)
    assert str(error.value) == (
        f"Picture {first}, words: RTL differs from the reference in first[0, 1, 1]: expected {right:#x} ({right}), got "
        f"{right + 1:#x} ({right + 1}); 1 of 210 elements of first differ"
    )
    assert running.equal < running.compared


def test_an_output_that_is_missing_is_named():
    with pytest.raises(LockstepError, match="Picture 0, words: RTL differs from the reference in actions is missing"):
        lockstep(FakeDevice(("picture", "pool"))).infer(WORDS[0])


@pytest.mark.parametrize(("backend", "place"), [("rtl", "sim"), ("uart:here", "uart:here"), ("lockstep", "sim")])
def test_a_device_is_opened_where_it_is(backend, place, monkeypatch):
    opened = []

    def device(network, hardware, where, **options):
        opened.append((network, hardware, where, options))
        return FakeDevice(MODEL.outputs)

    there = "rewardware.sw.systems.dynamap.device_network"
    monkeypatch.setitem(sys.modules, there, SimpleNamespace(DeviceNetwork=device))
    with closing(network_on(backend, "hardware", optimisation=1)(MODEL)) as running:
        np.testing.assert_array_equal(running.infer(WORDS[0])["actions"], MODEL.infer(WORDS[0]).words["actions"])
        assert ("lockstep_equal" in running.counters()) == (backend == "lockstep")
    options = {"keep": backend == "lockstep", "optimisation": 1}
    assert opened == [(MODEL, "hardware", place, options)]


def test_refusals():
    with pytest.raises(ValueError, match="^Backend must be reference, rtl, lockstep, uart.*, not 'torch'$"):
        network_on("torch")
    with pytest.raises(ValueError, match="give transport="):
        network_on("transport")
