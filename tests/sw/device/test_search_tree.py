"""The driver of the search tree: what it refuses, what the tree refuses."""

import pytest

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.hw.cores.tree.requests import Status
from rewardware.sw.device.errors import DeviceError
from rewardware.sw.device.search_tree import MCTSDevice, SearchTreeError
from rewardware.sw.device.search_tree_backends import ReferenceTree, open_tree
from rewardware.sw.device.search_tree_numbers import TreeParameters

CONFIG = TreeConfig(fanout=3, group=2, levels=4, banks=8, rows=4, nodes=20, workers=5, reserve=1)


def begun():
    device = MCTSDevice(open_tree("reference", CONFIG))
    device.mcts_parameters(TreeParameters())
    device.request(device.clear(False, 0b111))
    return device


def bits(device):
    memory = device.backend.reference.memory()
    return [part.tolist() for part in (memory.used, *memory.nodes.values(), *memory.edges.values())]


def test_requests_are_answered_in_their_order():
    device = begun()
    device.send_in_tree_requests([device.select(4), device.select(2)])
    device.send_in_tree_requests([device.backup(4, 0.5, False, 0b101)])
    answers = device.receive_sim_requests()
    assert [(answer.worker, answer.status) for answer in answers] == [
        (4, Status.INSERTED),
        (2, Status.INSERTED),
        (4, Status.DONE),
    ]
    assert (answers[0].action, answers[1].action) == (0, 1)
    assert device.receive_sim_requests() == []
    assert device.load_kernel_parameters() == 0


@pytest.mark.parametrize(
    ("before", "name", "status", "words"),
    [
        (["select"], "select", Status.SELECTED_BEFORE, "Request select of worker 1 was refused: selected_before"),
        ([], "backup", Status.NOT_SELECTED, "Request backup of worker 1 was refused: not_selected"),
        (["select", "backup"], "backup", Status.NOT_SELECTED, "Request backup of worker 1 was refused: not_selected"),
        (["select"], "clear", Status.UNDER_WAY, "Request clear of worker 0 was refused: under_way"),
        ([], "advance", Status.NO_CHILD, "Request advance of worker 0 was refused: no_child"),
        ([], "unknown", Status.UNKNOWN_WORKER, "Request backup of worker 200 was refused: unknown_worker"),
    ],
)
def test_what_the_tree_refuses_is_an_error_and_changes_nothing(before, name, status, words):
    device = begun()
    requests = {
        "select": device.select(1),
        "backup": device.backup(1, 1.0, False, 0b111),
        "clear": device.clear(False, 0b001),
        "advance": device.advance(0),
        "unknown": device.backup(200, 1.0, False, 0b111),
    }
    device.request(*(requests[one] for one in before))
    tree = bits(device)
    with pytest.raises(SearchTreeError, match=words) as refused:
        device.request(requests[name])
    assert refused.value.status == status
    assert bits(device) == tree
    # It goes on.
    if "backup" not in before and "select" in before:
        device.request(requests["backup"])
    assert device.request(device.select(1))[0].status in (Status.INSERTED, Status.PENDING)


def test_without_a_clear_there_is_no_tree():
    device = MCTSDevice(open_tree("reference", CONFIG))
    with pytest.raises(SearchTreeError, match="no_tree"):
        device.request(device.select(0))


@pytest.mark.parametrize(
    ("reward", "words"),
    [
        (8.0, r"Reward must be in \[-8, 8\), not 8"),
        (-8.001, r"Reward must be in \[-8, 8\), not -8.001"),
        (7.99999, r"Reward must be in \[-8, 8\), not 7.99999"),
        (float("nan"), r"Reward must be in \[-8, 8\), not nan"),
        (float("inf"), r"Reward must be in \[-8, 8\), not inf"),
    ],
)
def test_rewards_out_of_range_are_refused(reward, words):
    with pytest.raises(ValueError, match=words):
        begun().backup(0, reward, False, 0b111)


def test_rewards_are_rounded_to_the_format():
    device = begun()
    for reward, total in ((-8.0, -(1 << 15)), (0.25, 1 << 10), (0.75 / 4096, 1), (7.9997, (1 << 15) - 1)):
        device.request(device.clear(False, 1))
        device.request(device.select(0), device.backup(0, reward, False, 1))
        assert device.backend.reference.memory().edges["total"].sum() == total


def test_a_state_without_actions_must_be_terminal():
    device = begun()
    with pytest.raises(ValueError, match="Legal actions must not be 0 unless the episode has ended"):
        device.backup(0, 0.0, False, 0)
    with pytest.raises(ValueError, match="Legal must be from 0 to 7, not 8"):
        device.clear(False, 8)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"exploration": 16.0}, r"Exploration must be in \[0, 16\), not 16"),
        ({"exploration": -0.5}, r"Exploration must be in \[0, 16\), not -0.5"),
        ({"virtual_loss": 1.0}, r"Virtual loss must be in \[0, 1\), not 1"),
        ({"first_value": 8.0}, r"First value must be in \[-8, 8\), not 8"),
    ],
)
def test_parameters_out_of_range_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        TreeParameters(**options)


def test_parameters_wait_for_answers():
    device = begun()
    device.send_in_tree_requests([device.select(0)])
    with pytest.raises(DeviceError, match="Parameters cannot change with 1 requests under way"):
        device.mcts_parameters(TreeParameters())


def test_a_closed_tree_answers_nothing():
    device = begun()
    request = device.select(0)
    with device:
        pass
    device.close()
    for job in (
        lambda: device.send_in_tree_requests([request]),
        device.receive_sim_requests,
        lambda: device.mcts_parameters(TreeParameters()),
    ):
        with pytest.raises(DeviceError, match="The search tree was closed"):
            job()


def test_an_answer_to_something_else_is_an_error():
    class Mixed(ReferenceTree):
        def receive(self, count):
            return super().receive(count)[::-1]

    device = MCTSDevice(Mixed(CONFIG))
    device.request(device.clear(False, 0b111))
    with pytest.raises(DeviceError, match="The answer to request select of worker 1 came with kind 0 and worker 3"):
        device.request(device.select(1), device.select(3))


def test_backends_there_are():
    assert open_tree("reference", CONFIG).receive(0) == []
    for where in ("paper", "sim", "uart"):
        with pytest.raises(ValueError, match=f"Backend must be reference, rtl, lockstep, uart.*, not '{where}'"):
            open_tree(where, CONFIG)
