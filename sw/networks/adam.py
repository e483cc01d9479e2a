"""Adam on a vector that has all parameters of a network."""

import math

import numpy as np
import torch

from .native.library import native_library
from .torch_networks import ModuleStateError

__all__ = ["Adam"]

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8


class Adam:
    """``torch.optim.Adam`` of one vector: a step is one call, whatever the network is made of.

    Parameters
    ----------
    parameters
        Parameters that are learned, and changed in place: binary32, contiguous.
    learning_rate
        Learning rate of all.

    Members
    -------
    gradients
        Where a step finds them, as many as there are parameters.
    learning_rate
        Learning rate of the steps to come.

    Source: D. Kingma and J. Ba, "Adam: a method for stochastic optimization", 2015, algorithm 1.
    """

    def __init__(self, parameters: torch.Tensor, learning_rate: float = 1e-3):
        self._parameters, self.learning_rate = parameters, learning_rate
        self.gradients, self._first, self._second = (torch.zeros_like(parameters) for _ in range(3))
        self._slopes = self.gradients.numpy()
        self._steps = torch.zeros((), dtype=torch.int64)
        self._library = native_library()

    def advance(self) -> None:
        """A step against the gradients."""
        self._steps += 1
        steps = int(self._steps)
        self._library.adam(
            self._parameters.numel(),
            self._parameters.data_ptr(),
            self.gradients.data_ptr(),
            self._first.data_ptr(),
            self._second.data_ptr(),
            BETA1,
            BETA2,
            self.learning_rate / (1 - BETA1**steps),
            1 / math.sqrt(1 - BETA2**steps),
            EPSILON,
        )

    def clip(self, length: float) -> None:
        """Cut the gradients to a length, as ``torch.nn.utils.clip_grad_norm_`` does."""
        # Most steps need no exact length, which takes far longer. This one errs by less than a tenth.
        if np.dot(self._slopes, self._slopes) < (0.9 * length) ** 2:
            return
        total = float(torch.linalg.vector_norm(self.gradients)) + 1e-6
        if not total < length:
            self.gradients *= length / total

    def state_dict(self) -> dict[str, torch.Tensor]:
        """State that steps change besides the parameters."""
        return {"first_moments": self._first, "second_moments": self._second, "steps": self._steps}

    def load_state_dict(self, state: dict[str, torch.Tensor]) -> None:
        """Takes back what `state_dict` gave.

        Raises
        ------
        KeyError
            Something is missing; the text names it.
        ModuleStateError
            It is of another number of parameters.
        """
        for name, own in self.state_dict().items():
            if state[name].shape != own.shape:
                found, expected = tuple(state[name].shape), tuple(own.shape)
                raise ModuleStateError(f"The optimiser's {name} must be of shape {expected}, not {found}")
        for name, own in self.state_dict().items():
            own.copy_(state[name])
