"""A network of policy and value on integers, as the convolution engine computes it."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn

from ..networks.convolution.quantized_model import quantize_model
from ..networks.convolution.running_network import OpenNetwork
from ..networks.convolution.torch_import import import_module
from ..reference.arrays import IntegerArray
from .position_evaluator import Planes

__all__ = ["EngineEvaluator"]


class EngineEvaluator:
    """A :class:`.PositionEvaluator` of a module that is quantised, and computed by the convolution engine.

    The network is that of the module when this is made: what the module learns later is not seen. Softmax over the
    legal actions and tanh are computed on the host, in double precision. Positions are computed one after the other, so
    that a position has the same bits in every batch.

    Parameters
    ----------
    module : torch.nn.Module
        A module of planes (batch, channels, rows, columns); gives scores of all actions and the value before the tanh.
        Its layers are those that :func:`.import_module` takes.
    calibration : float32 array (count, channels, rows, columns)
        Positions whose activations set the scales.
    opening : OpenNetwork
        Opens the network on a backend, as :func:`...systems.inference.networks_on` does.
    width : int
        Bits of weights and activations, 8 or 16.

    Members
    -------
    model : QuantizedModel
        The network on integers, and in real numbers.

    Raises
    ------
    TypeError, ValueError
        A module that is no network of convolutions, that has another number of outputs than two, or whose second one is
        more than one number; no calibration positions; a width that there is not; a network that the device cannot
        compute.
    DeviceError
        There is no such device, or one that was built for something else.
    """

    def __init__(self, module: nn.Module, calibration: Planes, opening: OpenNetwork, *, width: int = 8):
        _, channels, rows, columns = calibration.shape
        imported = import_module(module, channels, (rows, columns))
        if len(imported.outputs) != 2:
            raise ValueError(
                f"A network of policy and value must have two outputs, not {len(imported.outputs)}: "
                f"{', '.join(imported.outputs)}"
            )
        self._policy, self._value = imported.outputs
        maps = imported.network.feature_maps
        sizes = {name: maps[name].channels * math.prod(maps[name].picture) for name in imported.outputs}
        if sizes[self._value] != 1:
            raise ValueError(f"Output {self._value!r} must be the value, one number, not {sizes[self._value]}")
        self._actions = sizes[self._policy]
        pictures = [_picture(position) for position in calibration]
        self.model = quantize_model(imported.network, imported.parameters, pictures, width)
        self._running = opening(self.model.network)

    def evaluate(self, planes: Planes, legal: NDArray[np.bool_], /) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Look at positions.

        Raises
        ------
        ValueError
            More or fewer actions than the network has scores; planes that are not finite.
        DeviceError
            The device failed, or was closed.
        """
        batch, actions = legal.shape
        if actions != self._actions:
            raise ValueError(f"The network has scores of {self._actions} actions, not {actions}")
        priors, values = np.zeros((batch, actions), np.float32), np.empty(batch, np.float32)
        for index, (position, allowed) in enumerate(zip(planes, legal, strict=True)):
            words = self._running.infer(self.model.network.to_words(_picture(position)))
            scores = self._numbers(self._policy, words[self._policy])[allowed]
            shares = np.exp(scores - scores.max())
            priors[index, allowed] = shares / shares.sum()
            (value,) = self._numbers(self._value, words[self._value])
            values[index] = math.tanh(value)
        return priors, values

    def _numbers(self, name: str, words: IntegerArray) -> NDArray[np.float64]:
        """An output in real numbers, as a vector in PyTorch's order."""
        return self.model.network.to_numbers(name, words).transpose(2, 0, 1).reshape(-1)

    def counters(self) -> dict[str, Any]:
        """The backend's counts."""
        return dict(self._running.counters())

    def close(self) -> None:
        """Give the device back."""
        self._running.close()


def _picture(position: NDArray[np.float32]) -> NDArray[np.float64]:
    """Planes as the engine takes them: (rows, columns, channels)."""
    return position.transpose(1, 2, 0).astype(np.float64)
