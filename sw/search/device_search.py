"""The search whose tree is the tree accelerator's."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...hw.cores.tree.requests import Status
from ..core.environments.board_environment import BoardEnvironment
from ..core.environments.legal_actions import action_bits
from ..device.search_tree import MCTSDevice
from ..device.search_tree_numbers import fixed_reward
from ..reference.tree.requests import Answer, Request
from .batch_evaluation import evaluate_fixed
from .position_evaluator import PositionEvaluator
from .search_config import SearchConfig
from .search_result import SearchResult
from .search_roots import Root, begin_roots, observed, simulations_of
from .tree_of_search import require_tree
from .tree_search import SearchError

__all__ = ["DeviceSearch"]


@dataclass(eq=False, slots=True)
class _Node:
    """A node as the host knows it.

    ``first`` is the root's action above it, ``collected`` the rewards from the root to it as the root's player has
    them, ``total`` the same with what is expected from here on, once that is known.
    """

    state: Any
    level: int
    first: int
    collected: float = 0.0
    terminal: bool = False
    legal: int = 0
    priors: tuple[int, ...] = ()
    total: float | None = None


class DeviceSearch:
    """A :class:`.TreeSearch` whose selections, insertions and backups are the tree accelerator's.

    The tree is on the NumPy reference, in the simulator or on a board. The host keeps the positions of its nodes, steps
    them, has them evaluated, and counts what goes over the root's edges. One position is searched after the other, as
    there is one tree. A round is one packet: priors and backups of the round before, then the selections.

    Parameters
    ----------
    environment : BoardEnvironment
        A game of two players who take turns. It has a copy of its own.
    evaluator : PositionEvaluator
        It stays open.
    config : SearchConfig
        As many ``levels`` as the tree has.
    device : MCTSDevice
        With policy ``"puct_visits"`` and a node for each simulation and the root (:func:`.roomy_tree` has one). It is
        closed with the search.

    Raises
    ------
    ValueError
        What :func:`.require_tree` refuses.
    DeviceError
        The device was closed, or has requests under way.
    """

    def __init__(
        self, environment: BoardEnvironment, evaluator: PositionEvaluator, config: SearchConfig, device: MCTSDevice
    ):
        require_tree(environment, config, device.config)
        self.config, self.device = config, device
        self._environment, self._evaluator = copy.deepcopy(environment), evaluator
        # Whether the tree has the parameters, and no selection without a backup.
        self._ready = False
        self._counts = {"searches": 0, "batches": 0, "positions": 0}

    def search(
        self,
        states: Sequence[Any],
        noise: Sequence[NDArray[np.float64]] | None = None,
        simulations: int | None = None,
    ) -> list[SearchResult]:
        """Search positions; as of :class:`.TreeSearch`.

        Raises
        ------
        ValueError
            Besides: more simulations than the tree has nodes left beside the root.
        SearchError
            Besides: the tree has no room for a node on its level.
        DeviceError
            The device failed, or was closed.
        """
        count = simulations_of(self.config, simulations)
        if count >= self.device.config.nodes:
            raise ValueError(
                f"Simulations must be fewer than the {self.device.config.nodes} nodes of the tree, not {count}"
            )
        roots = begin_roots(self._environment, self._evaluator, states, noise, self.config.noise_fraction)
        if roots:
            self._count(len(roots))
        return [self._search(root, count) for root in roots]

    def _search(self, root: Root, left: int) -> SearchResult:
        nodes, requests = self._begin(root)
        visits, totals = (np.zeros(self._environment.actions, np.int64) for _ in range(2))
        evaluations = 1
        while left:
            workers = range(min(self.config.workers, left))
            left -= len(workers)
            answers = self.device.request(*requests, *map(self.device.select, workers))[len(requests) :]
            ends = [self._end(nodes, answer) for answer in answers]
            evaluations += self._evaluate(ends)
            requests = []
            for worker, node in zip(workers, ends, strict=True):
                assert node.total is not None
                # Once they are written, others of the same node change nothing.
                requests += self.device.priors(worker, node.priors)
                requests.append(self.device.backup(worker, node.total, node.terminal, node.legal))
                node.priors = ()
                visits[node.first] += 1
                totals[node.first] += fixed_reward(node.total)
        self.device.request(*requests)
        self._ready = True
        self._counts["searches"] += 1
        return SearchResult(
            visits=visits,
            totals=totals,
            priors=root.priors,
            value=root.value,
            legal=root.legal,
            nodes=len(nodes),
            evaluations=evaluations,
        )

    def _begin(self, root: Root) -> tuple[dict[int, _Node], list[Request]]:
        """A new tree: its nodes by number, and the requests that evaluate its root, as it has a selection."""
        device = self.device
        if not self._ready:
            device.mcts_parameters(self.config.parameters)
        self._ready = False
        # A root takes priors as any other node, while it is pending.
        cleared, _ = device.request(device.clear(False, 0), device.select(0))
        legal = action_bits(root.legal)
        evaluate = [*device.priors(0, root.priors.tolist()), device.backup(0, 0.0, False, legal)]
        return {cleared.node: _Node(root.state, 0, 0, legal=legal, total=root.value)}, evaluate

    def _end(self, nodes: dict[int, _Node], answer: Answer) -> _Node:
        """The node in which a selection ended; a new one's position is stepped to."""
        if answer.status == Status.FULL:
            raise SearchError(
                f"The tree has no room for a node on level {answer.level} with {len(nodes)} of its "
                f"{self.device.config.nodes} nodes: more banks or rows are needed, or fewer simulations"
            )
        if answer.status != Status.INSERTED:
            return nodes[answer.node]
        parent = nodes[answer.parent]
        self._environment.restore(parent.state)
        reward, terminal = self._environment.step(answer.action)
        node = _Node(
            state=self._environment.save(),
            level=answer.level,
            first=parent.first if parent.level else answer.action,
            collected=parent.collected + (reward if answer.level % 2 else -reward),
            terminal=terminal,
        )
        if terminal:
            node.total = node.collected
        nodes[answer.node] = node
        return node

    def _evaluate(self, ends: list[_Node]) -> int:
        """One batch of all that is new; how many that are."""
        new = list(dict.fromkeys(node for node in ends if node.total is None))
        if new:
            planes, legal = observed(self._environment, [node.state for node in new])
            priors, values = evaluate_fixed(self._evaluator, planes, legal)
            self._count(len(new))
            for node, own, allowed, value in zip(new, priors, legal, values, strict=True):
                node.total = node.collected + (-float(value) if node.level % 2 else float(value))
                node.priors, node.legal = tuple(own.tolist()), action_bits(allowed)
        return len(new)

    def _count(self, positions: int) -> None:
        self._counts["batches"] += 1
        self._counts["positions"] += positions

    def forget_evaluations(self) -> None:
        """None is remembered."""

    def counters(self) -> dict[str, int]:
        """Searches, batches of the evaluator, positions in them; and what the device has counted.

        Raises
        ------
        DeviceError
            The device was closed.
        """
        return {**self._counts, **self.device.counters()}

    def close(self) -> None:
        """Give the device back."""
        self.device.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
