"""Where a state is in the memories of a LearningGroup device: all of it, each part in a place of its own."""

import numpy as np
import pytest

from rewardware.hw.soc.learninggroup.config import LearningGroupConfig, Network
from rewardware.hw.soc.learninggroup.hardware import LearningGroupHardware
from rewardware.hw.soc.learninggroup.instructions import Memory
from rewardware.sw.reference.learninggroup.state import parameter_shapes
from rewardware.sw.systems.learninggroup.program.map import MemoryMap
from rewardware.sw.systems.learninggroup.state import StateLayout, rounded_to


def layout_of(cores, hidden, groups, banks=16):
    hardware = LearningGroupHardware(device=LearningGroupConfig(cores=cores, clusters=4), weight_banks=banks)
    network = Network(observation_size=19, hidden_size=hidden, actions=4, groups=groups)
    return StateLayout(network, MemoryMap(hardware, network, 1, 2))


@pytest.mark.parametrize(
    ("cores", "hidden", "groups", "banks"), [(1, 5, 1, 16), (2, 17, 3, 16), (3, 16, 2, 8), (4, 40, 5, 4)]
)
def test_memories_hold_all_of_a_state(cores, hidden, groups, banks):
    layout = layout_of(cores, hidden, groups, banks)
    random = np.random.default_rng(hidden)
    # The least of binary32 and more: what is nowhere would be zero.
    state = {name: random.integers(1, 1 << 24, shape) for name, shape in parameter_shapes(layout.network).items()}
    found, taken = {}, set()
    for part in layout.parts:
        words = layout.words(part, state[part.name.removeprefix("square/")])
        assert words.shape == (part.count, banks)
        rows = {(part.memory, part.core, part.base + row) for row in range(part.count)}
        assert not rows & taken, part
        taken |= rows
        found.setdefault(part.name, {})[part.owner] = words
    for name, array in state.items():
        for there in (name, f"square/{name}"):
            np.testing.assert_array_equal(layout.array(there, found[there]), array, err_msg=there)


def test_words_of_grouping_matrices_are_a_group_each():
    layout = layout_of(3, 16, 2)
    (part,) = (part for part in layout.parts if part.name == "input_grouping/encoder")
    assert part.memory == Memory.GROUPING
    words = layout.words(part, np.arange(38).reshape(19, 2))
    np.testing.assert_array_equal(words[0], np.arange(0, 32, 2))
    np.testing.assert_array_equal(words[1], np.arange(1, 32, 2))
    np.testing.assert_array_equal(words[2], [32, 34, 36] + 13 * [0])


def test_numbers_that_are_too_large_are_infinite():
    assert rounded_to(np.float16, [65519.0, -65520.0]).tolist() == [65504.0, -np.inf]
