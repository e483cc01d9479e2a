"""Whole iterations on the RTL of the device against the reference: choices, gradients, what is learned."""

import dataclasses

import numpy as np
import pytest

from rewardware.hw.soc.learninggroup.config import LearningGroupConfig, Network, Rates
from rewardware.hw.soc.learninggroup.hardware import LearningGroupHardware
from rewardware.hw.soc.learninggroup.instructions import Memory
from rewardware.hw.soc.presets import read_preset
from rewardware.sw.device.errors import DeviceError, DeviceFault
from rewardware.sw.device.open import open_device
from rewardware.sw.device.program import Program
from rewardware.sw.reference.learninggroup.iteration import LearningGroupReference
from rewardware.sw.reference.learninggroup.state import initial_state
from rewardware.sw.reference.sparse.compression import decompress
from rewardware.sw.reference.sparse.engine import group_layer
from rewardware.sw.systems.learninggroup.driver import LearningGroupDevice
from rewardware.sw.systems.learninggroup.program.map import MemoryMap
from rewardware.sw.systems.learninggroup.state import DTYPES, StateLayout

HARDWARE = LearningGroupHardware(
    device=LearningGroupConfig(
        name="test", cores=3, clusters=5, cluster_vpus=1, blocks=4, groups=4, features=64, steps=4,
        optimizer_format="binary16",
    ),
    activation_rows=256, error_rows=512, result_rows=256, state_rows=512, aggregate_rows=128, scalar_rows=64,
    weight_banks=8, weight_rows=512, parameter_rows=512, grouping_rows=512, index_rows=128, list_rows=256, tuples=64,
    instruction_depth=1024,
)  # fmt: skip
# This preset has the wider state of the optimiser; other tests also run it.
WIDE = read_preset("small", "learninggroup").hardware
STEPS = 3
CORES = 2  # Both have at least so many cores with generators.


@pytest.fixture(scope="module", params=[HARDWARE, WIDE], ids=["binary16", "binary32"])
def simulation(request):
    with open_device("sim", request.param) as device:
        yield device


def some_state(network, random):
    """Parameters of every magnitude, and mean squares."""
    state = initial_state(network, CORES, seed=5)
    for name, numbers in state.items():
        if name.startswith("square"):
            state[name] = random.gamma(1, 1, numbers.shape) * 2.0 ** random.integers(-12, 2, numbers.shape)
        elif name != "random":
            state[name] = random.normal(0, 0.6, numbers.shape)
    return state


def both(simulation, network, state, episodes):
    """Reference and device with the same state."""
    hardware = simulation.config
    rates = Rates(learning_rate=0.03, alpha=0.9)
    reference = LearningGroupReference(hardware.device, network, rates, episodes=episodes)
    device = LearningGroupDevice(simulation, hardware, network, rates, episodes=episodes, steps=STEPS)
    for one in (reference, device):
        one.load(state)
    compare_states(device, reference)
    return reference, device


def iterate(reference, device, random):
    """An iteration of both: choices and values of every step, and what was learned, every bit."""
    episodes, agents = reference.layout.episodes, reference.shape.agents
    for one in (reference, device):
        one.start()
    for _ in range(STEPS):
        observations = random.normal(0, 1, (episodes, agents, reference.shape.observation_size))
        for expected, got in zip(reference.step(observations), device.step(observations), strict=True):
            np.testing.assert_array_equal(got, expected)
    returns = random.normal(0, 2, (STEPS, episodes, agents))
    scales = random.choice([0, 0.5, 4], returns.shape)
    for one in (reference, device):
        one.train(returns, scales)
    compare_states(device, reference)
    assert device.workloads() == reference.workloads()
    # There are reports of the beginning, the steps, the way back and what follows.
    assert len(device.reports) >= STEPS + 2 and all(report.cycles for report in device.reports)
    assert device.reports[-1].busy["update"]


def compare_states(device, reference):
    """All arrays of both states: names, types, bits."""
    got, expected = device.save(), reference.save()
    assert set(got) == set(expected)
    for name, numbers in expected.items():
        assert got[name].dtype == numbers.dtype, name
        np.testing.assert_array_equal(got[name], numbers, err_msg=name)
        if name != "random":
            np.testing.assert_array_equal(np.signbit(got[name]), np.signbit(numbers), err_msg=name)


@pytest.mark.parametrize(
    ("agents", "episodes", "groups", "hidden"),
    [(3, 7, 3, 13), (5, 2, 4, 8), (1, 4, 1, 5)],
    ids=["two batches, units that no core has", "agents side by side in a block", "one agent, dense"],
)
def test_iterations(simulation, agents, episodes, groups, hidden):
    network = Network(observation_size=11, hidden_size=hidden, actions=5, agents=agents, groups=groups)
    random = np.random.default_rng(agents)
    state = some_state(network, random)
    reference, device = both(simulation, network, state, episodes)
    for _ in range(2):
        state = reference.save()
        iterate(reference, device, random)
        compare_gradients(device, state, reference.gradients)
    # A device that takes what it gave goes on as it was.
    device.load(device.save())
    iterate(reference, device, random)
    assert not reference.nonfinite_layers()
    with pytest.raises(RuntimeError, match="An iteration has 3 steps, and begins with start"):
        device.step(np.zeros((episodes, agents, 11)))


def test_a_way_back_in_two_programs(simulation):
    """An instruction memory that holds a step, but not the way back over three."""
    network = Network(observation_size=11, hidden_size=13, agents=3, groups=3)
    random = np.random.default_rng(12)
    reference, device = both(simulation, network, some_state(network, random), episodes=7)
    depth = 1 << len(device.compiler.step(1).words).bit_length()
    device.compiler.hardware = dataclasses.replace(device.hardware, instruction_depth=depth)
    iterate(reference, device, random)
    assert [len(device.compiler.backward(steps)) for steps in (1, STEPS)] == [1, 2]
    assert len(device.reports) == STEPS + 4


def test_groups_without_members(simulation):
    """All rows in the first group by ties, columns in the last; then whatever learning makes of it."""
    network = Network(observation_size=5, hidden_size=7, actions=3, agents=2, groups=4)
    random = np.random.default_rng(9)
    state = some_state(network, random)
    for name, numbers in state.items():
        if name.startswith("input_grouping"):
            numbers[:] = 0.25 if name.endswith(("input", "value")) else 0
        if name.startswith("output_grouping"):
            numbers[:] = 0
            numbers[-1, ::2] = 2.0**-24
            if name.endswith(("policy", "hidden")):
                numbers[:] = -0.0
    reference, device = both(simulation, network, state, episodes=3)
    for _ in range(2):
        iterate(reference, device, random)


def test_dense_gradient_of_the_grouping(simulation):
    network = Network(observation_size=5, hidden_size=7, agents=2, groups=2)
    with pytest.raises(ValueError, match="^Grouping gradient of a device must be unmasked, not dense$"):
        LearningGroupDevice(
            simulation, simulation.config, network, Rates(grouping_gradient="dense"), episodes=3, steps=STEPS
        )


def small_device(simulation, **state):
    """A network of one agent on the device, with zeros but for what is given."""
    network = Network(observation_size=4, hidden_size=6, agents=1, groups=2)
    device = LearningGroupDevice(simulation, simulation.config, network, Rates(), episodes=3, steps=STEPS)
    device.load(initial_state(network, CORES) | state)
    return device


def test_bad_input(simulation):
    """Bad input is refused before anything is sent; infinities on the device, after."""
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
    with pytest.raises(DeviceError, match="Program step 0 met an infinity or a NaN; layers that have one: encoder"):
        large.step(np.full((3, 1, 4), 60000.0))
    large = small_device(simulation, **{"input_grouping/gate": np.full((6, 2), np.nan)})
    with pytest.raises(DeviceError, match="Program start met an infinity or a NaN; layers that have one: gate$"):
        large.start()


def test_a_step_to_infinity(simulation):
    """Without epsilon a weight that nothing moves is divided by nothing: no number, and the driver says so."""
    network = Network(observation_size=4, hidden_size=6, agents=1, groups=2)
    rates = Rates(epsilon=0)
    device = LearningGroupDevice(simulation, simulation.config, network, rates, episodes=3, steps=STEPS)
    device.load(initial_state(network, CORES))
    device.start()
    device.step(np.zeros((3, 1, 4)))
    with pytest.raises(
        DeviceError, match="^Program learn from 1 steps met an infinity or a NaN; layers that have one: encoder, "
    ):
        device.train(np.zeros((1, 3, 1)), np.zeros((1, 3, 1)))
    assert np.isnan(device.save()["weight/encoder"]).any()


@pytest.mark.parametrize(
    ("rows", "base", "flag"),
    [(8, -7, "address_out_of_range"), (7, 0, "stream_underflow"), (9, 0, "stream_overflow")],
    ids=["past the end", "packet cut short", "packet too long"],
)
def test_faults(simulation, rows, base, flag):
    """A bad transfer stops the program, and the device goes on after a soft reset."""
    hardware = simulation.config
    base %= hardware.device.blocks * hardware.state_rows
    program = Program("bad", hardware)
    program.emit("load", memory=Memory.STATE_0, core=0, base=base, count=8)
    program.finish()
    simulation.load_program(program.words)
    simulation.send(np.zeros((rows, hardware.shell.stream_lanes), np.uint32))
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
    config, dtype = device.hardware.sparse, DTYPES[device.hardware.device.optimizer_format]
    for key, place in device.compiler.map.layers.items():
        name = key.removeprefix("bias/")
        if key == name:
            inputs = bits(state[f"input_grouping/{name}"], dtype).T
            outputs = np.asarray(state[f"output_grouping/{name}"])
            wanted = expected[f"weight/{name}"]
        else:
            inputs, outputs = np.zeros((1, 1), np.int64), np.zeros((1, expected[key].size))
            wanted = expected[key][np.newaxis]
        own = {core: bits(part, dtype) for core, part in columns_of(device, name, outputs).items()}
        cores = range(device.hardware.device.cores)
        nothing = np.zeros((len(inputs), 0), np.int64)
        layer = group_layer(
            config, inputs, [own.get(core, nothing) for core in cores],
            row_base=place.row, column_base=place.column, weight_base=place.weight,
        )  # fmt: skip
        for core, part in columns_of(device, name, wanted).items():
            got = np.zeros(part.shape, np.int64)
            rows = np.pad(layer.row_list, (place.row, 0))
            columns = np.pad(layer.forward.lists[core], (place.column, 0))
            decompress(memories[core], layer.tables[core][0], rows, columns, got)
            np.testing.assert_array_equal(got, bits(part), err_msg=f"{key} of core {core}")


def columns_of(device, name, array):
    return StateLayout(device.network, device.compiler.map).columns_of(f"weight/{name}", array)


def bits(numbers, dtype=np.float16):
    numbers = np.ascontiguousarray(numbers, dtype)
    return numbers.view(f"u{numbers.itemsize}").astype(np.int64)


def test_what_does_not_fit():
    network = Network(observation_size=60, hidden_size=64, agents=3, groups=4)
    with pytest.raises(
        ValueError, match="Activation rows must be at least 688 for this network and iteration, not 256"
    ):
        MemoryMap(HARDWARE, network, 2, 3)


@pytest.mark.parametrize(
    ("flag", "mistake"),
    [
        ("address_out_of_range", lambda size: [("update_biases", {"scalar_base": size.scalar_rows - 1})]),
        ("address_out_of_range", lambda size: [("update_biases", {"parameter_base": size.parameter_rows})]),
        ("address_out_of_range", lambda size: [("update_grouping", {"table": 2 * size.tuples})]),
        ("address_out_of_range", lambda size: [("update_grouping", {"grouping_base": size.grouping_rows})]),
        ("memory_conflict", lambda size: [("update_grouping", {}), ("store", {"memory": Memory.GRADIENT})]),
        (
            "memory_conflict",
            lambda size: [("update_biases", {"columns": 32}), ("store", {"memory": Memory.PARAMETER_SQUARE})],
        ),
    ],
    ids=["biases past scalars", "past parameters", "past tables", "past matrices", "gradients", "parameters"],
)
def test_updates_that_cannot_be(simulation, flag, mistake):
    """Places past the memories, and a host that reads in between."""
    network = Network(observation_size=5, hidden_size=7, actions=3, agents=2, groups=2)
    _, device = both(simulation, network, some_state(network, np.random.default_rng(6)), episodes=3)
    device.start()
    fields = {
        "update_biases": {"parameter_base": 0, "weight_base": 0, "scalar_base": 0, "columns": 2, "cores": 7},
        "update_grouping": {"table": 0, "groups": 2, "columns": 0, "grouping_base": 0},
        "store": {"core": 0, "base": 0, "count": 64},
    }
    program = Program("mistake", device.hardware)
    for name, changes in mistake(device.hardware):
        program.emit(name, **fields[name] | changes)
    simulation.load_program(program.finish().words)
    with pytest.raises(DeviceFault, match=flag):
        simulation.run(cycle_limit=20_000)
    simulation.soft_reset()
