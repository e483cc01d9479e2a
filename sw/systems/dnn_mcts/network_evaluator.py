"""Where the network of an agent is evaluated."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn

from ...core.environments.board_environment import BoardEnvironment
from ...core.environments.legal_actions import action_list
from ...search.engine_evaluator import EngineEvaluator
from ...search.position_evaluator import Planes, PositionEvaluator
from ...search.search_roots import observed
from ...search.torch_evaluator import TorchEvaluator, require_device
from ..inference import networks_on
from ..options import evaluator_callable

__all__ = ["NetworkEvaluator", "learning_device", "require_evaluator"]

TORCH, ENGINE = "torch", "engine"
# Positions of random games by which the activations of a network on integers are scaled.
CALIBRATION = 64

Make = Callable[[nn.Module, BoardEnvironment], PositionEvaluator]


class NetworkEvaluator:
    """A :class:`.PositionEvaluator` of a network that goes on learning.

    Parameters
    ----------
    source : str
        ``"torch"`` or ``"torch:cuda"``: PyTorch, where the network learns. ``"engine"`` or ``"engine:BACKEND"``: the
        convolution engine, on integers of 8 bits. ``"MODULE:NAME"``: a callable that gets network and environment and
        gives an evaluator.
    network : torch.nn.Module
        As :class:`.PolicyValueNetwork`. It is moved to the device of PyTorch on which it learns.
    environment : BoardEnvironment
        Environment of the game. Its state is not kept.

    Raises
    ------
    ValueError
        There is no such evaluator.
    """

    def __init__(self, source: str, network: nn.Module, environment: BoardEnvironment):
        self._make, self._environment = require_evaluator(source), environment
        # A worker's network is made on the processor.
        self._network = network.to(learning_device(source))
        self._sees_changes = source.partition(":")[0] == TORCH
        self._evaluator: PositionEvaluator | None = None

    def evaluate(self, planes: Planes, legal: NDArray[np.bool_], /) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Look at positions with the network as it is."""
        if self._evaluator is None:
            self._evaluator = self._make(self._network, self._environment)
        return self._evaluator.evaluate(planes, legal)

    def renew(self) -> None:
        """The network has learned: what is not PyTorch's own is made anew before it is asked again."""
        if not self._sees_changes:
            self.close()

    def close(self) -> None:
        """Close the evaluator, if there is one."""
        evaluator, self._evaluator = self._evaluator, None
        if evaluator is not None:
            evaluator.close()


def learning_device(source: str) -> str:
    """Where a network that is evaluated there learns, by PyTorch's name.

    Raises
    ------
    ValueError
        PyTorch has no such device here.
    """
    kind, _, device = source.partition(":")
    return str(require_device(device)) if kind == TORCH and device else "cpu"


def require_evaluator(source: str) -> Make:
    """Find what makes the evaluator of that name.

    Raises
    ------
    ValueError
        There is none.
    """
    kind, _, place = source.partition(":")
    if kind == TORCH:
        learning_device(source)
        return lambda network, _: TorchEvaluator(network)
    if kind == ENGINE:
        opening = networks_on(place or "reference")
        return lambda network, environment: EngineEvaluator(network, calibration_planes(environment), opening)
    make: Make = evaluator_callable(
        source, "Evaluator must be torch, torch:cuda, engine, engine:BACKEND or MODULE:NAME"
    )
    return make


def calibration_planes(environment: BoardEnvironment) -> Planes:
    """Positions of random games, the same each time."""
    generator, states = random.Random(0), list[Any]()
    while len(states) < CALIBRATION:
        environment.reset(0)
        ended = False
        while not ended and len(states) < CALIBRATION:
            states.append(environment.save())
            _, ended = environment.step(generator.choice(action_list(environment.legal_actions())))
    return observed(environment, states)[0]
