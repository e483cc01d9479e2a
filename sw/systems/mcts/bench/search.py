"""Tree search in software: the speeds that the search engine is held against."""

import ctypes
import functools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ....device.host_library import load_host_library
from ....measurement.bench import comparison_library, drawn_from

__all__ = ["NODE_KINDS", "UCTSearch", "mctx_speed", "openspiel_speed", "uct_speed"]

# Searches of which the fastest counts, by the processor's time: what else the machine does only slows.
WINDOWS = 300
LIBRARY_WINDOWS = 5
CLOCK = "processor seconds, the fastest search"
SEED = 1
EXPLORATION = 1.0
MCTX_BATCH = 32
# A tree of 10 000 nodes takes mctx minutes.
MCTX_SIMULATIONS = (32, 100, 1000)
ROLLOUTS = (1, 3)
MEGABYTES = 1000

# Flags for the compiler, and what is computed. No flag changes a result but by rounding once where `*` and `+` meet.
NODE_KINDS = {
    "plain": (("-O3", "-march=native"), "scores by their formula, from counts and sums"),
    "scored": (
        ("-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math"),
        "means and roots of counts kept, logarithms from a table",
    ),
}


class UCTSearch:
    """UCT in C++ on one thread, in double precision; the tree's nodes are numbered as they are inserted.

    A simulation begins at the root, takes the child of the greatest score (one without a visit before every other, of
    equal ones the first), inserts one node if there is room, and adds a reward, a hash of its last edge, to all edges
    on the way.

    Parameters
    ----------
    kind : str
        One of :data:`NODE_KINDS`.
    fanout : int
        F, children of a node.
    levels : int
        D, levels of nodes, the root's included.
    nodes : int
        X, most nodes.
    simulations : int
        Most simulations of a search.
    exploration : float
        c of the score.

    Raises
    ------
    BuildError
        The compiler refused.
    """

    def __init__(
        self, kind: str, *, fanout: int, levels: int, nodes: int, simulations: int, exploration: float = EXPLORATION
    ):
        self.fanout = fanout
        self._library = _load(kind, fanout)
        self._tree = ctypes.c_void_p(self._library.make_tree(nodes, levels, simulations, exploration))

    def search(self, simulations: int, seed: int) -> int:
        """A new tree after some simulations; the sum of the lengths of their paths."""
        return self._library.search(self._tree, simulations, seed)

    @property
    def nodes(self) -> int:
        """Number of nodes in the tree, the root included."""
        return self._library.count_nodes(self._tree)

    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Visits of each edge, and the number of the child or -1: int64, ``[node, action]``."""
        visits, children = (np.empty((self.nodes, self.fanout), np.uint32) for _ in range(2))
        self._library.read_edges(self._tree, visits.ctypes.data, children.ctypes.data)
        return visits.astype(np.int64), children.view(np.int32).astype(np.int64)

    def close(self) -> None:
        """Give the tree back."""
        self._library.free_tree(self._tree)
        self._tree = ctypes.c_void_p()


def uct_speed(kind: str, *, fanout: int, levels: int, nodes: int) -> dict[str, Any]:
    """In-tree operations per second until a tree is full by :class:`UCTSearch`: selections, insertions and backups."""
    simulations = nodes - 1
    tree = UCTSearch(kind, fanout=fanout, levels=levels, nodes=nodes, simulations=simulations)
    best, depth = 0.0, 0.0
    try:
        first = drawn_from(0)
        for seed in range(first, first + WINDOWS):
            start = time.process_time()
            edges = tree.search(simulations, seed)
            seconds = time.process_time() - start
            speed = (2 * simulations + tree.nodes - 1) / seconds
            if speed > best:
                best, depth = speed, edges / simulations
    finally:
        tree.close()
    flags, computed = NODE_KINDS[kind]
    how = (
        f"C++, one thread, {' '.join(flags)}, double precision, {computed}; F = {fanout}, D = {levels}, a tree of "
        f"{nodes} nodes from the root on, paths of {depth:.1f} edges on average, rewards by a hash (included); "
        f"selections, insertions and backups; {CLOCK} of {WINDOWS}"
    )
    return {"value": best, "how": how}


def mctx_speed(*, fanout: int, levels: int) -> dict[str, Any]:
    """Simulations a second of mctx, a batch of trees at once, with a network that costs nothing."""
    speeds = {count: _mctx_speed(fanout, levels, count) for count in MCTX_SIMULATIONS}
    each = ", ".join(f"{speed:.0f}/s with {count}" for count, speed in speeds.items())
    how = (
        f"mctx.muzero_policy, compiled by XLA, float32, {MCTX_BATCH} trees at once; F = {fanout}, at most {levels - 1} "
        f"edges; PUCT, uniform priors, values by a hash, no noise; includes choosing, inserting and backup, compiling "
        f"not; a simulation costs the more the larger the tree: {each} simulations a tree; {CLOCK}"
    )
    return {"value": speeds[max(speeds)], "how": how}


def _mctx_speed(fanout: int, levels: int, simulations: int) -> float:
    mctx, jax, jnp = (comparison_library(name) for name in ("mctx", "jax", "jax.numpy"))
    uniform = jnp.zeros((MCTX_BATCH, fanout))

    def hashed(value: Any) -> Any:
        value = (value ^ value >> 16) * jnp.uint32(0x7FEB352D)
        value = (value ^ value >> 15) * jnp.uint32(0x846CA68B)
        return value ^ value >> 16

    def step(_parameters: Any, _key: Any, action: Any, state: Any) -> tuple[Any, Any]:
        state = hashed(state * jnp.uint32(fanout) + action.astype(jnp.uint32) + 1)
        value = state.astype(jnp.float32) / 2.0**31 - 1
        nothing, undiscounted = jnp.zeros(MCTX_BATCH), jnp.ones(MCTX_BATCH)
        output = mctx.RecurrentFnOutput(reward=nothing, discount=undiscounted, prior_logits=uniform, value=value)
        return output, state

    @jax.jit
    def search(key: Any, states: Any) -> Any:
        root = mctx.RootFnOutput(prior_logits=uniform, value=jnp.zeros(MCTX_BATCH), embedding=states)
        found = mctx.muzero_policy((), key, root, step, simulations, max_depth=levels - 1, dirichlet_fraction=0.0)
        return found.action_weights

    with jax.default_device(jax.devices("cpu")[0]):
        states, key = jnp.arange(MCTX_BATCH, dtype=jnp.uint32), jax.random.PRNGKey(drawn_from(SEED))
        search(key, states).block_until_ready()
        seconds = _fastest(lambda: search(key, states).block_until_ready())
    return MCTX_BATCH * simulations / seconds


def openspiel_speed(*, nodes: int) -> dict[str, Any]:
    """Simulations a second of OpenSpiel's bot, rollouts included, in a game with six actions."""
    pyspiel = comparison_library("pyspiel")
    game = pyspiel.load_game("mancala")

    def search(rollouts: int) -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(rollouts, drawn_from(SEED))
        bot = pyspiel.MCTSBot(game, evaluator, EXPLORATION, nodes, MEGABYTES, False, drawn_from(SEED), False)
        bot.step(game.new_initial_state())

    few, many = (1e6 * _fastest(functools.partial(search, rollouts)) / nodes for rollouts in ROLLOUTS)
    rollout = (many - few) / (ROLLOUTS[1] - ROLLOUTS[0])
    how = (
        f"pyspiel.MCTSBot (C++, one thread, double precision), mancala (6 actions), UCT, {nodes} simulations a search; "
        "includes choosing, inserting all children of a node at once, backup, playing the moves of the path on a copy "
        f"of the position, and a random rollout: about {rollout:.1f} us of {few:.1f}, as the difference of "
        f"{ROLLOUTS[0]} and {ROLLOUTS[1]} rollouts tells; {CLOCK}"
    )
    return {"value": 1e6 / few, "how": how}


def _fastest(run: Callable[[], Any]) -> float:
    """Seconds of the fastest of several runs, as the processor counts them."""
    found = []
    for _ in range(LIBRARY_WINDOWS):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


@functools.cache
def _load(kind: str, fanout: int) -> Any:
    """The library, compiled once for a kind of node, a fanout and a processor."""
    flags = [*NODE_KINDS[kind][0], f"-DFANOUT={fanout}", f"-DKEEPS_SCORES={int(kind == 'scored')}"]
    tree, word, count = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64
    signatures = {
        "make_tree": (tree, word, word, count, ctypes.c_double),
        "free_tree": (None, tree),
        "search": (count, tree, count, count),
        "count_nodes": (word, tree),
        "read_edges": (None, tree, ctypes.c_void_p, ctypes.c_void_p),
    }
    return load_host_library(Path(__file__).with_name("uct_search.cpp"), flags, signatures, "the search in C++")
