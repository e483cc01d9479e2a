"""Convolutional networks in YAML: what is written is read, and what is wrong is named."""

import pytest

from rewardware.sw.networks.convolution.convolutional_network import ConvolutionalNetwork
from rewardware.sw.networks.convolution.network_file import as_yaml, list_networks, load_network, save_network
from rewardware.sw.networks.convolution.nodes import Addition, AveragePooling, Convolution, Input, MaxPooling

NODES = """
name: small
nodes:
  - {name: picture, kind: input, channels: 3, picture: [9, 8]}
  - {name: a, kind: convolution, source: picture, channels: 4, kernel: 3, padding: [0, 1], relu: true}
  - {name: b, kind: convolution, source: picture, channels: 4, kernel: [3, 2], padding: [0, [0, 1]]}
  - {name: c, kind: addition, sources: [a, b]}
"""


def test_the_networks_of_the_package():
    assert list_networks() == ["atari", "dcgan", "googlenet", "inception-v4"]


@pytest.mark.parametrize("name", list_networks())
def test_what_is_saved_is_loaded(name, tmp_path):
    network = load_network(name)
    assert network.name == name
    save_network(network, tmp_path / "saved.yaml")
    assert load_network(tmp_path / "saved.yaml") == network


def test_numbers_and_pairs(tmp_path):
    (tmp_path / "small.yaml").write_text(NODES)
    network = load_network(str(tmp_path / "small.yaml"))
    assert network == ConvolutionalNetwork(
        name="small",
        nodes=(
            Input(name="picture", channels=3, picture=(9, 8)),
            Convolution(name="a", source="picture", channels=4, kernel=(3, 3), padding=((0, 0), (1, 1)), relu=True),
            Convolution(name="b", source="picture", channels=4, kernel=(3, 2), padding=((0, 0), (0, 1))),
            Addition(name="c", sources=("a", "b")),
        ),
    )
    assert as_yaml(network) == NODES.lstrip()


def test_fields_that_are_as_by_default_are_left_out():
    nodes = (
        Input(name="x", channels=1, picture=(8, 8)),
        MaxPooling(name="m", source="x", kernel=(2, 2), stride=(2, 2), ceil_mode=True),
        AveragePooling(name="a", source="m", kernel=(2, 3), include_padding=False),
    )
    lines = as_yaml(ConvolutionalNetwork(name="y", nodes=nodes)).splitlines()
    assert lines[3:] == [
        "  - {name: m, kind: max-pooling, source: x, kernel: 2, stride: 2, ceil_mode: true}",
        "  - {name: a, kind: average-pooling, source: m, kernel: [2, 3], include_padding: false}",
    ]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (NODES, "[]", "A network must be a mapping with name and nodes, not []"),
        ("nodes:", "layers:", "Unknown section of a network: layers; there are name, nodes"),
        (NODES, "name: x", "A network must have nodes, a list"),
        (NODES, "nodes: [3]", "Node 1 must be a mapping, not 3"),
        ("kind: addition", "kind: adition", "Node 'c': Kind must be one of"),
        ("kind: addition", "kind: adition", "not 'adition': did you mean 'addition'?"),
        ("kind: addition, ", "", "Node 'c': Kind must be one of"),
        ("kernel: 3, ", "", "Node 'a' needs kernel"),
        ("kernel: 3", "kernel: 3, dilation: 2", "Unknown field of Node 'a': dilation; there are name, source"),
        ("kernel: 3", "kernel: large", "Node 'a': Kernel must be a pair of integers, not 'large'"),
        ("kernel: 3", "kernel: [3, 3, 3]", "Node 'a': Kernel must be a pair of integers, not (3, 3, 3)"),
        ("kernel: 3", "kernel: true", "Node 'a': Kernel must be an integer, not True"),
        ("padding: [0, 1]", "padding: [0, 1, 2]", "Node 'a': Padding must be a pair of pairs"),
        ("[a, b]", "[a, d]", "Node 'c' takes 'd', which is not a node"),
        ("sources: [a, b]", "sources: a", "Node 'c': Sources must be of the kind tuple, not 'a'"),
        ("nodes:", "nodes: {", "is not YAML"),
    ],
)
def test_what_is_wrong(old, new, words, tmp_path):
    (tmp_path / "wrong.yaml").write_text(NODES.replace(old, new))
    with pytest.raises((TypeError, ValueError)) as error:
        load_network(tmp_path / "wrong.yaml")
    assert words in str(error.value) and "wrong.yaml" in str(error.value)


def test_a_network_that_there_is_not():
    with pytest.raises(ValueError) as error:
        load_network("googlnet")
    assert str(error.value) == (
        "Network must be one of atari, dcgan, googlenet, inception-v4 or a YAML file, not 'googlnet': did you mean "
        "'googlenet'?"
    )
