"""PyTorch's Adam for named parameters, with its state as arrays."""

from typing import Any

import numpy as np
import torch

__all__ = ["load_moments", "make_adam", "save_moments"]

MOMENTS = {"mean": "exp_avg", "mean_square": "exp_avg_sq"}


def make_adam(parameters: dict[str, torch.Tensor], learning_rate: float) -> torch.optim.Adam:
    """Adam with its state made at once, so that a checkpoint has the same members at any time."""
    optimizer = torch.optim.Adam(parameters.values(), learning_rate)
    for parameter in parameters.values():
        zeros = {name: torch.zeros_like(parameter, requires_grad=False) for name in MOMENTS.values()}
        optimizer.state[parameter] = {"step": torch.tensor(0.0), **zeros}
    return optimizer


def save_moments(
    optimizer: torch.optim.Adam, parameters: dict[str, torch.Tensor]
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The moments as arrays, by kind and the parameter's name, and how many steps were done."""
    arrays = {
        f"{kind}.{name}": optimizer.state[parameter][entry].numpy().copy()
        for kind, entry in MOMENTS.items()
        for name, parameter in parameters.items()
    }
    return arrays, {"steps": int(optimizer.state[next(iter(parameters.values()))]["step"])}


def load_moments(
    optimizer: torch.optim.Adam,
    parameters: dict[str, torch.Tensor],
    arrays: dict[str, np.ndarray],
    rest: dict[str, Any],
) -> None:
    """Take back what `save_moments` gave."""
    for name, parameter in parameters.items():
        state = optimizer.state[parameter]
        state["step"].fill_(rest["steps"])
        for kind, entry in MOMENTS.items():
            state[entry].copy_(torch.from_numpy(arrays[f"{kind}.{name}"]))
