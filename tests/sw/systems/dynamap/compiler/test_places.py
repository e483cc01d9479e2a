"""Where feature maps stand: none over another one that is still wanted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardware.hw.cores.memory.config import UnalignedConfig
from rewardware.sw.reference.convolution.layers import INPUT, Concatenation, sources
from rewardware.sw.systems.dynamap.compiler.places import map_sizes, place_maps

from .networks import convolution, network_of, networks

MEMORY = UnalignedConfig(lanes=5, rows=1024, width=8)
# Room for all maps of a network of concatenations of concatenations.
LARGE_MEMORY = UnalignedConfig(lanes=5, rows=1 << 15, width=8)


@given(networks(), st.booleans())
def test_maps_stay_until_they_are_read(network, keep):
    """Follows who owns each row, layer by layer."""
    places, sizes = place_maps(network, LARGE_MEMORY, keep=keep), map_sizes(network)
    taken = {source for layer in network.layers for source in sources(layer)}
    owners = {}

    def rows(name):
        found = places.maps[name]
        assert found.place % LARGE_MEMORY.lanes == 0
        return range(found.place // LARGE_MEMORY.lanes, -(-(found.place + found.words) // LARGE_MEMORY.lanes))

    def write(name):
        for row in rows(name):
            before = owners.get(row)
            assert before in {None, name} or before in places.maps[name].after, (name, before)
            owners[row] = name

    def require(name):
        assert all(owners[row] == name for row in rows(name)), name

    write(INPUT)
    for layer in network.layers:
        into, first = places.targets[layer.name]
        if isinstance(layer, Concatenation):
            copied = {source for source, to, _ in places.copies if to == layer.name}
            for source in sources(layer):
                assert (source in copied) == (places.targets[source][0] != layer.name)
        for source in sources(layer):
            require(places.targets[source][0])
        write(into)
        assert first + sizes[layer.name][2] <= places.maps[into].size[2]
    for name in (
        places.maps if keep else (places.targets[each.name][0] for each in network.layers if each.name not in taken)
    ):
        require(name)


def test_branches_stand_beside_each_other():
    size = (3, 4, 6)
    layers = [
        convolution("a", INPUT, size, 2),
        convolution("b", INPUT, size, 3),
        Concatenation(name="joined", sources=("a", INPUT, "b")),
        convolution("c", "joined", (3, 4, 11), 1),
    ]
    places = place_maps(network_of(layers), MEMORY, keep=False)
    assert places.targets["a"] == ("joined", 0) and places.targets["b"] == ("joined", 8)
    assert places.copies == ((INPUT, "joined", 2),)
    assert set(places.maps) == {INPUT, "joined", "c"}
    assert places.target("b").first == 8 and places.target("b").channels == 11


def test_too_many_words():
    layers = [convolution("a", INPUT, (8, 8, 40), 41)]
    with pytest.raises(ValueError, match="Feature maps must be at most 5120 words at a time on this device, not 5185"):
        place_maps(network_of(layers), MEMORY, keep=False)
