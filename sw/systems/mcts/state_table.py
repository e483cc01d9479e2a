"""The host's table of the tree: states of its nodes, and what went over its edges."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from ...actors.simulation import SimulationResult
from ...core.environments.legal_actions import action_list

__all__ = ["Node", "StateTable"]


@dataclass
class Node:
    """A node of the tree as the host knows it; pending until ``state`` is there.

    Parameters
    ----------
    number : int
        In the tree.
    parent : Node or None
        None: the root.
    action : int
        Taken in the parent.
    actions : int
        How many edges it has.
    player : int
        Player whose turn it is.
    state : object
        Saved by the environment.
    reward : float
        Reward of player 0, from the first root to here.
    terminal : bool
    legal : int

    Members
    -------
    evaluated : bool
        Whether a result has come.
    children : dict
        By action.
    visits, totals : list
        Backups over each edge, and the sum of their rewards as the player has them who moves here.
    """

    number: int
    parent: "Node | None"
    action: int
    actions: int
    player: int = 0
    state: Any = None
    reward: float = 0.0
    terminal: bool = False
    legal: int = 0
    evaluated: bool = False
    children: dict[int, "Node"] = field(default_factory=dict)
    visits: list[int] = field(init=False)
    totals: list[float] = field(init=False)

    def __post_init__(self) -> None:
        self.visits = [0] * self.actions
        self.totals = [0.0] * self.actions

    @property
    def values(self) -> tuple[float, ...]:
        """Mean reward over each edge; 0 where there was none."""
        return tuple(total / count if count else 0.0 for count, total in zip(self.visits, self.totals, strict=True))

    def best_action(self) -> int:
        """The most visited action; of equally visited ones that of the greatest value, of these the lowest."""
        values = self.values
        return max(action_list(self.legal), key=lambda action: (self.visits[action], values[action], -action))

    def evaluate(self, result: SimulationResult) -> None:
        """Take what a simulation found; another one's of the same node is the same."""
        if not self.evaluated:
            self.evaluated = True
            self.state, self.reward, self.terminal = result.state, result.reward, result.terminal
            self.legal, self.player = result.legal, result.player


class StateTable:
    """Nodes by their numbers.

    Parameters
    ----------
    root : Node
    """

    def __init__(self, root: Node):
        self.root = root
        self._nodes = {root.number: root}

    def __getitem__(self, number: int) -> Node:
        return self._nodes[number]

    def insert(self, number: int, parent: int, action: int) -> Node:
        """A new, pending node."""
        above = self._nodes[parent]
        node = Node(number, above, action, above.actions)
        self._nodes[number] = above.children[action] = node
        return node

    def back_up(self, parent: Node | None, action: int, total: float) -> None:
        """Count a reward of player 0 over an edge and all above it, up to the root."""
        node, over = parent, action
        while node is not None:
            node.visits[over] += 1
            node.totals[over] += -total if node.player else total
            over = node.action
            node = node.parent

    def advance(self, action: int) -> None:
        """The root's child becomes the root; what is not below it is forgotten."""
        self.root = self.root.children[action]
        self.root.parent = None
        self._nodes = {node.number: node for _, node in self.levels()}

    def levels(self) -> list[tuple[int, Node]]:
        """Every node with its level, level by level."""
        found = [(0, self.root)]
        for level, node in found:
            found.extend((level + 1, child) for child in node.children.values())
        return found

    def depths(self) -> list[int]:
        """How many nodes there are on each level."""
        counted = Counter(level for level, _ in self.levels())
        return [counted[level] for level in range(max(counted) + 1)]

    def fanouts(self) -> list[int]:
        """How many nodes with at least one child have so many; the first is of those with one."""
        counted = Counter(len(node.children) for _, node in self.levels())
        return [counted[children] for children in range(1, max(counted, default=0) + 1)]
