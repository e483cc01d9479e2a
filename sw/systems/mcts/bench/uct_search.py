"""UCT in plain Python on one thread: what a master thread without hardware does, as the source's baselines do it."""

import math
import random
import time
from typing import Any

from ....measurement.bench import drawn_from

__all__ = ["PythonSearch", "python_seconds"]

SEED = 1


class PythonSearch:
    """A tree as lists, a node's children by its number; scores by their formula, in double precision.

    A simulation begins at the root, takes the child of the greatest score (one without a visit before every other, of
    equal ones the first), inserts one node if there is room, and adds a reward to all edges on the way.

    Parameters
    ----------
    fanout : int
        F, children of a node.
    levels : int
        D, levels of nodes, the root's included.
    nodes : int
        X, most nodes.
    exploration : float
        c of the score.
    """

    def __init__(self, *, fanout: int, levels: int, nodes: int, exploration: float = 1.0):
        self.fanout = fanout
        self.levels = levels
        self.limit = nodes
        self.exploration = exploration
        self.children: list[list[int]] = []
        self.visits: list[list[int]] = []
        self.totals: list[list[float]] = []
        self.counts: list[int] = []
        self._insert()

    def _insert(self) -> int:
        self.children.append([-1] * self.fanout)
        self.visits.append([0] * self.fanout)
        self.totals.append([0.0] * self.fanout)
        self.counts.append(0)
        return len(self.counts) - 1

    def select(self) -> list[tuple[int, int]]:
        """The edges of a path, as node and action; the node that it ends in is new if there is room."""
        path: list[tuple[int, int]] = []
        node = 0
        while node >= 0 and len(path) < self.levels - 1:
            action = self._choose(node)
            path.append((node, action))
            child = self.children[node][action]
            if child < 0 and len(self.counts) < self.limit:
                self.children[node][action] = self._insert()
            node = child
        return path

    def _choose(self, node: int) -> int:
        visits = self.visits[node]
        if 0 in visits:
            return visits.index(0)
        logarithm = math.log(self.counts[node])
        scores = [
            total / count + self.exploration * math.sqrt(logarithm / count)
            for total, count in zip(self.totals[node], visits, strict=True)
        ]
        return scores.index(max(scores))

    def back_up(self, path: list[tuple[int, int]], reward: float) -> None:
        """Add a reward to the edges of a path."""
        for node, action in path:
            self.counts[node] += 1
            self.visits[node][action] += 1
            self.totals[node][action] += reward


def python_seconds(*, fanout: int, levels: int, nodes: int) -> float:
    """Processor's seconds of one selection with its insertion and its backup, the mean until a tree is full."""
    tree = PythonSearch(fanout=fanout, levels=levels, nodes=nodes)
    rewards: Any = random.Random(drawn_from(SEED))
    drawn = [rewards.uniform(-1, 1) for _ in range(nodes - 1)]
    started = time.process_time()
    for reward in drawn:
        tree.back_up(tree.select(), reward)
    return (time.process_time() - started) / len(drawn)
