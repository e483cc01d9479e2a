"""Corners of the tree: limits, errors, advance, where nodes go, requests as values."""

import numpy as np
import pytest

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.hw.cores.tree.requests import RequestKind, Status
from rewardware.sw.reference.tree.requests import Answer, Request
from rewardware.sw.reference.tree.search_tree import SearchTreeReference
from tests.sw.reference.tree.oracle import by_actions

SMALL = TreeConfig(fanout=2, levels=3, banks=3, rows=2, nodes=6, workers=4, group=2, reserve=1)


def small_config(**settings):
    defaults = {"fanout": 3, "levels": 4, "banks": 16, "rows": 4, "nodes": 64, "workers": 8, "group": 2, "reserve": 1}
    return TreeConfig(**(defaults | settings))


def new_tree(config, **constants):
    tree = SearchTreeReference(config, **constants)
    tree.clear(legal=(1 << config.fanout) - 1)
    return tree


def simulate(tree, reward=0, worker=0, terminal=False):
    """A selection and its backup, with all actions legal."""
    answer = tree.select(worker)
    legal = 0 if terminal else (1 << tree.config.fanout) - 1
    assert tree.backup(worker, reward, legal=legal, terminal=terminal).status == Status.DONE
    return answer


def assert_same(left, right):
    np.testing.assert_array_equal(left.used, right.used)
    for ours, theirs in ((left.nodes, right.nodes), (left.edges, right.edges)):
        for name, array in ours.items():
            np.testing.assert_array_equal(array, theirs[name], err_msg=name)


def select_answer(status, level, action, parent, node, worker=0):
    return Answer(
        kind=RequestKind.SELECT, worker=worker, status=status, level=level, action=action, parent=parent, node=node
    )


def test_every_number_of_a_small_tree():
    """By hand: three banks of two rows, one for each level, and the last one dry.

    Bank 2 goes to level 0, the last of three without conflicts. Bank 0 shares a wire with it in layer 0 for level 1,
    bank 1 does not. Level 2 gets what is left.
    """
    tree = SearchTreeReference(SMALL, loss=1 << 15)
    assert tree.clear(legal=3).node == 4
    assert simulate(tree) == select_answer(Status.INSERTED, 1, 0, 4, 2)
    assert simulate(tree) == select_answer(Status.INSERTED, 1, 1, 4, 3)
    assert simulate(tree) == select_answer(Status.INSERTED, 2, 0, 2, 0)
    assert simulate(tree, 4096) == select_answer(Status.INSERTED, 2, 1, 2, 1)
    assert simulate(tree) == select_answer(Status.HEIGHT_LIMIT, 2, 1, 2, 1)
    assert simulate(tree, -4096) == select_answer(Status.HEIGHT_LIMIT, 2, 1, 2, 1)
    memory = tree.memory()
    assert memory.used.all() is np.False_ and memory.used.sum() == 5
    assert memory.nodes["visits"].tolist() == [[0, 0], [4, 0], [6, 0]]
    assert memory.edges["visits"][1, 0].tolist() == [1, 3] and memory.edges["total"][1, 0].tolist() == [0, 0]


def test_full_edges():
    """No bank for a third node of the last level: the edge is answered, gets its backups, and asks again."""
    tree = new_tree(SMALL, loss=1 << 15)
    for _ in range(4):
        simulate(tree)
    tree.select(1)
    # The node that worker 1 has chosen is out of favour.
    assert tree.select(2) == select_answer(Status.FULL, 2, 0, 3, 0, worker=2)
    assert by_actions(tree)[(1,)]["edges"]["in_flight"] == [1, 0]
    assert tree.backup(2, 4096, legal=3).status == Status.DONE
    edges = by_actions(tree)[(1,)]["edges"]
    assert (edges["in_flight"], edges["visits"], edges["child"]) == ([0, 0], [1, 0], [0, 0])
    assert tree.select(2) == select_answer(Status.FULL, 2, 1, 3, 0, worker=2)
    assert tree.nodes == 5


def test_full_tree():
    tree = new_tree(small_config(nodes=5))
    for _ in range(4):
        assert simulate(tree).status == Status.INSERTED
    answer = simulate(tree, 4096)
    assert (answer.status, answer.level, answer.node, tree.nodes) == (Status.FULL, 2, 0, 5)
    assert by_actions(tree)[()]["edges"]["total"] == [4096, 0, 0]


def test_pending_nodes_are_shared():
    """More workers than children: the ones that come later end in a node whose simulation is under way."""
    tree = new_tree(small_config(), loss=1 << 15)
    answers = [tree.select(worker) for worker in range(8)]
    assert [answer.status for answer in answers] == [Status.INSERTED] * 3 + [Status.PENDING] * 5
    assert [answer.action for answer in answers] == [0, 1, 2, 0, 1, 2, 0, 1]
    assert answers[3].node == answers[0].node
    # The first backup evaluates the node, the second finds it evaluated.
    tree.backup(3, 100, legal=2)
    tree.backup(0, 50, legal=5)
    node = by_actions(tree)[(0,)]
    assert (node["evaluated"], node["legal"]) == (1, 2)
    edges = by_actions(tree)[()]["edges"]
    assert (edges["total"], edges["visits"], edges["in_flight"]) == ([150, 0, 0], [2, 0, 0], [1, 3, 2])


def test_terminal_nodes():
    tree = new_tree(small_config(fanout=2))
    first = simulate(tree, 4096, terminal=True)
    simulate(tree, 0)
    assert simulate(tree, 4096) == select_answer(Status.TERMINAL, 1, 0, tree.root, first.node)
    assert tree.advance(0).status == Status.NO_CHILD and tree.advance(1).status == Status.DONE


def test_terminal_root_and_visit_limit():
    tree = SearchTreeReference(small_config())
    root = tree.clear(legal=0, terminal=True).node
    for _ in range((1 << 16) - 1):
        assert tree.select(3).status == Status.TERMINAL
        tree.backup(3, 5, legal=0, terminal=True)
    before = tree.memory()
    assert tree.select(3).status == Status.VISIT_LIMIT
    assert tree.backup(3, 5, legal=1).status == Status.NOT_SELECTED
    assert_same(before, tree.memory())
    assert tree.root == root and before.nodes["visits"].sum() == 0
    tree.clear(legal=1)
    assert tree.select(3) == select_answer(Status.INSERTED, 1, 0, root, tree.select(4).node, worker=3)


@pytest.mark.parametrize("alternate", [False, True])
def test_largest_counts(alternate):
    """All rewards at their limits, as often as can be: nothing overflows."""
    config = small_config(levels=3)
    tree = SearchTreeReference(config, alternate=alternate)
    tree.clear(legal=1)
    for _ in range((1 << 16) - 1):
        tree.select(0)
        tree.backup(0, -32768, legal=4)
    nodes = by_actions(tree)
    assert nodes[()]["visits"] == 65535 and nodes[()]["edges"]["visits"] == [65535, 0, 0]
    assert nodes[()]["edges"]["total"] == [-32768 * 65535, 0, 0] and nodes[()]["edges"]["value"][0] == -(1 << 19)
    # -R of the least reward is the greatest.
    reward = 32767 if alternate else -32768
    assert nodes[(0,)]["edges"]["total"] == [0, 0, reward * 65534]
    assert nodes[(0,)]["edges"]["value"][2] == 16 * reward


def test_errors():
    tree = SearchTreeReference(small_config())
    assert tree.root is None
    for status, request in (
        (Status.NO_TREE, lambda: tree.select(0)),
        (Status.NO_TREE, lambda: tree.backup(0, 0, legal=1)),
        (Status.NO_TREE, lambda: tree.advance(0)),
        (Status.UNKNOWN_WORKER, lambda: tree.clear(legal=1, worker=8)),
        (Status.UNKNOWN_KIND, lambda: tree.prior(0, 0, 1, 1)),
    ):
        assert request().status == status
    tree.clear(legal=7)
    tree.select(7)
    before = tree.memory()
    for status, request in (
        (Status.UNKNOWN_WORKER, lambda: tree.select(8)),
        (Status.UNKNOWN_WORKER, lambda: tree.backup(255, 0, legal=1)),
        (Status.SELECTED_BEFORE, lambda: tree.select(7)),
        (Status.NOT_SELECTED, lambda: tree.backup(0, 0, legal=1)),
        (Status.UNDER_WAY, lambda: tree.advance(5)),
        (Status.UNDER_WAY, lambda: tree.clear(legal=7)),
    ):
        assert request().status == status
        assert_same(before, tree.memory())
    tree.backup(7, 1, legal=7)
    assert tree.advance(1).status == tree.advance(31).status == Status.NO_CHILD
    puct = SearchTreeReference(small_config(policy="puct"))
    assert puct.prior(0, 0, 0, 0).status == Status.NO_TREE
    puct.clear(legal=7)
    assert puct.prior(0, 0, 0, 0).status == Status.NOT_SELECTED


def test_pending_root_gets_priors():
    tree = SearchTreeReference(small_config(policy="puct"), exploration=4096)
    root = tree.clear(legal=0).node
    answers = [tree.select(worker) for worker in (0, 1)]
    assert [(answer.status, answer.level, answer.node) for answer in answers] == [(Status.PENDING, 0, root)] * 2
    tree.prior(0, 0, 7, 65535)
    tree.backup(0, 0, legal=7)
    # The other worker's state of the same node changes nothing any more.
    tree.backup(1, 4096, legal=1)
    assert by_actions(tree)[()]["edges"]["prior"] == [7, 65535, 65536 // 3]
    assert tree.select(0).status == Status.INSERTED
    tree.backup(0, 0, legal=7)
    tree.clear(legal=0, terminal=True)
    assert tree.select(0).status == Status.TERMINAL


def test_priors():
    """They are of the pending node at the end of the selection, of actions that exist, and of PUCT alone."""
    tree = new_tree(small_config(policy="puct_root"), exploration=4096)
    assert by_actions(tree)[()]["edges"]["prior"] == [65536 // 3] * 3
    tree.select(0)
    assert tree.prior(0, 1, 40000, 50000).status == Status.DONE
    assert tree.prior(0, 0, 65535, 1).status == Status.DONE
    assert tree.prior(0, 15, 3, 3).status == Status.DONE
    edges = by_actions(tree)[(0,)]["edges"]
    assert edges["prior"] == edges["factor"] == [65535, 1, 40000]
    tree.backup(0, 4096, legal=6)
    # Nothing is explored before the first visit of a node: then the greatest prior of a legal action decides.
    for action in (1, 2):
        answer = tree.select(0)
        assert (answer.level, answer.action) == (2, action)
        tree.backup(0, 0, legal=7)
    # A node that the other worker has evaluated keeps its priors.
    assert [tree.select(worker).status for worker in (0, 1)] == [Status.INSERTED, Status.PENDING]
    tree.backup(0, 0, legal=7)
    before = tree.memory()
    assert tree.prior(1, 0, 1, 1).status == Status.DONE
    assert_same(before, tree.memory())


@pytest.mark.parametrize(("policy", "actions"), [("puct_root", [0, 1]), ("puct_visits", [1, 2])])
def test_first_selection_below_a_node(policy, actions):
    """Priors decide it with ``puct_visits``, nothing does with ``puct_root``."""
    tree = SearchTreeReference(small_config(policy=policy), exploration=4096)
    tree.clear(legal=0)
    tree.select(0)
    tree.prior(0, 0, 10000, 30000)
    tree.prior(0, 1, 25536, 0)
    tree.backup(0, 0, legal=7)
    # With ``puct_visits`` the second is by 1.41 * 25 536 over -16 384 + 1.41 * 15 000.
    assert [simulate(tree, reward=reward).action for reward in (-1024, 0)] == actions


def test_next_empty_shares_banks():
    config = small_config(bank_assignment="next_empty", levels=5, rows=64, banks=5, nodes=320)
    tree = new_tree(config)
    assert tree.root == 0
    numbers = [simulate(tree).node for _ in range(60)]
    places = {node["number"]: len(place) for place, node in by_actions(tree).items()}
    # Blocks of 16 rows: a level's first is asked for with the first node above.
    assert numbers[:4] == [16, 17, 18, 32]
    assert {number // 16: places[number] for number in places if number < 64} == {0: 0, 1: 1, 2: 2, 3: 3}


@pytest.mark.parametrize(
    ("reserve", "third_level", "second_block"),
    [
        # The first level's second block is asked for when three rows are left: with its fifth node, before the first
        # node of the second level asks for the third.
        (3, 32, 24),
        # The other way round: after it.
        (1, 24, 32),
        # With the first node of the level, after the block of the level below.
        (7, 32, 24),
        # The same: a block has no more rows than that.
        (16, 32, 24),
    ],
)
def test_order_of_blocks(reserve, third_level, second_block):
    config = TreeConfig(
        fanout=12, levels=4, banks=8, rows=16, nodes=64, policy="puct", bank_assignment="next_empty", reserve=reserve
    )
    # Without exploration, one is at the first child with a reward that is not negative, or at one without visits.
    tree = new_tree(config)
    assert [simulate(tree, -1).node for _ in range(5)] == [8, 9, 10, 11, 12]
    assert [simulate(tree, 4096).node for _ in range(3)] == [13, 16, third_level]
    # The way down is closed again.
    simulate(tree, -32768)
    assert [simulate(tree, -1).node for _ in range(3)] == [14, 15, second_block]


@pytest.mark.parametrize("bank_assignment", ["algorithm2", "next_empty"])
def test_levels_and_banks(bank_assignment):
    config = small_config(fanout=4, levels=8, rows=8, banks=40, nodes=320, bank_assignment=bank_assignment)
    tree = new_tree(config, exploration=3000)
    for count in range(400):
        simulate(tree, (count * 37) % 4096)
    levels = {}
    for place, node in by_actions(tree).items():
        levels.setdefault(node["number"] // config.rows, set()).add(len(place))
    shared = any(len(found) > 1 for found in levels.values())
    assert shared == (bank_assignment == "next_empty") and len(levels) >= 20


def test_clear_begins_anew():
    config = small_config()
    tree = new_tree(config)
    for _ in range(30):
        simulate(tree, 99)
    tree.advance(0)
    tree.clear(legal=5)
    fresh = SearchTreeReference(config)
    fresh.clear(legal=5)
    for _ in range(20):
        assert simulate(tree, 7) == simulate(fresh, 7)
    assert_same(tree.memory(), fresh.memory())


@pytest.mark.parametrize("bank_assignment", ["algorithm2", "next_empty"])
@pytest.mark.parametrize("levels", [2, 3, 5])
def test_advance(levels, bank_assignment):
    """The child's tree stays as it is, counted from there; what lies on the old root's level is free again."""
    config = small_config(levels=levels, bank_assignment=bank_assignment, banks=32, nodes=128)
    tree = new_tree(config, exploration=4096)
    for _ in range(4):
        for _ in range(12):
            simulate(tree, 1000)
        before, root = by_actions(tree), tree.root
        answer = tree.advance(2)
        assert (answer.status, answer.node) == (Status.DONE, before[(2,)]["number"])
        after = by_actions(tree)
        assert after == {place[1:]: node for place, node in before.items() if place[:1] == (2,)}
        used = tree.memory().used
        assert used.flat[root] == (bank_assignment == "next_empty")
        assert used.flat[tree.root]
    # The last level has been given rows again.
    assert max(len(place) for place in by_actions(tree)) <= levels - 2
    for _ in range(60):
        simulate(tree, 1000)
    assert max(len(place) for place in by_actions(tree)) == levels - 1


def test_advance_gives_banks_back():
    """With banks for one tree only, a hundred moves of the root never lack one for the levels that they free."""
    config = TreeConfig(fanout=2, levels=2, banks=2, rows=4, nodes=8, workers=1, group=2, reserve=1)
    tree = new_tree(config)
    for _ in range(3):
        assert simulate(tree).status == Status.INSERTED
        simulate(tree)
        assert tree.advance(0).status == Status.DONE
    # Eight nodes since the clear, those left behind included.
    assert simulate(tree).status == Status.INSERTED
    assert tree.nodes == 8 and simulate(tree).status == Status.FULL
    assert tree.memory().used.sum() == 3


@pytest.mark.parametrize(
    ("request_", "kind", "text"),
    [
        (lambda tree: tree.backup(0, 32768, legal=1), ValueError, "Reward must be from -32768 to 32767, not 32768"),
        (lambda tree: tree.backup(0, 0.5, legal=1), TypeError, "Reward must be an integer, not 0.5"),
        (lambda tree: tree.backup(0, 0, legal=8), ValueError, "Legal must be from 0 to 7, not 8"),
        (lambda tree: tree.backup(0, 0, legal=0), ValueError, "A node that is not terminal must have a legal action"),
        (lambda tree: tree.clear(legal=8), ValueError, "Legal must be from 0 to 7, not 8"),
        (lambda tree: tree.select(256), ValueError, "Worker must be from 0 to 255, not 256"),
        (lambda tree: tree.select(-1), ValueError, "Worker must be from 0 to 255, not -1"),
        (lambda tree: tree.advance(32), ValueError, "Action must be from 0 to 31, not 32"),
        (lambda tree: tree.prior(0, 16, 0, 0), ValueError, "Group must be from 0 to 15, not 16"),
        (lambda tree: tree.prior(0, 0, 65536, 0), ValueError, "Even prior must be from 0 to 65535, not 65536"),
    ],
)
def test_refuses(request_, kind, text):
    tree = new_tree(small_config(policy="puct"))
    tree.select(0)
    before = tree.memory()
    with pytest.raises(kind, match=f"^{text}$"):
        request_(tree)
    assert_same(before, tree.memory())


@pytest.mark.parametrize(
    ("constants", "text"),
    [
        ({"exploration": 65536}, "Exploration must be from 0 to 65535, not 65536"),
        ({"loss": -1}, "Loss must be from 0 to 65535, not -1"),
        ({"first_value": 1 << 19}, "First value must be from -524288 to 524287, not 524288"),
        ({"alternate": 2}, "Alternate must be from 0 to 1, not 2"),
        ({"most_selections": 0}, "Most selections must be from 1 to 65535, not 0"),
    ],
)
def test_refuses_constants(constants, text):
    with pytest.raises(ValueError, match=f"^{text}$"):
        SearchTreeReference(SMALL, **constants)


def test_requests_are_the_methods():
    config = small_config(policy="puct")
    kinds, tree, other = RequestKind, SearchTreeReference(config), SearchTreeReference(config)
    requests = [
        Request(kind=kinds.SELECT, worker=3),
        Request(kind=kinds.CLEAR, worker=2, legal=6),
        Request(kind=kinds.SELECT, worker=3),
        Request(kind=kinds.PRIOR, worker=3, group=1, even_prior=9, odd_prior=8),
        Request(kind=kinds.BACKUP, worker=3, reward=-5, legal=1),
        Request(kind=kinds.ADVANCE, worker=7, action=1),
        Request(kind=6, worker=9),
        Request(kind=7, worker=255),
        Request(kind=kinds.CLEAR, terminal=True),
        Request(kind=kinds.SELECT),
        Request(kind=kinds.BACKUP, terminal=True),
    ]
    expected = [
        other.select(3),
        other.clear(legal=6, worker=2),
        other.select(3),
        other.prior(3, 1, 9, 8),
        other.backup(3, -5, legal=1),
        other.advance(1, worker=7),
        Answer(kind=6, worker=9, status=Status.UNKNOWN_KIND),
        Answer(kind=7, worker=255, status=Status.UNKNOWN_KIND),
        other.clear(legal=0, terminal=True),
        other.select(0),
        other.backup(0, 0, legal=0, terminal=True),
    ]
    assert tree.apply(requests) == expected
    assert expected[5].status == Status.DONE and expected[9].status == Status.TERMINAL
    assert_same(tree.memory(), other.memory())


def test_request_without_actions_is_refused():
    tree = new_tree(small_config())
    with pytest.raises(ValueError, match="^A node that is not terminal must have a legal action$"):
        tree.apply([Request(kind=RequestKind.BACKUP)])


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ({"kind": RequestKind.SELECT, "worker": 256}, "Worker must be from 0 to 255, not 256"),
        ({"kind": RequestKind.BACKUP, "reward": -32769}, "Reward must be from -32768 to 32767, not -32769"),
        ({"kind": RequestKind.BACKUP, "legal": 8}, "Legal must be from 0 to 7, not 8"),
        ({"kind": RequestKind.PRIOR, "odd_prior": -1}, "Odd prior must be from 0 to 65535, not -1"),
        ({"kind": RequestKind.CLEAR, "legal": -1}, "Legal must be from 0 to 7, not -1"),
        ({"kind": RequestKind.ADVANCE, "action": 32}, "Action must be from 0 to 31, not 32"),
    ],
)
def test_requests_out_of_range_are_found(numbers, text):
    with pytest.raises(ValueError, match=f"^{text}$"):
        Request(**numbers).check(small_config())
