"""Parameters of networks: they come back from a file as they went, errors name the array, random ones have a scale."""

import numpy as np
import pytest

from rewardware.hw.soc.written_file import WriteError
from rewardware.sw.networks.convolution.convolutional_network import ConvolutionalNetwork
from rewardware.sw.networks.convolution.network_file import load_network
from rewardware.sw.networks.convolution.nodes import Convolution, FractionallyStridedConvolution, Input
from rewardware.sw.networks.convolution.parameters import load_parameters, random_parameters, save_parameters

NETWORK = ConvolutionalNetwork(
    name="small",
    nodes=(
        Input(name="picture", channels=3, picture=(6, 5)),
        Convolution(name="3a/1x1", source="picture", channels=4, kernel=(3, 2)),
        FractionallyStridedConvolution(name="file", source="3a/1x1", channels=2, kernel=(4, 3), stride=(2, 2)),
    ),
)


def test_they_come_back_as_they_went(tmp_path):
    parameters, path = random_parameters(NETWORK, 5), tmp_path / "small.npz"
    save_parameters(path, parameters)
    found = load_parameters(path, NETWORK)
    assert list(found) == ["3a/1x1", "file"]
    for name, each in found.items():
        np.testing.assert_array_equal(each.kernels, parameters[name].kernels)
        np.testing.assert_array_equal(each.bias, parameters[name].bias)
    with pytest.raises(WriteError):
        save_parameters(tmp_path / "nowhere" / "small.npz", parameters)


def test_single_precision_is_taken(tmp_path):
    arrays = {"3a/1x1.kernels": (3, 2, 3, 4), "3a/1x1.bias": (4,), "file.kernels": (4, 3, 4, 2), "file.bias": (2,)}
    np.savez(tmp_path / "small.npz", **{name: np.full(shape, 0.1, np.float32) for name, shape in arrays.items()})
    found = load_parameters(tmp_path / "small.npz", NETWORK)
    assert found["file"].kernels.dtype == np.float64 and (found["3a/1x1"].bias == np.float32(0.1)).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda arrays: arrays.pop("file.bias"), "lacks the array 'file.bias'"),
        (
            lambda arrays: arrays.update({"file.kernel": arrays["file.bias"]}),
            "array 'file.kernel' is of no convolution of the network: did you mean 'file.kernels'?",
        ),
        (
            lambda arrays: arrays.update({"file.bias": np.zeros(3)}),
            "array 'file.bias' must have the shape (2,), not (3,)",
        ),
        (
            lambda arrays: arrays.update({"file.bias": np.zeros(2, complex)}),
            "array 'file.bias' must hold real numbers, not complex128",
        ),
        (lambda arrays: arrays.update({"file.bias": np.array([0, np.nan])}), "array 'file.bias' must be finite"),
        (lambda arrays: arrays.update({"file.bias": np.array([None] * 2)}), "is not a .npz archive of arrays, or is"),
    ],
)
def test_errors_name_the_array(change, words, tmp_path):
    path = tmp_path / "small.npz"
    save_parameters(path, random_parameters(NETWORK, 5))
    with np.load(path) as file:
        arrays = dict(file)
    change(arrays)
    np.savez(path, **arrays)
    with pytest.raises(ValueError) as error:
        load_parameters(path, NETWORK)
    assert str(error.value).startswith(str(path)) and words in str(error.value)


@pytest.mark.parametrize("damage", ["cut", "array", "text"])
def test_files_that_are_no_archive(damage, tmp_path):
    path = tmp_path / "small.npz"
    save_parameters(path, random_parameters(NETWORK, 5))
    if damage == "array":
        with path.open("wb") as file:
            np.save(file, np.zeros(3))
    else:
        path.write_bytes(path.read_bytes()[:-40] if damage == "cut" else b"kernels")
    with pytest.raises(ValueError, match="is not a .npz archive of arrays, or is damaged: "):
        load_parameters(path, NETWORK)
    with pytest.raises(FileNotFoundError):
        load_parameters(tmp_path / "other.npz", NETWORK)


def test_random_ones_keep_the_scale():
    """After ReLU the mean square of activations stays about 1, also with fractional strides."""
    for name, products in (("atari", {"conv2": 512, "hidden": 3136}), ("dcgan", {"layer2": 3200})):
        network = load_network(name)
        parameters = random_parameters(network, 7)
        for node, count in products.items():
            assert parameters[node].kernels.std() == pytest.approx(np.sqrt(2 / count), rel=0.01)
            assert not parameters[node].bias.any()
    again, other = random_parameters(network, 7), random_parameters(network, 8)
    np.testing.assert_array_equal(again["layer4"].kernels, parameters["layer4"].kernels)
    assert (other["layer4"].kernels != parameters["layer4"].kernels).all()
    with pytest.raises(ValueError, match="^Seed must be at least 0, not -1$"):
        random_parameters(network, -1)
