"""Presets and configurations from YAML."""

import pytest

from rewardware.hw.cores.convolution.commands import Dataflow
from rewardware.hw.soc.devices import devices
from rewardware.hw.soc.fixar.config import Networks
from rewardware.hw.soc.learninggroup.config import Network
from rewardware.hw.soc.presets import list_presets, load_preset, read_preset
from rewardware.sw.algorithms.a3c.a3c_hyper_parameters import A3CHyperParameters
from rewardware.sw.algorithms.a3c.a3c_shape import A3CShape
from rewardware.sw.mapping.convolution.algorithms import IM2COL
from rewardware.sw.reference.convolution.quantization import IntegerConvolution
from rewardware.sw.reference.learninggroup.layout import Layout
from rewardware.sw.systems.a3c.device_service import require_suitable
from rewardware.sw.systems.dynamap.bench.weightless import weightless
from rewardware.sw.systems.dynamap.compiler.choice import choose_alike
from rewardware.sw.systems.dynamap.compiler.network_program import NetworkProgram
from rewardware.sw.systems.dynamap.compiler.places import place_maps
from rewardware.sw.systems.fixar.program.compiler import Compiler
from rewardware.sw.systems.learninggroup.program.map import MemoryMap

PAPERS_ARRAYS = [("paper", "googlenet", (92, 66)), ("paper-inception", "inception-v4", (95, 64))]
SIZES = {"paper": (17, 6), "scaled": (17, 6), "scaled-u250": (17, 6)}


@pytest.mark.parametrize("name", list_presets())
def test_a_preset_holds_its_own_networks(name):
    preset = read_preset(name)
    assert preset.config.name == name and preset.config == load_preset(name)
    observation_size, action_size = SIZES.get(name, (3, 1))
    networks = Networks(
        observation_size=observation_size, action_size=action_size, hidden_sizes=preset.training["hidden_sizes"]
    )
    compiler = Compiler(preset.config, networks)
    for bits in (None, 16):
        compiler.train(preset.config.batch_limit, bits=bits)
        compiler.train(preset.training["batch_size"], bits=bits)
        compiler.act(1, noise=True, bits=bits)


@pytest.mark.parametrize("name", list_presets("learninggroup"))
def test_a_preset_of_learninggroup_holds_its_own_network(name):
    preset = read_preset(name, "learninggroup")
    assert preset.config.name == name and preset.config == load_preset(name, "learninggroup")
    network = Network(observation_size=29, hidden_size=preset.training["hidden_size"], groups=preset.config.groups)
    network.check(preset.config)
    assert Layout(preset.config, 3, preset.training.get("episodes", 32)).batches <= preset.config.batches
    # All groups, steps and batches at once.
    assert preset.hardware.device == preset.config
    MemoryMap(preset.hardware, network, preset.config.batches, min(preset.config.steps, 20))


@pytest.mark.parametrize("name", list_presets("a3c"))
def test_a_preset_of_a3c_serves_its_own_agents(name):
    preset = read_preset(name, "a3c")
    hardware, config = preset.hardware, A3CHyperParameters.from_mapping(preset.training)
    assert hardware.name == name and hardware == load_preset(name, "a3c")
    shape = A3CShape(
        observation_size=hardware.sizes[0], actions=hardware.actions, hidden_sizes=tuple(config.hidden_sizes)
    )
    require_suitable(hardware, shape, config)


@pytest.mark.parametrize("name", ["small", "ulx3s"])
def test_a_preset_of_dynamap_runs_the_atari_policy(name):
    hardware = read_preset(name, "dynamap").hardware
    assert hardware.name == name and hardware == load_preset(name, "dynamap")
    network = weightless("atari")
    choices = choose_alike(hardware, network, (IM2COL, Dataflow.WEIGHT_STATIONARY))
    assert NetworkProgram(hardware, network, choices).outputs == ("actions",)


@pytest.mark.parametrize(("name", "model", "array"), PAPERS_ARRAYS)
def test_the_papers_arrays_hold_feature_maps_and_parameters_of_their_networks(name, model, array):
    hardware, network = read_preset(name, "dynamap").hardware, weightless(model)
    assert hardware.name == name and (hardware.rows, hardware.columns) == array
    place_maps(network, hardware.features, keep=False)
    channels = [layer.shape.output_channels for layer in network.layers if isinstance(layer, IntegerConvolution)]
    assert sum(-(-count // hardware.columns) for count in channels) <= hardware.parameter_rows


def test_the_papers_configurations():
    config = load_preset("paper")
    assert (config.cores, config.lanes, config.vectors) == (2, 16, 32)
    config = load_preset("paper", "learninggroup")
    assert (config.cores, config.vpus, config.lanes, config.vectors) == (3, 264, 32, 128)


TEXT = """
hardware: {cores: 1, lanes: 2, vectors: 4, weight_rows: 64, activation_rows: 64, error_rows: 64,
           accumulator_depth: 16, batch_limit: 4}
"""


def test_a_file(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(TEXT)
    config = load_preset(path)
    assert config.name == "mine" and config.lanes == 2


@pytest.mark.parametrize(
    "text, words",
    [
        (TEXT + "colour: red", "Unknown section: colour; there are name, system, hardware, memories, training"),
        (TEXT.replace("lanes", "lane"), "Unknown field of hardware: lane"),
        (TEXT.replace("batch_limit: 4", "slots: 4"), "Section hardware needs batch_limit"),
        (TEXT.replace("lanes: 2", "lanes: 3"), "Lanes must be from 2 to 32 and a multiple of 2, not 3"),
        (TEXT + "memories: {state_rows: 8}", "Unknown field of memories: state_rows; there are none"),
        ("hardware: [", "is not YAML"),
        ("3", "A configuration must be a mapping"),
        ("hardware: 3", "Sections hardware, memories and training must be mappings"),
    ],
)
def test_bad_files(tmp_path, text, words):
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=words) as caught:
        load_preset(path)
    assert "bad.yaml" in str(caught.value)


def test_unknown_preset():
    with pytest.raises(ValueError, match="Configuration must be one of paper, .* or a YAML file, not 'papr'"):
        load_preset("papr")


def test_unknown_system():
    systems = ", ".join(devices())
    with pytest.raises(ValueError, match=f"System must be one of {systems}, not 'fixer'"):
        load_preset("paper", "fixer")


def test_a_file_of_another_system(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(TEXT + "system: learninggroup")
    with pytest.raises(ValueError, match="System must be fixar, not learninggroup"):
        load_preset(path)


@pytest.mark.parametrize("name", list_presets("mcts"))
def test_a_preset_of_mcts_is_a_tree_by_name(name):
    config = load_preset(name, "mcts")
    assert config.name == name and read_preset(name, "mcts").hardware == config
    # The others are for tests, a board and games.
    if name.startswith("f"):
        tree = config.tree
        assert f"f{tree.fanout}-d{tree.levels}" == name
        # These are the paper's.
        assert (tree.banks, tree.nodes, tree.workers) == (128, 10_000, 128)


def test_a_file_that_is_no_text(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_bytes(b"hardware:\n  cores: \xff\xfe")
    with pytest.raises(ValueError, match="mine.yaml is not UTF-8 text: .* at byte 19"):
        load_preset(path)
