"""The search device against the reference: every answer, and the whole memory of the tree."""

import random
from itertools import islice, pairwise

import pytest

from rewardware.hw.cores.tree.requests import RequestKind, Status
from rewardware.hw.soc.bus.axi_top import AxiTop
from rewardware.hw.soc.devices import component_of
from rewardware.hw.soc.mcts.config import MCTSConfig
from rewardware.sim.verilator.netlist import Netlist
from rewardware.sim.verilator.partition import Partition, choose_blocks
from rewardware.sim.verilog.emitted import emitted
from rewardware.sw.device.errors import DeviceError
from rewardware.sw.device.search_tree import MCTSDevice, SearchTreeError
from rewardware.sw.device.search_tree_backends import DeviceTree, ReferenceTree
from rewardware.sw.reference.tree.requests import Request

from ....sw.reference.tree.stimulus import RandomRequests
from .run_requests import compare_memory, run_requests
from .workloads import REGISTERS

SHAPES = {
    "uct": {"fanout": 3, "levels": 5, "banks": 12, "rows": 8, "nodes": 70, "workers": 7, "slots": 3, "reserve": 2},
    "puct": {"fanout": 5, "levels": 3, "banks": 7, "rows": 16, "nodes": 90, "workers": 4, "slots": 4, "reserve": 4},
}


def config_of(policy):
    shape = SHAPES[policy]
    return MCTSConfig(policy=policy, group=3, flits=2, **shape)


@pytest.fixture(params=["uct", "puct"])
def trees(request):
    config = config_of(request.param)
    device, reference = DeviceTree(config, stall=0.2, seed=3), ReferenceTree(config)
    for tree in (device, reference):
        tree.write_registers(REGISTERS)
    yield device, reference
    device.close()


def random_requests(config, seed, count, **settings):
    return list(islice(RandomRequests(config, random.Random(seed), **settings), count))


def test_requests_leave_the_reference_s_tree(trees):
    device, reference = trees
    requests = random_requests(device.config, 5, 3000)
    for part in (requests[first:end] for first, end in pairwise([0, 1, 2, 40, 400, 3000])):
        for tree in trees:
            tree.send(part)
        assert device.receive(len(part)) == reference.receive(len(part))
    assert compare_memory(device, reference)


def refused(config):
    """Requests in an order in which each is an error, in a tree in which workers 0 and 1 have selections.

    With the status of each.
    """
    state = {"legal": 1}
    prior = {"group": 0, "even_prior": 1, "odd_prior": 2}
    unknown = Status.UNKNOWN_KIND if config.policy == "uct" else Status.NOT_SELECTED
    made = [
        # Backups of a worker whose selection has had its backup, one that never selected, and two that do not exist.
        (RequestKind.BACKUP, 2, {"reward": 4096, **state}, Status.NOT_SELECTED),
        (RequestKind.BACKUP, 3, {"reward": 4096, **state}, Status.NOT_SELECTED),
        (RequestKind.BACKUP, config.workers, {"reward": 4096, **state}, Status.UNKNOWN_WORKER),
        (RequestKind.BACKUP, 255, {"reward": 4096, **state}, Status.UNKNOWN_WORKER),
        (RequestKind.SELECT, 0, {}, Status.SELECTED_BEFORE),
        (RequestKind.SELECT, 255, {}, Status.UNKNOWN_WORKER),
        (RequestKind.PRIOR, 2, prior, unknown),
        (RequestKind.CLEAR, 0, state, Status.UNDER_WAY),
        (RequestKind.ADVANCE, 0, {"action": 0}, Status.UNDER_WAY),
    ]
    known = [(Request(kind=kind, worker=worker, **arguments), status) for kind, worker, arguments, status in made]
    return [*known, *((Request(kind=kind), Status.UNKNOWN_KIND) for kind in range(len(RequestKind), 8))]


def status_of(tree, *requests):
    tree.send(requests)
    return [answer.status for answer in tree.receive(len(requests))]


def test_what_is_refused_leaves_the_memory_as_it_was(trees):
    device, config = trees[0], trees[0].config
    clear = Request(kind=RequestKind.CLEAR, legal=(1 << config.fanout) - 1)
    select = [Request(kind=RequestKind.SELECT, worker=worker) for worker in range(3)]
    backup = [Request(kind=RequestKind.BACKUP, worker=worker, reward=-700, legal=0b101) for worker in range(3)]
    assert set(status_of(device, clear, *select, *backup, *select, backup[2])) <= {Status.INSERTED, Status.DONE}
    before = device.read_nodes()
    wrong = refused(config)
    for request, status in wrong:
        assert status_of(device, request) == [status]
        assert device.read_nodes() == before
    # They are also refused all at once, and then everything goes on.
    assert status_of(device, *(request for request, _ in wrong)) == [status for _, status in wrong]
    assert device.read_nodes() == before
    assert status_of(device, *backup[:2]) == [Status.DONE, Status.DONE]
    assert device.read_nodes() != before
    # Actions that there are not.
    before = device.read_nodes()
    for action in (config.fanout, 31):
        assert status_of(device, Request(kind=RequestKind.ADVANCE, action=action)) == [Status.NO_CHILD]
        assert device.read_nodes() == before
    # Without a tree nothing but a clear is taken.
    device.write_registers(REGISTERS)
    assert status_of(device, select[0], backup[0], Request(kind=RequestKind.ADVANCE)) == [Status.NO_TREE] * 3
    assert device.read_nodes() == before


def test_clears_and_advances_leave_the_reference_s_memory(trees):
    device, reference = trees
    config, done = device.config, 0
    clear = Request(kind=RequestKind.CLEAR, legal=(1 << config.fanout) - 1)
    advance = [Request(kind=RequestKind.ADVANCE, action=action) for action in range(config.fanout)]
    for seed in range(4):
        for last in (clear, *advance):
            requests = random_requests(config, seed, 150, wrong=0.0, restart=0.0, terminal=0.4)
            # The first one is a clear; what is under way is ended.
            ends = [
                Request(kind=RequestKind.BACKUP, worker=worker, reward=64 * seed, legal=0b111)
                for worker in range(config.workers)
            ]
            sent = [*requests, *ends, last]
            for tree in trees:
                tree.send(sent)
            answers, expected = (tree.receive(len(sent)) for tree in trees)
            assert answers == expected
            assert compare_memory(device, reference)
            done += expected[-1].status == Status.DONE
    # Each clear, and some of the advances: others are to a child that is terminal, or that there is not.
    assert 4 < done < 4 * (1 + config.fanout)


def test_the_driver_of_a_device_refuses_what_that_of_the_reference_does(trees):
    tree = trees[0]
    device = MCTSDevice(tree)
    device.request(device.clear(False, 0b11), device.select(1))
    before = tree.read_nodes()
    with pytest.raises(ValueError, match=r"Reward must be in \[-8, 8\), not 8.5"):
        device.backup(1, 8.5, False, 0b11)
    with pytest.raises(SearchTreeError, match="Request backup of worker 0 was refused: not_selected"):
        device.request(device.backup(0, 1.0, False, 0b11))
    assert tree.read_nodes() == before
    backup = device.backup(1, 1.0, False, 0b11)
    device.close()
    with pytest.raises(DeviceError, match="The search tree was closed"):
        device.request(backup)


@pytest.mark.parametrize("trees", ["uct"], indirect=True)
def test_visit_limit(trees):
    """After 65 535 selections none is taken, until a clear. They end at once: the root is terminal.

    The entrance counts them, which knows no policy.
    """
    config = trees[0].config
    turn = [
        request
        for worker in range(config.workers)
        for request in (
            Request(kind=RequestKind.SELECT, worker=worker),
            Request(kind=RequestKind.BACKUP, worker=worker, reward=1, terminal=True),
        )
    ]
    clear = Request(kind=RequestKind.CLEAR, terminal=True)
    requests = [clear, *(turn * (65536 // config.workers + 1))[: 2 * 65536], clear, *turn]
    for tree in trees:
        tree.send(requests)
    answers, expected = (tree.receive(len(requests)) for tree in trees)
    assert answers == expected
    statuses = [answer.status for answer in expected[2 * 65535 + 1 :]]
    end = [Status.DONE, *[Status.TERMINAL, Status.DONE] * config.workers]
    assert statuses == [Status.VISIT_LIMIT, Status.NOT_SELECTED, *end]


def test_stages_and_banks_are_blocks_of_the_simulator():
    """An output that waits for one more set of inputs would make no difference but to its speed, which halves."""
    text = emitted(AxiTop(component_of(config_of("uct"))), "mcts_axi")
    chosen = choose_blocks(Netlist(text, "mcts_axi"), Partition())
    assert {"mcts_axi_level_stage", "mcts_axi_bank"} <= set(chosen)


@pytest.mark.parametrize(
    ("kind", "end"),
    [
        ("random", "inserted"),
        ("recorded", "inserted"),
        ("one_path", "height_limit"),
        ("height_limit", "height_limit"),
        ("full_tree", "full"),
        ("full_banks", "full"),
    ],
)
def test_kinds_of_requests(kind, end):
    """A small version of what `run_requests` does with whole presets."""
    ends, nodes = run_requests(kind, config_of("uct"), 1500, game="CartPole-v1", simulations=250)
    assert ends[RequestKind.SELECT, end] > 20 and ends.total() >= 1500 and nodes
    if kind == "random":
        assert all(ends[request, "done"] > 3 for request in (RequestKind.CLEAR, RequestKind.ADVANCE))
