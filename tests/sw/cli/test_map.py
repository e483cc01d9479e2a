"""`rewardware map`: networks of the package, of files and of PyTorch, given and chosen arrays, pictures, refusals."""

import json

import pytest

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.mapping.convolution.cost_model_config import CostModelConfig
from rewardware.sw.mapping.convolution.network_mapping import map_network
from rewardware.sw.networks.convolution.network_file import load_network, save_network

MODULE = """
from torch import nn

class Small(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 5 * 6, 4))

class Sized(nn.Conv2d):
    pass

made = Small()
number = 3
"""


def exit_code(*arguments):
    try:
        return dispatch(arguments)
    except SystemExit as stop:
        return stop.code


def test_a_network_on_a_given_array(tmp_path, capsys):
    assert dispatch(["map", "googlenet", "--array", "92x66", "--out", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    content = json.loads((tmp_path / "mapping.json").read_text())
    mapping = map_network(load_network("googlenet"), CostModelConfig(rows=92, columns=66))
    assert content["array"] == [92, 66] and content["array_by_latency"] is None
    assert content["seconds"] == mapping.seconds == pytest.approx(sum(content["parts"].values()))
    assert [layer["name"] for layer in content["layers"]] == [layer.name for layer in mapping.layers]
    assert sum(layer["computing"] for layer in content["layers"]) == pytest.approx(content["parts"]["computing"])
    loads = [layer["loading"] for layer in content["layers"]]
    assert 0 < sum(loads) <= content["parts"]["loading"] * (1 + 1e-12)
    assert text.startswith("googlenet on 92 x 66 at 286 MHz, 77 GB/s\n")
    assert f"latency {1e3 * mapping.seconds:.3f} ms: computing " in text and "kn2row where it can be" in text
    assert "58 convolutions and linear layers, 6998552 parameters\n1582671872 multiply-accumulates: " in text
    assert "array of the least latency" not in text
    assert (tmp_path / "mapping.png").read_bytes().startswith(b"\x89PNG")


def test_an_array_that_is_chosen(capsys):
    assert dispatch(["map", "atari", "--multipliers", "60"]) == 0
    assert "array of the least latency: " in capsys.readouterr().out
    assert dispatch(["map", "atari", "--part", "xc7z020", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    rows, columns = content["array"]
    assert content["array"] == content["array_by_latency"] and 200 < rows * columns <= 220


def test_options_of_the_model(capsys):
    options = "--array 12x10 --frequency 100 --bandwidth 2.5 --burst-length 16 --winograd 2,3 --winograd 4,3 --json"
    assert dispatch(["map", "googlenet", *options.split()]) == 0
    config = CostModelConfig(
        rows=12, columns=10, frequency=100e6, bandwidth=2.5e9, burst_length=16, winograd=((2, 3), (4, 3))
    )
    content = json.loads(capsys.readouterr().out)
    assert content["seconds"] == map_network(load_network("googlenet"), config).seconds
    assert "winograd-4-3" in {layer["algorithm"] for layer in content["layers"]}


def test_layers_by_the_cycles_of_the_engine(capsys):
    assert dispatch(["map", "googlenet", "--array", "92x66", "--drains", "4"]) == 0
    config = CostModelConfig(rows=92, columns=66, drains=4)
    text = capsys.readouterr().out
    assert f"latency {1e3 * map_network(load_network('googlenet'), config).seconds:.3f} ms: computing " in text
    assert "layers by the exact cycles of the GEMM engine with drain chains: 4; layers, transfers" in text


def test_a_network_of_a_file(tmp_path, capsys):
    save_network(load_network("dcgan"), tmp_path / "mine.yaml")
    assert dispatch(["map", str(tmp_path / "mine.yaml"), "--array", "16x8"]) == 0
    assert "layer4      kn2row" in capsys.readouterr().out


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "networks_to_map.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.parametrize("name", ["Small", "made"])
def test_a_module_of_pytorch(name, module, capsys):
    place = f"networks_to_map:{name}"
    assert dispatch(["map", place, "--picture", "3x5x6", "--array", "8x8", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["network"] == "Small" and [layer["name"] for layer in content["layers"]] == ["0", "3"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("atari", "--array, --part or --multipliers is needed"),
        ("atari --array 92", "--array must be ROWSxCOLUMNS, not 92"),
        ("atari --array 92x0", "Columns must be at least 1, not 0"),
        ("atari --array 92,66", "argument --array: '92,66' is not a list of whole numbers, such as 92x66"),
        ("atari --array 9x6 --part xcu200", "argument --part: not allowed with argument --array"),
        ("atari --part xcu500", "did you mean 'xcu50'?"),
        ("atari --part xcup", "--part must be a part, not the family xcup"),
        ("atari --multipliers 60 --drains 2", "--drains needs --array: other arrays are compared by equation 3.2"),
        ("atari --array 9x6 --drains 3", "Drains must be a power of two"),
        ("atari --multipliers 0", "--multipliers must be from 1 to 1048576, not 0"),
        ("atari --array 9x6 --frequency 0", "Frequency must be above 0 and finite, not 0"),
        ("atari --array 9x6 --winograd 2", "argument --winograd: '2' is not M,R, such as 2,3"),
        ("atari --array 9x6 --winograd 1,3", "m of Winograd must be at least 2, not 1"),
        ("atari --array 9x6 --picture 3x5x6", "atari has a picture of its own: omit --picture"),
        (
            "atary --array 9x6",
            "Network must be one of atari, dcgan, googlenet, inception-v4 or a YAML file, not 'atary'",
        ),
        ("networks_to_map:Small --array 9x6", "--picture CxROWSxCOLUMNS is needed: what the module takes"),
        ("networks_to_map:Smal --array 9x6 --picture 3x5x6", "'networks_to_map:Smal' gives no module of PyTorch: "),
        ("networks_to_map:Sized --array 9x6 --picture 3x5x6", "'networks_to_map:Sized' gives no module of PyTorch: "),
        ("networks_to_map:number --array 9x6 --picture 3x5x6", "'networks_to_map:number' gives no module of PyTorch: "),
        ("nowhere:Small --array 9x6 --picture 3x5x6", "No module named 'nowhere'"),
        ("networks_to_map:Small --array 9x6 --picture 3x5x5", "Linear '3' must take the 200 elements of '0', not 240"),
    ],
)
def test_refusals(arguments, words, module, capsys):
    assert exit_code("map", *arguments.split()) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1 and words in captured.err, captured.err
