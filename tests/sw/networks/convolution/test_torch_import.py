"""Convolutional networks from PyTorch: the graph computes what the module does, and what it cannot is refused."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from rewardware.sw.networks.convolution.nodes import (
    Addition,
    AveragePooling,
    Concatenation,
    Convolution,
    FractionallyStridedConvolution,
    Input,
    MaxPooling,
)
from rewardware.sw.networks.convolution.torch_import import import_module


def compute(imported, picture):
    """The outputs of a network, in the order of its nodes: PyTorch's functions with the imported parameters."""
    found = {}
    for name in imported.network.order:
        node = imported.network.by_name[name]
        given = [found[source] for source in node.sources]
        found[name] = picture if isinstance(node, Input) else result_of(node, given, imported.parameters)
    return [found[name] for name in imported.network.outputs]


def result_of(node, given, parameters):
    if isinstance(node, Convolution):
        kernels, bias = (torch.from_numpy(each) for each in (parameters[node.name].kernels, parameters[node.name].bias))
        (top, bottom), (left, right) = node.padding
        padded = functional.pad(given[0], (left, right, top, bottom))
        result = functional.conv2d(padded, kernels.permute(3, 2, 0, 1), bias, node.stride)
    elif isinstance(node, FractionallyStridedConvolution):
        kernels, bias = (torch.from_numpy(each) for each in (parameters[node.name].kernels, parameters[node.name].bias))
        padding = [sides[0] for sides in node.padding]
        result = functional.conv_transpose2d(
            given[0], kernels.permute(2, 3, 0, 1), bias, node.stride, padding, node.output_padding
        )
    elif isinstance(node, MaxPooling):
        padding = [sides[0] for sides in node.padding]
        result = functional.max_pool2d(given[0], node.kernel, node.stride, padding, ceil_mode=node.ceil_mode)
    elif isinstance(node, AveragePooling):
        padding = [sides[0] for sides in node.padding]
        result = functional.avg_pool2d(
            given[0], node.kernel, node.stride, padding, node.ceil_mode, node.include_padding
        )
    elif isinstance(node, Concatenation):
        result = torch.cat(given, 1)
    else:
        assert isinstance(node, Addition)
        result = sum(given)
    return result.relu() if node.relu else result


class Branches(nn.Module):
    """Everything that the importer takes."""

    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(3, 8, (3, 5), (2, 1), (1, 2), bias=False), nn.BatchNorm2d(8), nn.ReLU())
        self.same = nn.Conv2d(8, 6, (4, 3), padding="same")
        self.valid = nn.Conv2d(8, 6, 1, padding="valid")
        self.normalisation = nn.BatchNorm2d(6, affine=False)
        self.pool = nn.MaxPool2d(3, 2, 1, ceil_mode=True)
        self.average = nn.AvgPool2d((2, 3), (2, 2), (1, 1), count_include_pad=False)
        self.up = nn.ConvTranspose2d(12, 7, (3, 4), (2, 3), (1, 0), (1, 2))
        self.drop = nn.Dropout2d(0.5)
        self.last = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(7, 9), nn.ReLU(), nn.Linear(9, 2))

    def forward(self, x):
        x = self.first(x)
        a, b = self.same(x), functional.relu(self.drop(self.normalisation(self.valid(x))))
        joined = torch.cat([self.pool(a + b), self.average(torch.add(a, b))], dim=1)
        return (self.last(self.up(joined).relu()),)


class Residual(nn.Module):
    """A block that is used twice, with its own parameters."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(2, 4, 3, padding=1)
        self.block = nn.Sequential(nn.Conv2d(4, 4, 3, padding=1), nn.ReLU())
        self.hidden = nn.Linear(4 * 5 * 6, 7)
        self.policy, self.value = nn.Linear(7, 3), nn.Linear(7, 1)

    def forward(self, x):
        x = self.first(x)
        x += self.block(x)
        x = torch.relu(x + self.block(x))
        x = self.hidden(x.flatten(1)).relu()
        return self.policy(x), self.value(x)


def with_statistics(module):
    """In double precision, as after some training."""
    torch.manual_seed(3)
    module = module.double()
    for each in module.modules():
        if isinstance(each, nn.BatchNorm2d):
            each.running_mean.normal_()
            each.running_var.uniform_(0.5, 2)
            if each.affine:
                nn.init.normal_(each.weight)
                nn.init.normal_(each.bias)
    return module


@pytest.mark.parametrize(("make", "picture"), [(Branches, (3, 13, 11)), (Residual, (2, 5, 6))])
def test_a_network_computes_what_its_module_does(make, picture):
    module = with_statistics(make())
    imported = import_module(module, picture[0], picture[1:])
    assert module.training and imported.network.name == make.__name__
    given = torch.randn(1, *picture, dtype=torch.float64)
    with torch.no_grad():
        expected = list(module.eval()(given))
    found = compute(imported, given)
    assert len(found) == len(expected)
    for each, value in zip(found, expected, strict=True):
        assert torch.allclose(each.flatten(1), value, rtol=1e-12, atol=1e-12)


def test_nodes_have_the_names_of_their_modules():
    imported = import_module(Residual(), 2, (5, 6), name="mine")
    assert list(imported.network.by_name) == [
        "x", "first", "block.0", "add", "block_2", "add_1", "hidden", "policy", "value",
    ]  # fmt: skip
    relus = {name for name, node in imported.network.by_name.items() if getattr(node, "relu", False)}
    assert relus == {"block.0", "block_2", "add_1", "hidden"}
    assert imported.network.by_name["hidden"].kernel == (5, 6)
    assert imported.parameters["hidden"].kernels.shape == (5, 6, 4, 7)
    assert imported.outputs == imported.network.outputs == ("policy", "value")


class ValueFirst(nn.Module):
    """Returns the second of its outputs first."""

    def __init__(self):
        super().__init__()
        self.common, self.policy, self.value = nn.Conv2d(2, 3, 3), nn.Conv2d(3, 4, 1), nn.Conv2d(3, 1, 1)

    def forward(self, x):
        policy = self.policy(self.common(x))
        return self.value(self.common(x)).relu(), policy


def test_outputs_have_the_order_of_the_module():
    imported = import_module(ValueFirst(), 2, (5, 6))
    assert imported.outputs == ("value", "policy") and set(imported.network.outputs) == {"policy", "value"}


class Function(nn.Module):
    """A function of convolutions of the picture."""

    def __init__(self, function):
        super().__init__()
        self.a, self.b = nn.Conv2d(3, 3, 3, padding=1), nn.Conv2d(3, 3, 3, padding=1)
        self.normalisation = nn.BatchNorm2d(3)
        self.linear = nn.Linear(3, 3)
        self.function = function

    def forward(self, x):
        return self.function(self, x)


@pytest.mark.parametrize(
    ("module", "words"),
    [
        (nn.Sequential(nn.Conv2d(3, 3, 1, groups=3)), "Conv2d '0' must have groups 1, not 3"),
        (nn.Sequential(nn.Conv2d(3, 3, 1, dilation=2)), "Conv2d '0' must have dilation (1, 1), not (2, 2)"),
        (
            nn.Sequential(nn.Conv2d(3, 3, 3, padding=1, padding_mode="reflect")),
            "Conv2d '0' must have padding_mode zeros, not reflect",
        ),
        (nn.Sequential(nn.Sequential(nn.Tanh())), "Module '0.0' must be one of Conv2d, "),
        (nn.Sequential(nn.Sequential(nn.Tanh())), ", not Tanh"),
        (nn.Sequential(nn.MaxPool2d(2, dilation=2)), "MaxPool2d '0' must have dilation 1 and return no indices"),
        (nn.Sequential(nn.AvgPool2d(2, divisor_override=3)), "AvgPool2d '0' must have no divisor_override, not 3"),
        (nn.Sequential(nn.AdaptiveAvgPool2d(2)), "AdaptiveAvgPool2d '0' must have the output 1 x 1, not 2"),
        (nn.Sequential(nn.BatchNorm2d(3)), "BatchNorm2d '0' must be right after a convolution, not 'input_1'"),
        (
            nn.Sequential(nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3, track_running_stats=False)),
            "BatchNorm2d '1' must have running statistics",
        ),
        (nn.Sequential(nn.ReLU()), "ReLU '0' must not be right after the input"),
        (nn.Sequential(nn.Linear(3, 3)), "Linear '0' must be after a flattening or a linear layer"),
        (nn.Sequential(nn.Flatten(), nn.Linear(9, 3)), "Linear '1' must take the 192 elements of 'input_1', not 9"),
        (nn.Sequential(nn.Flatten(2)), "Flattening '0' must be of axes 1 to -1, not 2 to -1"),
        (nn.Sequential(nn.Flatten(), nn.Conv2d(3, 3, 1)), "'1' must take a picture, not the vector '_0'"),
        (nn.Sequential(nn.Conv2d(3, 3, 9)), "'0': Kernel must be no larger than the padded picture (8), not 9"),
        (Function(lambda self, x: torch.sigmoid(self.a(x))), "'sigmoid', function sigmoid, cannot be part of"),
        (Function(lambda self, x: self.a(x).mean()), "'mean', method mean, cannot be part of"),
        (Function(lambda self, x: self.a(x) + self.b.bias), "'b_bias', parameter b.bias, cannot be part of"),
        (Function(lambda self, x: self.a(x) + 1), "'add' must take pictures, not 1"),
        (Function(lambda self, x: torch.add(self.a(x), x, alpha=2)), "Addition 'add' must have no alpha"),
        (Function(lambda self, x: torch.cat([self.a(x), x], 2)), "Concatenation 'cat' must be along axis 1, the chan"),
        (
            Function(lambda self, x: (lambda y: y + y.relu())(self.a(x))),
            "ReLU 'relu' alone must take 'a', but so does add",
        ),
        (
            Function(lambda self, x: (lambda y: (self.b(y), y.relu()))(self.a(x))),
            "ReLU 'relu' alone must take 'a', but so does b",
        ),
        (
            Function(lambda self, x: (lambda y: self.normalisation(y) + y)(self.a(x))),
            "BatchNorm2d 'normalisation' alone must take 'a', but so does add",
        ),
        (
            Function(lambda self, x: self.normalisation(self.a(x).relu())),
            "BatchNorm2d 'normalisation' must be right after a convolution, not 'a'",
        ),
        (
            Function(lambda self, x: (lambda y: (y, self.b(y)))(self.a(x))),
            "Output 'a' must be taken by no node, not by b",
        ),
        (Function(lambda self, x: self.a(x) if x.sum() > 0 else x), "Function cannot be traced: symbolically traced"),
    ],
)
def test_what_is_refused(module, words):
    with pytest.raises(ValueError) as error:
        import_module(module, 3, (8, 8))
    assert words in str(error.value)


class TwoPictures(nn.Module):
    def forward(self, x, y):
        return x + y


def test_a_second_picture_is_refused():
    with pytest.raises(ValueError, match="^A module must take one picture, not also 'y'$"):
        import_module(TwoPictures(), 3, (8, 8))


def test_what_is_no_module():
    with pytest.raises(TypeError, match="^Module must be of the kind Module, not 3$"):
        import_module(3, 3, (8, 8))
