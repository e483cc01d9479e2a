"""Networks and rollouts for tests of the references."""

import numpy as np

from rewardware.hw.cores.a3c.config import A3CConfig
from rewardware.sw.reference.a3c.agents import A3CRates
from rewardware.sw.reference.a3c.network import LayerParameters

__all__ = ["CORNERS", "RATES", "drawn_parameters", "small"]

RATES = A3CRates(
    discount=0.99, entropy=0.01, value_slope=-2, decay=0.99, one_minus_decay=0.01, learning_rate=1e-3, epsilon=1e-5
)
# Signed zeros, subnormals, large and small numbers, infinities, NaN.
CORNERS = np.array([0, -0.0, 1e-45, -1e-40, 1, -1, 3e38, -3e38, 1e-38, np.inf, -np.inf, np.nan, 1e-20], np.float32)


def small(**values) -> A3CConfig:
    """Sizes that are no multiples of a word."""
    found = {"sizes": (5, 7, 6), "actions": 3, "agents": 2, "steps": 4, "width": 3}
    return A3CConfig(**{**found, "gradient_engines": 1, **values})


def drawn_parameters(config: A3CConfig, generator: np.random.Generator, scale: float = 0.5) -> list[LayerParameters]:
    """Normally distributed."""
    shapes = [((layer.outputs, layer.inputs), (layer.outputs,)) for layer in config.layers]
    return [
        LayerParameters(*(generator.normal(0, scale, shape).astype(np.float32) for shape in pair)) for pair in shapes
    ]
