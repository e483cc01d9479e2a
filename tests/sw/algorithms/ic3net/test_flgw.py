"""Weight grouping: masks, and gradients against autograd through plain matrices."""

import pytest
import torch

from rewardware.sw.algorithms.ic3net.flgw import column_groups, grouped, mask, row_groups


def layer(rows, columns, groups, seed=0):
    generator = torch.Generator().manual_seed(seed)
    shapes = (rows, columns), (rows, groups), (groups, columns)
    return [torch.randn(shape, generator=generator, dtype=torch.float64, requires_grad=True) for shape in shapes]


def one_hot(groups, count):
    return torch.nn.functional.one_hot(groups, count).double()


def plain(weight, input_grouping, output_grouping):
    """Selection matrices as leaves of their own, whose gradients the grouping matrices get."""
    input_selection = one_hot(input_grouping.argmax(dim=1), input_grouping.shape[1]).requires_grad_()
    output_selection = one_hot(output_grouping.argmax(dim=0), output_grouping.shape[0]).T.clone().requires_grad_()
    return weight * (input_selection @ output_selection), input_selection, output_selection


@pytest.mark.parametrize(("rows", "columns", "groups"), [(7, 5, 3), (29, 12, 16), (1, 4, 2), (6, 1, 3), (5, 5, 1)])
def test_dense_gradient_is_that_of_the_selection_matrices(rows, columns, groups):
    weight, input_grouping, output_grouping = layer(rows, columns, groups)
    sensitivity = torch.randn(rows, columns, dtype=torch.float64)
    effective = grouped(weight, input_grouping, output_grouping, "dense")
    (effective * sensitivity).sum().backward()
    twin = weight.detach().clone().requires_grad_()
    expected, input_selection, output_selection = plain(twin, input_grouping.detach(), output_grouping.detach())
    (expected * sensitivity).sum().backward()
    assert torch.equal(effective, expected)
    torch.testing.assert_close(weight.grad, twin.grad)
    torch.testing.assert_close(input_grouping.grad, input_selection.grad)
    torch.testing.assert_close(output_grouping.grad, output_selection.grad)


def test_unmasked_gradient_falls_on_the_own_group_alone():
    weight, input_grouping, output_grouping = layer(9, 7, 4)
    sensitivity = torch.randn(9, 7, dtype=torch.float64)
    (grouped(weight, input_grouping, output_grouping) * sensitivity).sum().backward()
    taking_part = sensitivity * mask(input_grouping, output_grouping)
    torch.testing.assert_close(weight.grad, taking_part)
    of_rows = (taking_part * weight).sum(dim=1)
    of_columns = (taking_part * weight).sum(dim=0)
    torch.testing.assert_close(input_grouping.grad, of_rows[:, None] * one_hot(row_groups(input_grouping), 4))
    torch.testing.assert_close(output_grouping.grad, of_columns * one_hot(column_groups(output_grouping), 4).T)


def test_forms_agree_where_nothing_is_masked():
    results = []
    for gradient in ("dense", "unmasked"):
        weight, input_grouping, output_grouping = layer(4, 6, 1)
        (grouped(weight, input_grouping, output_grouping, gradient) ** 2).sum().backward()
        results.append((weight.grad, input_grouping.grad, output_grouping.grad))
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other)


def test_lowest_of_equal_maxima_wins():
    assert row_groups(torch.tensor([[1.0, 2.0, 2.0], [0.0, -0.0, 0.0], [3.0, 1.0, 3.0]])).tolist() == [1, 0, 0]
    assert column_groups(torch.tensor([[1.0, 2.0], [1.0, 5.0], [0.0, 5.0]])).tolist() == [0, 1]


def test_groups_may_be_empty():
    input_grouping = torch.tensor([[1.0, 0.0, 0.0]] * 3)
    output_grouping = torch.tensor([[0.0] * 2, [1.0] * 2, [0.0] * 2])
    assert not mask(input_grouping, output_grouping).any()
    weight = torch.ones(3, 2, requires_grad=True)
    grouped(weight, input_grouping, output_grouping).sum().backward()
    assert not weight.grad.any()


def test_average_sparsity_is_one_minus_one_over_the_groups():
    for groups in (1, 2, 4, 8):
        _, input_grouping, output_grouping = layer(400, 400, groups)
        assert mask(input_grouping, output_grouping).double().mean() == pytest.approx(1 / groups, abs=0.01)


def test_refuses_an_unknown_gradient():
    with pytest.raises(ValueError, match="gradient must be unmasked or dense, not 'masked'"):
        grouped(*layer(2, 2, 2), "masked")
