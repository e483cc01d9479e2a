"""The ways to make weights sparse that grouping is compared with."""

import numpy as np
import torch

from rewardware.sw.algorithms.ic3net.sparse_weights import CirculantWeight, GroupedWeight, PrunedWeight


def test_pruning_takes_the_smallest_and_never_gives_back():
    weight = PrunedWeight(torch.tensor([[4.0, -1.0, 2.0], [-3.0, 0.5, 5.0]]))
    weight.advance(0.4)
    assert weight().tolist() == [[4, -1, 2], [-3, 0, 5]]
    with torch.no_grad():
        weight.weight[1, 1] = 100
    weight.advance(1)
    assert weight().tolist() == [[4, 0, 0], [-3, 0, 5]]
    weight().sum().backward()
    assert weight.weight.grad.tolist() == [[1, 0, 0], [1, 0, 1]]


def test_circulant_blocks_repeat_their_first_row_shifted():
    shape = CirculantWeight.stored_shape(5, 4)
    assert shape == (3, 2, 2)
    stored = torch.arange(12.0).reshape(shape)
    matrix = CirculantWeight(5, 4, stored, pruned=False)()
    assert matrix.shape == (5, 4)
    for row in range(5):
        for column in range(4):
            assert matrix[row, column] == stored[row // 2, column // 2, (column - row) % 2]


def test_circulant_gradient_is_shared():
    weight = CirculantWeight(2, 2, torch.tensor([[[1.0, 2.0]]]), pruned=False)
    (weight() * torch.tensor([[1.0, 10.0], [100.0, 1000.0]])).sum().backward()
    assert weight.stored.weight.grad.tolist() == [[[1001, 110]]]


def test_group_sparse_is_circulant_with_half_of_it_pruned():
    generator = torch.Generator().manual_seed(0)
    weight = CirculantWeight(8, 6, torch.randn((4, 3, 2), generator=generator), pruned=True)
    for progress in np.linspace(0, 1, 5):
        weight.advance(progress)
    assert weight().count_nonzero() == 8 * 6 // 2
    assert torch.equal(weight()[0::2, 0::2], weight()[1::2, 1::2])


def test_grouping_is_not_pruned():
    weight = GroupedWeight(torch.ones(2, 2), torch.eye(2), torch.eye(2), "unmasked")
    weight.advance(1)
    assert torch.equal(weight(), torch.eye(2))
