"""The whole search tree: one request after another."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....hw.cores.checks import require_integer
from ....hw.cores.tree.config import (
    COEFFICIENT_WIDTH,
    LOSS_WIDTH,
    SCORE_FRACTION,
    VALUE_WIDTH,
    VISIT_WIDTH,
    TreeConfig,
)
from ....hw.cores.tree.requests import RequestKind, Status
from .bank_assignment import BankAssignmentReference
from .requests import LARGEST_REWARD, Answer, Request, check_arguments
from .scores import ScoresReference

__all__ = ["SearchTreeReference", "TreeMemory"]

MOST_SELECTIONS = (1 << VISIT_WIDTH) - 1
# Range of each constant, both ends included.
CONSTANTS = {
    "exploration": (0, (1 << COEFFICIENT_WIDTH) - 1),
    "loss": (0, (1 << LOSS_WIDTH) - 1),
    "first_value": (-1 << VALUE_WIDTH - 1, (1 << VALUE_WIDTH - 1) - 1),
    "alternate": (0, 1),
    "most_selections": (1, MOST_SELECTIONS),
}
# Numbers of a node, and of each of its edges; edges have a prior only in PUCT.
NODE_PARTS = ("visits", "evaluated", "terminal", "legal")
EDGE_PARTS = ("visits", "total", "value", "factor", "prior", "in_flight", "child", "bank", "row")


@dataclass(frozen=True, kw_only=True)
class TreeMemory:
    """Contents of the banks.

    Parameters
    ----------
    used : array of bool
        ``[bank, row]``: whether a node lies there.
    nodes : dict of str to array of int64
        Fields that are kept of a node, by name, ``[bank, row]``; 0 where no node lies.
    edges : dict of str to array of int64
        Fields that are kept of an edge, by name, ``[bank, row, action]``; ``bank`` and ``row`` are 0 without a child.
    """

    used: np.ndarray
    nodes: dict[str, np.ndarray]
    edges: dict[str, np.ndarray]


class _Node:
    """A node and its edges, as numbers and lists."""

    __slots__ = (
        "actions", "child", "evaluated", "factor", "in_flight", "legal", "number", "prior", "terminal", "total",
        "value", "visits", "edge_visits",
    )  # fmt: skip

    def __init__(self, number: int, fanout: int, prior: int, factor: int):
        self.number = number
        self.visits = self.evaluated = self.terminal = self.legal = 0
        self.actions = [0] * fanout
        self.edge_visits, self.total, self.value, self.in_flight = ([0] * fanout for _ in range(4))
        self.prior, self.factor = [prior] * fanout, [factor] * fanout
        self.child: list[_Node | None] = [None] * fanout

    def evaluate(self, terminal: bool, legal: int) -> None:
        self.evaluated, self.terminal, self.legal = 1, int(terminal), legal
        self.actions = [legal >> action & 1 for action in range(len(self.child))]


@dataclass
class _Level:
    """A stage's state of the rows of its level: numbers of nodes."""

    stage: int
    next_row: int = 0
    rows_left: int = 0
    reserve: int | None = None
    has_nodes: bool = False


@dataclass
class _Selection:
    """A worker's path, and the node at its end, if it ends in one."""

    path: list[tuple[_Node, int]] = field(default_factory=list)
    end: _Node | None = None


class SearchTreeReference:
    """Answers requests as the search engine does; docs/mcts.md describes it.

    ``select``, ``backup``, ``prior``, ``clear`` and ``advance`` are the requests; each returns its :class:`.Answer`.
    ``answer`` and ``apply`` take them as values. How a request travels to a device is not known here.

    Parameters
    ----------
    config : TreeConfig
    exploration : int
        c, 12 fraction bits (0 to 65 535).
    loss : int
        Subtracted from an edge's score for each selection under way, 16 fraction bits (0 to 65 535).
    first_value : int
        Value of an edge before its first visit, 16 fraction bits, 20 bits with the sign.
    alternate : bool
        Whether rewards count negative on edges that leave odd levels.
    most_selections : int
        Selections between two clears at most (1 to 65 535).

    Raises
    ------
    TypeError, ValueError
        A constant that is no integer, or out of its range; of a request, a number out of its range, or a node
        without actions that is not terminal.
    """

    def __init__(
        self,
        config: TreeConfig,
        *,
        exploration: int = 0,
        loss: int = 0,
        first_value: int = 0,
        alternate: bool = False,
        most_selections: int = MOST_SELECTIONS,
    ):
        constants = {
            "exploration": exploration,
            "loss": loss,
            "first_value": first_value,
            "alternate": int(alternate),
            "most_selections": most_selections,
        }
        for name, value in constants.items():
            require_integer(name.replace("_", " ").capitalize(), value, *CONSTANTS[name])
        self.most_selections = most_selections
        self.config = config
        self.exploration, self.loss = exploration, loss
        self.first_value, self.alternate = first_value, bool(alternate)
        self._scores = ScoresReference(config)
        self._explorations = self._scores.explorations(exploration)
        self._first_prior = (1 << SCORE_FRACTION) // config.fanout
        self._first_factor = self._scores.factor(self._first_prior, 0)
        self._assignment = BankAssignmentReference(config)
        self._selections: dict[int, _Selection] = {}
        self._nodes: dict[int, _Node] = {}
        self._root: _Node | None = None
        self._levels: list[_Level] = []
        self._inserted = self._selected = 0

    @property
    def root(self) -> int | None:
        """Number of the root, None before the first clear."""
        return None if self._root is None else self._root.number

    @property
    def nodes(self) -> int:
        """Nodes since the last clear, the root and those that an advance left behind included."""
        return self._inserted

    def apply(self, requests: Iterable[Request]) -> list[Answer]:
        """The answers to requests, one after another."""
        return [self.answer(request) for request in requests]

    def answer(self, request: Request) -> Answer:
        """The answer to a request, which is done."""
        worker = request.worker
        match request.kind:
            case RequestKind.SELECT:
                return self.select(worker)
            case RequestKind.BACKUP:
                return self.backup(worker, request.reward, legal=request.legal, terminal=request.terminal)
            case RequestKind.PRIOR:
                return self.prior(worker, request.group, request.even_prior, request.odd_prior)
            case RequestKind.CLEAR:
                return self.clear(legal=request.legal, terminal=request.terminal, worker=worker)
            case RequestKind.ADVANCE:
                return self.advance(request.action, worker=worker)
        return Answer(kind=request.kind, worker=worker, status=Status.UNKNOWN_KIND)

    def select(self, worker: int) -> Answer:
        """Descend from the root."""
        kind = RequestKind.SELECT
        error = self._error(worker)
        if error is None and worker in self._selections:
            error = Status.SELECTED_BEFORE
        elif error is None and self._selected == self.most_selections:
            error = Status.VISIT_LIMIT
        if error is not None:
            return Answer(kind=kind, worker=worker, status=error)
        self._selected += 1
        self._selections[worker] = selection = _Selection()
        path = selection.path
        status, selection.end = self._descend(path)
        parent, action = path[-1] if path else (None, 0)
        return Answer(
            kind=kind,
            worker=worker,
            status=status,
            level=len(path),
            action=action,
            parent=0 if parent is None else parent.number,
            node=0 if selection.end is None else selection.end.number,
        )

    def backup(self, worker: int, reward: int, *, legal: int, terminal: bool = False) -> Answer:
        """End a worker's selection with its reward, 12 fraction bits, and what its node turned out to be."""
        check_arguments(self.config, reward=reward, legal=legal)
        if not legal and not terminal:
            raise ValueError("A node that is not terminal must have a legal action")
        kind = RequestKind.BACKUP
        error = self._error_of_selected(worker)
        if error is not None:
            return Answer(kind=kind, worker=worker, status=error)
        selection = self._selections.pop(worker)
        rewards = (reward, min(-reward, LARGEST_REWARD) if self.alternate else reward)
        value_of, factor_of = self._scores.value, self._scores.factor
        for level, (node, action) in enumerate(selection.path):
            node.visits += 1
            node.in_flight[action] -= 1
            node.edge_visits[action] = visits = node.edge_visits[action] + 1
            node.total[action] = total = node.total[action] + rewards[level & 1]
            node.value[action] = value_of(total, visits)
            node.factor[action] = factor_of(node.prior[action], visits)
        if selection.end is not None and not selection.end.evaluated:
            selection.end.evaluate(terminal, legal)
        return Answer(kind=kind, worker=worker, status=Status.DONE)

    def prior(self, worker: int, group: int, even_prior: int, odd_prior: int) -> Answer:
        """Priors, 16 fraction bits, of two actions of the pending node at the end of a worker's selection."""
        kind = RequestKind.PRIOR
        check_arguments(self.config, group=group, even_prior=even_prior, odd_prior=odd_prior)
        if self.config.policy == "uct":
            return Answer(kind=kind, worker=worker, status=Status.UNKNOWN_KIND)
        error = self._error_of_selected(worker)
        if error is not None:
            return Answer(kind=kind, worker=worker, status=error)
        node = self._selections[worker].end
        if node is not None and not node.evaluated:
            for action, prior in enumerate((even_prior, odd_prior), start=2 * group):
                if action < self.config.fanout:
                    node.prior[action] = prior
                    node.factor[action] = self._scores.factor(prior, 0)
        return Answer(kind=kind, worker=worker, status=Status.DONE)

    def clear(self, *, legal: int, terminal: bool = False, worker: int = 0) -> Answer:
        """Begin a new tree. Its root is evaluated, or pending if it is not terminal and ``legal`` is 0."""
        check_arguments(self.config, legal=legal)
        kind = RequestKind.CLEAR
        error = self._error(worker, needs_tree=False)
        if error is None and self._selections:
            error = Status.UNDER_WAY
        if error is not None:
            return Answer(kind=kind, worker=worker, status=error)
        self._assignment.clear()
        self._nodes.clear()
        self._levels = [_Level(stage) for stage in range(self.config.levels)]
        self._inserted = self._selected = 0
        self._assign(0)
        self._root = self._new_node(0)
        if terminal or legal:
            self._root.evaluate(terminal, legal)
        self._assign(1)
        return Answer(kind=kind, worker=worker, status=Status.DONE, node=self._root.number)

    def advance(self, action: int, *, worker: int = 0) -> Answer:
        """Make a child of the root the root."""
        kind = RequestKind.ADVANCE
        check_arguments(self.config, action=action)
        error = self._error(worker)
        if error is None and self._selections:
            error = Status.UNDER_WAY
        child = self._root_after(action) if error is None else None
        if child is None:
            return Answer(kind=kind, worker=worker, status=Status.NO_CHILD if error is None else error)
        return Answer(kind=kind, worker=worker, status=Status.DONE, node=self._move_root(child))

    def memory(self) -> TreeMemory:
        """All banks."""
        shape = (self.config.banks, self.config.rows)
        used = np.zeros(shape, bool)
        nodes = {name: np.zeros(shape, np.int64) for name in NODE_PARTS}
        parts = [name for name in EDGE_PARTS if name != "prior" or self.config.policy != "uct"]
        edges = {name: np.zeros((*shape, self.config.fanout), np.int64) for name in parts}
        for number, node in self._nodes.items():
            place = divmod(number, self.config.rows)
            used[place] = True
            for name in nodes:
                nodes[name][place] = getattr(node, name)
            child_numbers = [0 if child is None else child.number for child in node.child]
            derived: dict[str, Any] = {
                "visits": node.edge_visits,
                "child": [child is not None for child in node.child],
                "bank": [child // self.config.rows for child in child_numbers],
                "row": [child % self.config.rows for child in child_numbers],
            }
            for name in edges:
                edges[name][place] = derived[name] if name in derived else getattr(node, name)
        return TreeMemory(used=used, nodes=nodes, edges=edges)

    def _error(self, worker: int, needs_tree: bool = True) -> Status | None:
        check_arguments(self.config, worker=worker)
        if worker >= self.config.workers:
            return Status.UNKNOWN_WORKER
        return Status.NO_TREE if needs_tree and self._root is None else None

    def _error_of_selected(self, worker: int) -> Status | None:
        error = self._error(worker)
        return Status.NOT_SELECTED if error is None and worker not in self._selections else error

    def _descend(self, path: list[tuple[_Node, int]]) -> tuple[Status, _Node | None]:
        """Make a worker's path from the root on; how it ends, and the node at its end or None."""
        node = self._root
        assert node is not None
        while node.evaluated and not node.terminal and len(path) < self.config.levels - 1:
            action = self._choose(node)
            node.in_flight[action] += 1
            path.append((node, action))
            if node.child[action] is None:
                child = node.child[action] = self._insert(len(path))
                return Status.FULL if child is None else Status.INSERTED, child
            node = node.child[action]
            assert node is not None
        if not node.evaluated:
            return Status.PENDING, node
        return Status.TERMINAL if node.terminal else Status.HEIGHT_LIMIT, node

    def _root_after(self, action: int) -> _Node | None:
        """The root's child, if it can be the root."""
        assert self._root is not None
        child = self._root.child[action] if action < self.config.fanout else None
        return None if child is None or not child.evaluated or child.terminal else child

    def _move_root(self, child: _Node) -> int:
        """Make a child of the root the root; its number."""
        self._root = child
        left = self._levels.pop(0)
        for bank in self._assignment.release(left.stage):
            for number in range(bank * self.config.rows, (bank + 1) * self.config.rows):
                self._nodes.pop(number, None)
        self._levels.append(_Level(left.stage))
        if self._levels[-2].has_nodes:
            self._assign(self.config.levels - 1)
        return child.number

    def _choose(self, node: _Node) -> int:
        """The action of the greatest score, of equal ones the first."""
        scores = self._scores.scores(
            node.actions,
            node.edge_visits,
            node.value,
            node.factor,
            node.in_flight,
            exploration=self._explorations[node.visits],
            loss=self.loss,
            first_value=self.first_value,
        )
        return scores.index(max(scores))

    def _insert(self, index: int) -> _Node | None:
        """A new node on level ``index``, or None: the tree or the level is full."""
        level = self._levels[index]
        if self._inserted == self.config.nodes:
            return None
        if not level.rows_left:
            if level.reserve is None:
                return None
            level.next_row, level.rows_left, level.reserve = level.reserve, self.config.block, None
        is_first = not level.has_nodes
        node = self._new_node(index)
        if is_first and index + 1 < self.config.levels:
            self._assign(index + 1)
        if level.rows_left == self.config.grant_threshold and level.reserve is None:
            level.reserve = self._assignment.assign(level.stage)
        return node

    def _new_node(self, index: int) -> _Node:
        level = self._levels[index]
        node = _Node(level.next_row, self.config.fanout, self._first_prior, self._first_factor)
        level.next_row, level.rows_left, level.has_nodes = level.next_row + 1, level.rows_left - 1, True
        self._nodes[node.number] = node
        self._inserted += 1
        return node

    def _assign(self, index: int) -> None:
        """Give a level without rows its current block, if there is one."""
        level = self._levels[index]
        block = self._assignment.assign(level.stage)
        if block is not None:
            level.next_row, level.rows_left = block, self.config.block
