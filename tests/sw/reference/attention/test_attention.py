"""Attention against PyTorch: its derivatives by autograd in double precision, masks in place of indexes."""

import numpy as np
import pytest
import torch

from rewardware.hw.cores.attention.config import AttentionConfig
from rewardware.sw.reference.attention.attention import attend, attend_backward, transposed
from rewardware.sw.reference.attention.products import others
from rewardware.sw.reference.attention.softmax import softmax

SIZES = [(2, 1, 8, 8), (3, 2, 5, 7), (4, 4, 32, 32), (8, 3, 6, 4)]


def drawn(rng, config, batch=5):
    shape = batch, config.agents, config.heads
    sizes = config.key_size, config.key_size, config.value_size, config.value_size
    return [rng.normal(0, 1, (*shape, size)).astype(np.float32) for size in sizes]


def oracle(config, *tables):
    """Messages, weights as a whole matrix, and errors at queries, keys, values by autograd, all in double precision."""
    wide = [torch.tensor(table, dtype=torch.float64, requires_grad=True) for table in tables[:3]]
    queries, keys, values = (table.transpose(1, 2) for table in wide)
    scores = queries @ keys.transpose(-1, -2) / config.key_size**0.5
    scores = scores.masked_fill(torch.eye(config.agents, dtype=torch.bool), -torch.inf)
    weights = scores.softmax(-1)
    messages = (weights @ values).transpose(1, 2)
    messages.backward(torch.tensor(tables[3], dtype=torch.float64))
    return messages.detach().numpy(), weights.detach().numpy(), [table.grad.numpy() for table in wide]


@pytest.mark.parametrize(("agents", "heads", "key_size", "value_size"), SIZES)
def test_forward_and_backward_are_pytorchs(agents, heads, key_size, value_size):
    config = AttentionConfig(agents=agents, heads=heads, key_size=key_size, value_size=value_size)
    tables = drawn(np.random.default_rng(agents), config)
    messages, weights = attend(config, *tables[:3])
    expected, matrix, errors = oracle(config, *tables)
    assert np.abs(messages - expected).max() < 3e-6
    for agent in range(agents):
        assert np.abs(weights[:, agent] - np.delete(matrix[:, :, agent], agent, axis=-1)).max() < 1e-6
    got = attend_backward(config, *tables[:3], weights, tables[3])
    for name, table, wide in zip(got._fields, got, errors, strict=True):
        assert np.abs(table - wide).max() < 2e-5, name


def test_equal_scores_weigh_alike():
    config = AttentionConfig(agents=5, heads=1, key_size=4, value_size=1)
    for score in (0.0, -0.0, 1e38, -1e38):
        assert np.abs(softmax(config, np.full((1, 4), score, np.float32)) - 0.25).max() < 1e-7


def test_scores_that_would_overflow_exp():
    """Only differences count: e**1000 would be infinite; a score of infinity, and NaN, make NaN of all weights."""
    config = AttentionConfig(agents=4, heads=1, key_size=1, value_size=1)
    assert softmax(config, np.array([1000, 999, -1000], np.float32)).round(4).tolist() == [
        np.float32(0.7311),
        np.float32(0.2689),
        0,
    ]
    assert softmax(config, np.array([1, 1, -np.inf], np.float32)).tolist() == [0.5, 0.5, 0]
    for score in (np.inf, np.nan):
        assert np.isnan(softmax(config, np.array([1, score, -1], np.float32))).all()


def test_one_other_agent_has_all_the_weight():
    config = AttentionConfig(agents=2, heads=1, key_size=1, value_size=1)
    assert softmax(config, np.array([[-7.5], [88.0]], np.float32)).tolist() == [[1], [1]]


def test_indexes():
    """Number 10 i + j is agent i's for agent j."""
    matrix = np.array([[10 * i + j for j in range(4)] for i in range(4)])
    mine = others(matrix.T[None])[0]
    assert mine.shape == (4, 3, 4)
    numbers = np.stack([np.delete(matrix[i], i) for i in range(4)])[None, :, None]
    back = transposed(numbers)[0, :, 0]
    assert [row.tolist() for row in back] == [np.delete(matrix[:, j], j).tolist() for j in range(4)]
