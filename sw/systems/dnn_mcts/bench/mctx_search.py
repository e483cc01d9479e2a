"""mctx's search of gomoku with our network in JAX, compiled: a peer whose playouts a second are counted beside ours."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from ....measurement.bench import comparison_library, drawn_from

__all__ = ["mctx_search"]

SEED = 1
LINE = 5


def mctx_search(network: Any, size: int, *, simulations: int, exploration: float, trees: int) -> Callable[[], Any]:
    """A search of the empty board in new trees at each call, after one that compiles it.

    Parameters
    ----------
    network : PolicyValueNetwork
        A network of three planes and a board of ``size`` rows and columns.
    size : int
    simulations : int
        Simulations of each tree.
    exploration : float
        c of PUCT.
    trees : int
        Searched side by side.

    Raises
    ------
    ValueError
        mctx is missing; how to install it.
    """
    mctx, jax, jnp = (comparison_library(name) for name in ("mctx", "jax", "jax.numpy"))
    infer = _inference(network)
    lines = _lines(size)

    def look(stones: Any, player: Any) -> tuple[Any, Any]:
        """Logits of legal actions and values of positions: (trees, 2, size, size), own stones first."""
        turn = jnp.broadcast_to((player == 0)[:, None, None, None], (trees, 1, size, size))
        scores, values = infer(jnp.concatenate([stones, turn.astype(stones.dtype)], axis=1))
        taken = stones.sum(axis=1).reshape(trees, -1) > 0
        return jnp.where(taken, -jnp.inf, scores), values

    def step(_parameters: Any, _key: Any, action: Any, state: Any) -> tuple[Any, Any]:
        stones, player, ended = state
        own = stones[:, 0] + jax.nn.one_hot(action, size * size).reshape(trees, size, size)
        won = (own.reshape(trees, -1) @ lines >= LINE).any(axis=1) & ~ended
        turned = jnp.stack([stones[:, 1], own], axis=1)
        over = ended | won | (turned.sum(axis=(1, 2, 3)) >= size * size)
        logits, values = look(turned, 1 - player)
        output = mctx.RecurrentFnOutput(
            reward=won.astype(jnp.float32),
            discount=jnp.where(over, 0.0, -1.0),
            prior_logits=jnp.where(over[:, None], 0.0, logits),
            value=jnp.where(over, 0.0, values),
        )
        return output, (turned, 1 - player, over)

    @jax.jit
    def run(key: Any, stones: Any) -> Any:
        player, ended = jnp.zeros(trees, jnp.int32), jnp.zeros(trees, bool)
        logits, values = look(stones, player)
        root = mctx.RootFnOutput(prior_logits=logits, value=values, embedding=(stones, player, ended))
        found = mctx.muzero_policy(
            (), key, root, step, simulations, dirichlet_fraction=0.0, pb_c_init=exploration, qtransform=_unscaled
        )
        return found.action_weights

    def search() -> Any:
        with jax.default_device(jax.devices("cpu")[0]):
            # As an argument, else the compiler evaluates the network itself.
            empty = jnp.zeros((trees, 2, size, size))
            return run(jax.random.PRNGKey(drawn_from(SEED)), empty).block_until_ready()

    search()
    return search


def _unscaled(tree: Any, node: Any) -> Any:
    """Values as they are, those of edges without a visit 0."""
    return tree.qvalues(node)


def _lines(size: int) -> Any:
    """A column for each row of five cells, with ones at its cells."""
    found = []
    for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for y, x in itertools.product(range(size), repeat=2):
            cells = [(y + up * step, x + right * step) for step in range(LINE)]
            if all(0 <= row < size and 0 <= column < size for row, column in cells):
                line = np.zeros((size, size), np.float32)
                line[tuple(np.transpose(cells))] = 1
                found.append(line.ravel())
    return np.stack(found, axis=1)


def _inference(network: Any) -> Callable[[Any], tuple[Any, Any]]:
    """The network in JAX: planes; scores and values."""
    jax, jnp = comparison_library("jax"), comparison_library("jax.numpy")
    weights = {name: jnp.asarray(value.detach().numpy()) for name, value in network.named_parameters()}

    def convolution(name: str, planes: Any) -> Any:
        """By products of matrices: XLA's convolution is many times slower on a processor, in a loop."""
        kernel = weights[f"{name}.weight"]
        length = kernel.shape[2]
        rows, columns = planes.shape[2:]
        padded = jnp.pad(planes, ((0, 0), (0, 0), *[(length // 2, length // 2)] * 2))
        patches = [
            padded[:, :, up : up + rows, right : right + columns] for up in range(length) for right in range(length)
        ]
        found = jnp.einsum("kbcyx,ock->boyx", jnp.stack(patches), kernel.reshape(*kernel.shape[:2], -1))
        return jax.nn.relu(found + weights[f"{name}.bias"][:, None, None])

    def linear(name: str, values: Any) -> Any:
        return values @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def infer(planes: Any) -> tuple[Any, Any]:
        for name in ("convolution1", "convolution2", "convolution3"):
            planes = convolution(name, planes)
        policy = convolution("policy_convolution", planes).reshape(len(planes), -1)
        value = convolution("value_convolution", planes).reshape(len(planes), -1)
        hidden = jax.nn.relu(linear("value_hidden", value))
        return linear("policy", policy), jnp.tanh(linear("value", hidden))[:, 0]

    return infer
