"""`rewardware infer`: networks of the package, of files and of PyTorch; what is told, written and refused."""

import json

import numpy as np
import pytest
import torch

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.networks.convolution.network_file import load_network, save_network
from rewardware.sw.networks.convolution.parameters import random_parameters, save_parameters
from rewardware.sw.networks.convolution.quantized_model import quantize_model
from tests.sw.systems.dynamap.networks import NETWORK, PICTURES

MODULE = """
import torch
from torch import nn

def small():
    torch.manual_seed(1)
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.MaxPool2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(72, 4))

class Residual(nn.Module):
    def forward(self, x):
        return x + x
"""


def exit_code(*arguments):
    try:
        return dispatch(arguments)
    except SystemExit as stop:
        return stop.code


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A network with parameters, pictures, and modules of PyTorch."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "networks_to_infer.py").write_text(MODULE)
    save_network(NETWORK, tmp_path / "mine.yaml")
    save_parameters(tmp_path / "mine.npz", random_parameters(NETWORK, 5))
    np.save("pictures.npy", PICTURES)
    np.save("one.npy", PICTURES[1])
    return tmp_path


@pytest.mark.parametrize("width", [8, 16])
def test_outputs_are_those_of_the_network(width, folder, capsys):
    options = "--parameters mine.npz --input pictures.npy --calibration one.npy --out there --json"
    assert dispatch(["infer", "mine.yaml", *options.split(), "--width", str(width)]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content == json.loads((folder / "there/infer.json").read_text())
    assert (content["parameters"], content["seed"], content["width"]) == ("mine.npz", None, width)
    assert content["calibration"] == {"file": "one.npy", "pictures": 1}
    model = quantize_model(NETWORK, random_parameters(NETWORK, 5), [PICTURES[1]], width)
    written = np.load(folder / "there/outputs.npz")
    assert len(written.files) == 4
    for index, (picture, told) in enumerate(zip(PICTURES, content["pictures"], strict=True)):
        expected, real = model.network.infer(model.network.to_words(picture)), model.real_outputs(picture)
        assert told["saturated"] == sum(expected.saturated.values())
        for name in ("actions", "picture"):
            numbers = model.network.to_numbers(name, expected.words[name])
            np.testing.assert_array_equal(written[f"{name}.words"][index], expected.words[name])
            np.testing.assert_array_equal(written[f"{name}.numbers"][index], numbers)
            output = told["outputs"][name]
            assert output["largest_difference"] == np.abs(numbers - real[name]).max()
            assert output["mean_difference"] == np.abs(numbers - real[name]).mean()
            assert (output["least"], output["largest"]) == (numbers.min(), numbers.max())
        vector = model.network.to_numbers("actions", expected.words["actions"]).reshape(-1)
        top = told["outputs"]["actions"]["top"]
        assert [each["number"] for each in top] == sorted(vector, reverse=True)[:5]
        assert all(vector[each["element"]] == each["number"] for each in top)
        same = bool(vector.argmax() == real["actions"].argmax())
        assert told["outputs"]["actions"]["same_argmax"] == same and "same_argmax" not in told["outputs"]["picture"]
    # The other picture goes beyond what the scales were made for.
    assert content["pictures"][0]["saturated"] > content["pictures"][1]["saturated"]


def test_it_is_told_that_parameters_are_random(folder, capsys):
    assert dispatch(["infer", "mine.yaml", "--input", "pictures.npy", "--seed", "3"]) == 0
    first = capsys.readouterr().out
    said = " ".join(first.split())
    assert f"small, {NETWORK.parameters} parameters: random, seed 3 integers 8 bits, sums of 32, on reference " in said
    assert "scales by the pictures of pictures.npy (2) picture 0 saturated words: " in said
    assert "picture 5 x 5 x 2, from " in said and "from float64 " in said and " argmax" in said
    assert dispatch(["infer", "mine.yaml", "--input", "pictures.npy"]) == 0
    assert capsys.readouterr().out.split("\n")[4:] != first.split("\n")[4:]


def test_a_module_of_pytorch(folder, capsys):
    from networks_to_infer import small

    picture = torch.rand(6, 7, 3)
    np.save("picture.npy", picture.numpy())
    arguments = ("networks_to_infer:small", "--picture", "3x6x7", "--input", "picture.npy", "--width", "16")
    assert dispatch(["infer", *arguments, "--out", "there"]) == 0
    assert "parameters: those of the module\n" in capsys.readouterr().out
    with torch.no_grad():
        expected = small()(picture.permute(2, 0, 1)[None]).numpy().reshape(-1)
    np.testing.assert_allclose(np.load("there/outputs.npz")["4.numbers"].reshape(-1), expected, atol=2e-4)


def test_two_backends_in_lockstep(folder, capsys):
    backend = "lockstep:reference,reference"
    assert dispatch(["infer", "mine.yaml", "--input", "pictures.npy", "--backend", backend]) == 0
    assert "2 pictures on the RTL as well" in capsys.readouterr().out


def test_the_policy_of_atari_games_whole_on_the_rtl(folder, capsys):
    save_parameters(folder / "atari.npz", random_parameters(load_network("atari"), 1))
    np.save("frames.npy", np.random.default_rng(2).integers(0, 256, (84, 84, 4), np.uint8))
    options = "--input frames.npy --parameters atari.npz --backend lockstep --config small --json"
    assert dispatch(["infer", "atari", *options.split()]) == 0
    content = json.loads(capsys.readouterr().out)
    (told,), counters = content["pictures"], content["counters"]
    # Every word of every layer: 20 x 20 x 32, 9 x 9 x 64, 7 x 7 x 64, 512 and 18.
    assert counters["lockstep_equal"] == counters["lockstep_compared"] == 12800 + 5184 + 3136 + 512 + 18
    assert told["saturated"] == counters["saturated"]
    assert told["outputs"]["actions"]["shape"] == [1, 1, 18] and told["outputs"]["actions"]["same_argmax"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("mine.yaml", "the following arguments are required: --input"),
        ("mine.yaml --input nowhere.npy", "No such file or directory: 'nowhere.npy'"),
        ("mine.yaml --input one.npy --calibration mine.npz", "mine.npz is neither a .npy file nor a picture"),
        ("atari --input one.npy", "one.npy must hold pictures of 84 x 84 x 4 (rows x columns x channels), not 7 x 6 x"),
        ("atari --input one.npy --picture 4x84x84", "atari has a picture of its own: omit --picture"),
        ("mine.yaml --input one.npy --parameters one.npy", "one.npy is not a .npz archive of arrays, or is damaged: "),
        ("mine.yaml --input one.npy --seed -1", "Seed must be at least 0, not -1"),
        ("mine.yaml --input one.npy --config small", "--config is for a device: omit it, or give --backend rtl"),
        ("mine.yaml --input one.npy --width 12", "argument --width: invalid choice: 12 (choose from 8, 16)"),
        (
            "mine.yaml --input one.npy --backend torch",
            "Backend must be reference, rtl, lockstep, uart:PORT or pynq:",
        ),
        ("mine.yaml --input one.npy --backend transport", "Backend 'transport' is a device behind a link of your own"),
        (
            "networks_to_infer:Residual --picture 3x7x6 --input one.npy",
            "Node 'add' is an addition, and no unit of the hardware adds feature maps",
        ),
    ],
)
def test_refusals(arguments, words, folder, capsys):
    assert exit_code("infer", *arguments.split()) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1 and words in captured.err, captured.err
