"""Weight grouping, steps forward, and the way back to gradients on the RTL of the device, against the reference."""

import numpy as np
import pytest

from rewardware.hw.soc.learninggroup.config import LearningGroupConfig, Network, Rates
from rewardware.hw.soc.learninggroup.hardware import LearningGroupHardware
from rewardware.hw.soc.learninggroup.instructions import Memory
from rewardware.sw.device.errors import DeviceError, DeviceFault
from rewardware.sw.device.learninggroup import LearningGroupDevice
from rewardware.sw.device.open import open_device
from rewardware.sw.program.learninggroup_map import MemoryMap
from rewardware.sw.program.program import Program
from rewardware.sw.reference.learninggroup.iteration import LearningGroupReference
from rewardware.sw.reference.learninggroup.state import initial_state
from rewardware.sw.reference.sparse.compression import decompress
from rewardware.sw.reference.sparse.engine import group_layer

HARDWARE = LearningGroupHardware(
    device=LearningGroupConfig(
        name="test", cores=3, clusters=5, cluster_vpus=1, blocks=4, groups=4, features=64, steps=4,
        optimizer_format="binary16",
    ),
    activation_rows=256, error_rows=512, result_rows=256, state_rows=512, aggregate_rows=128, scalar_rows=64,
    weight_rows=256, parameter_rows=256, grouping_rows=256, index_rows=64, list_rows=256, tuples=64,
    instruction_depth=1024,
)  # fmt: skip
STEPS = 3


@pytest.fixture(scope="module")
def simulation():
    with open_device("sim", HARDWARE) as device:
        yield device


@pytest.mark.parametrize(
    ("agents", "episodes", "groups", "hidden"),
    [(3, 7, 3, 13), (5, 2, 4, 8), (1, 4, 1, 5)],
    ids=["two batches, units that no core has", "agents side by side in a block", "one agent, dense"],
)
def test_steps(simulation, agents, episodes, groups, hidden):
    """Choices and values of two iterations, and the gradients of the second: every bit."""
    network = Network(observation_size=11, hidden_size=hidden, actions=5, agents=agents, groups=groups)
    random = np.random.default_rng(agents)
    state = initial_state(network, HARDWARE.device.cores, seed=5)
    for name, numbers in state.items():
        if name != "random" and not name.startswith("square"):
            state[name] = random.normal(0, 0.6, numbers.shape)
    reference = LearningGroupReference(HARDWARE.device, network, Rates(), episodes=episodes)
    reference.load(state)
    device = LearningGroupDevice(simulation, HARDWARE, network, Rates(), episodes=episodes, steps=STEPS)
    device.load(state)
    for _ in range(2):
        reference.start()
        device.start()
        for _ in range(STEPS):
            observations = random.normal(0, 1, (episodes, agents, 11))
            for expected, got in zip(reference.step(observations), device.step(observations), strict=True):
                np.testing.assert_array_equal(got, expected)
    returns = random.normal(0, 2, (STEPS, episodes, agents))
    scales = random.choice([0, 0.5, 4], returns.shape)
    reference.train(returns, scales)
    device.train(returns, scales)
    compare_gradients(device, state, reference.gradients)
    assert not reference.nonfinite_layers()
    with pytest.raises(RuntimeError, match="An iteration has 3 steps, and begins with start"):
        device.step(observations)


def small_device(simulation, **state):
    """A network of one agent on the device, with zeros but for what is given."""
    network = Network(observation_size=4, hidden_size=6, agents=1, groups=2)
    device = LearningGroupDevice(simulation, HARDWARE, network, Rates(), episodes=3, steps=STEPS)
    device.load(initial_state(network, HARDWARE.device.cores) | state)
    return device


def test_bad_input(simulation):
    """What is wrong is said before anything is sent; infinities on the device, after."""
    device = small_device(simulation)
    device.start()
    with pytest.raises(ValueError, match=r"Observations must have shape \(3, 1, 4\), not \(3, 4\)"):
        device.step(np.zeros((3, 4)))
    for wrong, words in ((np.nan, "nan"), (np.inf, "inf"), (-65520, "-65520.0")):
        with pytest.raises(ValueError, match=f"Observations must be from -65504.0 to 65504.0, not {words}"):
            device.step(np.full((3, 1, 4), wrong))
    device.step(np.zeros((3, 1, 4)))
    with pytest.raises(ValueError, match=r"Returns must have shape \(1, 3, 1\), not \(3, 1\)"):
        device.train(np.zeros((3, 1)), np.zeros((1, 3, 1)))
    large = small_device(simulation, **{"bias/value": np.array([60000.0]), "weight/encoder": np.full((4, 6), 60000.0)})
    large.start()
    with pytest.raises(DeviceError, match="Program step 0 met an infinity or a NaN"):
        large.step(np.full((3, 1, 4), 60000.0))
    large = small_device(simulation, **{"input_grouping/gate": np.full((6, 2), np.nan)})
    with pytest.raises(DeviceError, match="Program start met an infinity or a NaN"):
        large.start()


@pytest.mark.parametrize(
    ("rows", "fields", "flag"),
    [
        (8, {"memory": Memory.STATE_0, "core": 0, "base": 4 * 512 - 7, "count": 8}, "address_out_of_range"),
        (7, {"memory": Memory.STATE_0, "core": 0, "base": 0, "count": 8}, "stream_underflow"),
        (9, {"memory": Memory.STATE_0, "core": 0, "base": 0, "count": 8}, "stream_overflow"),
    ],
    ids=["behind the end", "packet cut short", "packet too long"],
)
def test_faults(simulation, rows, fields, flag):
    """A bad transfer stops the program, and the device goes on after a soft reset."""
    program = Program("bad", HARDWARE)
    program.emit("load", **fields)
    program.finish()
    simulation.load_program(program.words)
    simulation.send(np.zeros((rows, HARDWARE.shell.stream_lanes), np.uint32))
    with pytest.raises(DeviceFault, match=flag):
        simulation.run(cycle_limit=10_000)
    simulation.soft_reset()
    device = small_device(simulation)
    device.start()
    movements, gates, values = device.step(np.zeros((3, 1, 4)))
    assert movements.shape == gates.shape == values.shape == (3, 1)
    assert not values.any()


def compare_gradients(device, state, expected):
    """The compressed gradients on the device against those of the reference, layer by layer."""
    memories = device.compressed_gradients()
    config = HARDWARE.sparse
    for key, place in device.compiler.map.layers.items():
        name = key.removeprefix("bias/")
        if key == name:
            inputs = bits(state[f"input_grouping/{name}"]).T
            outputs = np.asarray(state[f"output_grouping/{name}"])
            wanted = expected[f"weight/{name}"]
        else:
            inputs, outputs = np.zeros((1, 1), np.int64), np.zeros((1, expected[key].size))
            wanted = expected[key][np.newaxis]
        own = {core: bits(part) for core, part in device.own_columns(name, outputs).items()}
        cores = range(HARDWARE.device.cores)
        nothing = np.zeros((len(inputs), 0), np.int64)
        layer = group_layer(
            config, inputs, [own.get(core, nothing) for core in cores],
            row_base=place.row, column_base=place.column, weight_base=place.weight,
        )  # fmt: skip
        for core, part in device.own_columns(name, wanted).items():
            got = np.zeros(part.shape, np.int64)
            rows = np.pad(layer.row_list, (place.row, 0))
            columns = np.pad(layer.forward.lists[core], (place.column, 0))
            decompress(memories[core], layer.tables[core][0], rows, columns, got)
            np.testing.assert_array_equal(got, bits(part), err_msg=f"{key} of core {core}")


def bits(numbers):
    return np.ascontiguousarray(numbers, np.float16).view(np.uint16).astype(np.int64)


def test_what_does_not_fit():
    network = Network(observation_size=60, hidden_size=64, agents=3, groups=4)
    with pytest.raises(
        ValueError, match="Activation rows must be at least 688 for this network and iteration, not 256"
    ):
        MemoryMap(HARDWARE, network, 2, 3)
