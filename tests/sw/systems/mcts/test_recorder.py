"""Whole episodes, kept and played again."""

import dataclasses

import numpy as np
import pytest

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.hw.cores.tree.requests import Status
from rewardware.sw.core.environments.make_state_environment import state_environment
from rewardware.sw.device.errors import DeviceError
from rewardware.sw.device.search_tree import MCTSDevice
from rewardware.sw.device.search_tree_backends import ReferenceTree
from rewardware.sw.device.search_tree_numbers import TreeParameters
from rewardware.sw.systems.mcts.planner import MCTSPlanner
from rewardware.sw.systems.mcts.planner_config import PlannerConfig
from rewardware.sw.systems.mcts.recorder import Recording, RecordingTree

CONFIG = TreeConfig(fanout=9, group=3, banks=20, rows=64, nodes=1000)


@pytest.fixture(scope="module")
def recording():
    """A game of tic-tac-toe, half of it in trees that go on."""
    game, tree = state_environment("tic-tac-toe"), RecordingTree(ReferenceTree(CONFIG))
    config = PlannerConfig(simulations=40, workers=6, exploration=1.4, virtual_loss=0.5)
    with MCTSPlanner(game, config, device=MCTSDevice(tree)) as planner:
        game.reset()
        ended = has_tree = False
        while not ended:
            action = planner.act(None if has_tree else game.save()).action
            has_tree = bool(game.save()[1]) and planner.advance(action)
            _, ended = game.step(action)
    return tree.recording


def test_a_recording_answers_the_same_when_it_is_played_again(recording, tmp_path):
    path = tmp_path / "game.npz"
    recording.save(path)
    loaded = Recording.load(path)
    assert (loaded.config, loaded.registers) == (CONFIG, recording.registers)
    assert loaded.registers == TreeParameters(exploration=1.4, virtual_loss=0.5, alternate=True).registers()
    assert loaded == recording
    kinds = np.bincount([request.kind for request in recording.requests], minlength=5)
    # Selections and backups, clears and advances.
    assert kinds[0] == kinds[1] >= 200 and kinds[2] == 0 and kinds[3] >= 2 and kinds[4] >= 2
    loaded.replay(ReferenceTree(CONFIG))


@pytest.mark.parametrize("place", [0, 100, -1])
def test_another_answer_is_found(recording, place):
    answers = list(recording.answers)
    answers[place] = dataclasses.replace(answers[place], status=Status(answers[place].status ^ 1))
    changed = dataclasses.replace(recording, answers=answers)
    with pytest.raises(DeviceError, match=f"Answer {place % len(answers)} of {len(answers)} differs"):
        changed.replay(ReferenceTree(CONFIG))


def test_a_recording_is_of_one_tree_and_one_set_of_registers(recording):
    other = dataclasses.replace(CONFIG, levels=9)
    with pytest.raises(ValueError, match="The tree must be that of the recording"):
        recording.replay(ReferenceTree(other))
    device = MCTSDevice(RecordingTree(ReferenceTree(CONFIG)))
    device.request(device.clear(False, 1))
    with pytest.raises(DeviceError, match="Registers cannot change within a recording"):
        device.mcts_parameters(TreeParameters())


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "other.npz"
    np.savez(path, requests=np.zeros(3))
    with pytest.raises(ValueError, match="holds no recording of a search tree"):
        Recording.load(path)
