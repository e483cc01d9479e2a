"""The search in plain Python: what it does in every other form, one statement after another."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...hw.cores.tree.config import SCORE_FRACTION, TreeConfig
from ..core.environments.board_environment import BoardEnvironment
from ..device.search_tree_numbers import fixed_reward
from ..reference.tree.requests import LARGEST_REWARD
from ..reference.tree.scores import ScoresReference
from .batch_evaluation import evaluate_fixed
from .position_evaluator import PositionEvaluator
from .search_config import SearchConfig
from .search_result import SearchResult
from .search_roots import Root, begin_roots, observed, simulations_of

__all__ = ["ReferenceSearch"]

# The policy is the only choice of the tree accelerator on which scores depend.
SCORES = TreeConfig(policy="puct_visits")


class _Node:
    """A node and its edges; it has priors once it is evaluated."""

    def __init__(self, actions: int):
        self.visits = 0
        self.evaluated = self.terminal = False
        self.state: Any = None
        # Rewards of the player to move at the root, from there to here.
        self.collected = 0.0
        # The same with what is expected from here on; None until it is evaluated.
        self.total: float | None = None
        self.legal = [False] * actions
        self.children: list[_Node | None] = [None] * actions
        self.edge_visits, self.totals, self.values, self.in_flight, self.priors, self.factors = (
            [0] * actions for _ in range(6)
        )


class _Tree:
    """A tree, and what is under way in it."""

    def __init__(self, root: Root, actions: int):
        self.root = _Node(actions)
        self.nodes = self.evaluations = 1
        self.about = root
        self.selections: list[tuple[list[tuple[_Node, int]], _Node]] = []
        self.left = 0


class ReferenceSearch:
    """A :class:`.TreeSearch` in plain Python, for games of any number of actions.

    Parameters
    ----------
    environment : BoardEnvironment
        A game of two players who take turns. It has a copy of its own.
    evaluator : PositionEvaluator
        It stays open.
    config : SearchConfig
    """

    def __init__(self, environment: BoardEnvironment, evaluator: PositionEvaluator, config: SearchConfig):
        self.config = config
        self._environment, self._evaluator = copy.deepcopy(environment), evaluator
        self._scores = ScoresReference(SCORES)
        constants = config.parameters.registers()
        self._loss, self._first_value = constants["loss"], constants["first_value"]
        self._explorations = self._scores.explorations(constants["exploration"])
        self._counts = {"searches": 0, "batches": 0, "positions": 0}

    def search(
        self,
        states: Sequence[Any],
        noise: Sequence[NDArray[np.float64]] | None = None,
        simulations: int | None = None,
    ) -> list[SearchResult]:
        """Search positions; as of :class:`.TreeSearch`."""
        count = simulations_of(self.config, simulations)
        roots = begin_roots(self._environment, self._evaluator, states, noise, self.config.noise_fraction)
        self._count(len(roots))
        trees = [self._begin(root, count) for root in roots]
        while any(tree.left for tree in trees):
            for tree in trees:
                for _ in range(min(self.config.workers, tree.left)):
                    tree.selections.append(self._select(tree))
                tree.left -= len(tree.selections)
            self._evaluate(trees)
            for tree in trees:
                for path, node in tree.selections:
                    assert node.total is not None
                    self._back_up(path, node.total)
                tree.selections.clear()
        self._counts["searches"] += len(trees)
        return [self._result(tree) for tree in trees]

    def _begin(self, root: Root, simulations: int) -> _Tree:
        tree = _Tree(root, self._environment.actions)
        tree.left = simulations
        tree.root.state, tree.root.total = root.state, root.value
        self._take_priors(tree.root, root.priors, root.legal)
        return tree

    def _select(self, tree: _Tree) -> tuple[list[tuple[_Node, int]], _Node]:
        """Descend from the root: the edges of the path, and the node at its end, new if there was none."""
        path: list[tuple[_Node, int]] = []
        node = tree.root
        while node.evaluated and not node.terminal and len(path) < self.config.levels - 1:
            action = self._choose(node)
            node.in_flight[action] += 1
            path.append((node, action))
            child = node.children[action]
            if child is None:
                child = node.children[action] = self._expand(tree, node, action, len(path))
            node = child
        return path, node

    def _choose(self, node: _Node) -> int:
        """The action of the greatest score, of equal ones the first."""
        exploration, best, greatest = self._explorations[node.visits], -1, 0
        for action, legal in enumerate(node.legal):
            if legal:
                value = node.values[action] if node.edge_visits[action] else self._first_value
                score = value + (exploration * node.factors[action] >> SCORE_FRACTION)
                score -= self._loss * node.in_flight[action]
                if best < 0 or score > greatest:
                    best, greatest = action, score
        return best

    def _expand(self, tree: _Tree, parent: _Node, action: int, level: int) -> _Node:
        """The node that an action leads to; where the game ends there, nothing is left to evaluate."""
        node = _Node(self._environment.actions)
        tree.nodes += 1
        self._environment.restore(parent.state)
        reward, node.terminal = self._environment.step(action)
        node.collected = parent.collected + (reward if level % 2 else -reward)
        node.state = self._environment.save()
        if node.terminal:
            node.evaluated, node.total = True, node.collected
        return node

    def _evaluate(self, trees: list[_Tree]) -> None:
        """One batch of all that is new."""
        batch: list[tuple[_Node, int]] = []
        asked = set()
        for tree in trees:
            for path, node in tree.selections:
                if node.total is None and id(node) not in asked:
                    asked.add(id(node))
                    batch.append((node, len(path)))
                    tree.evaluations += 1
        if not batch:
            return
        planes, legal = observed(self._environment, [node.state for node, _ in batch])
        fixed, values = evaluate_fixed(self._evaluator, planes, legal)
        self._count(len(batch))
        for (node, level), own, allowed, value in zip(batch, fixed, legal, values, strict=True):
            node.total = node.collected + (-float(value) if level % 2 else float(value))
            self._take_priors(node, own, allowed)

    def _take_priors(self, node: _Node, priors: NDArray[np.int64], legal: NDArray[np.bool_]) -> None:
        node.evaluated, node.legal, node.priors = True, legal.tolist(), priors.tolist()
        node.factors = [self._scores.factor(prior, 0) for prior in node.priors]

    def _back_up(self, path: list[tuple[_Node, int]], collected: float) -> None:
        """A sum of rewards, as the root's player has it, over all edges of a path."""
        reward = fixed_reward(collected)
        of_level = reward, min(-reward, LARGEST_REWARD)
        for level, (node, action) in enumerate(path):
            node.visits += 1
            node.in_flight[action] -= 1
            node.edge_visits[action] = visits = node.edge_visits[action] + 1
            node.totals[action] = total = node.totals[action] + of_level[level % 2]
            node.values[action] = self._scores.value(total, visits)
            node.factors[action] = self._scores.factor(node.priors[action], visits)

    def _result(self, tree: _Tree) -> SearchResult:
        root = tree.root
        return SearchResult(
            visits=np.array(root.edge_visits, np.int64),
            totals=np.array(root.totals, np.int64),
            priors=tree.about.priors,
            value=tree.about.value,
            legal=tree.about.legal,
            nodes=tree.nodes,
            evaluations=tree.evaluations,
        )

    def _count(self, positions: int) -> None:
        self._counts["batches"] += 1
        self._counts["positions"] += positions

    def forget_evaluations(self) -> None:
        """None is remembered."""

    def counters(self) -> dict[str, int]:
        """Searches, batches of the evaluator, positions in them."""
        return dict(self._counts)

    def close(self) -> None:
        """Nothing is held."""
