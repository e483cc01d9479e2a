"""Attention of agents to each other, forward and backward, on values (:mod:`..float.host`)."""

from typing import NamedTuple

import numpy as np

from ....hw.cores.attention.config import AttentionConfig
from ..arrays import ValueArray
from .products import product
from .softmax import softmax, softmax_derivative

__all__ = ["AttentionErrors", "attend", "attend_backward", "transposed"]


class AttentionErrors(NamedTuple):
    """Errors at what attention takes, each in its shape."""

    queries: ValueArray
    keys: ValueArray
    values: ValueArray


def attend(
    config: AttentionConfig, queries: ValueArray, keys: ValueArray, values: ValueArray
) -> tuple[ValueArray, ValueArray]:
    """``(messages, weights)`` of experiences.

    Parameters
    ----------
    config : AttentionConfig
    queries, keys : array (batch, agents, heads, key_size)
    values : array (batch, agents, heads, value_size)

    Returns
    -------
    messages : array (batch, agents, heads, value_size)
    weights : array (batch, agents, heads, agents - 1)
    """
    weights = softmax(config, product(config.scores, queries, keys))
    return product(config.messages, weights, values), weights


def attend_backward(
    config: AttentionConfig,
    queries: ValueArray,
    keys: ValueArray,
    values: ValueArray,
    weights: ValueArray,
    errors: ValueArray,
) -> AttentionErrors:
    """Errors at queries, keys and values of errors at the messages; ``weights`` are those of :func:`attend`."""
    value_scores = config.product("scores", config.value_size)
    key_sums, value_sums = config.product("sums", config.key_size), config.product("sums", config.value_size)
    score_errors = softmax_derivative(config, weights, product(value_scores, errors, values))
    return AttentionErrors(
        queries=product(key_sums, score_errors, keys),
        keys=product(key_sums, transposed(score_errors), queries),
        values=product(value_sums, transposed(weights), errors),
    )


def transposed(numbers: ValueArray) -> ValueArray:
    """Values of agents for each other, ``(batch, agents, heads, agents - 1)``, by the other agent.

    >>> transposed(np.array([[[[1, 2]], [[3, 4]], [[5, 6]]]])).ravel().tolist()
    [3, 5, 1, 6, 2, 4]
    """
    batch, agents, heads, _ = numbers.shape
    whole = np.zeros((batch, heads, agents, agents), numbers.dtype)
    aside = ~np.eye(agents, dtype=bool)
    whole[:, :, aside] = numbers.transpose(0, 2, 1, 3).reshape(batch, heads, -1)
    columns = whole.transpose(0, 1, 3, 2)[:, :, aside].reshape(batch, heads, agents, agents - 1)
    return columns.transpose(0, 2, 1, 3)
