"""Parameters of MAAC's networks by name, and their first values: the same numbers for every backend."""

import numpy as np

from .maac_shape import MAACShape

__all__ = ["critic_shapes", "initial_parameters", "policy_shapes"]


def policy_shapes(shape: MAACShape) -> dict[str, tuple[int, ...]]:
    """Shapes of the policies' parameters. A weight is agents x inputs x outputs."""
    agents, hidden = shape.agents, shape.hidden_size
    return {
        "first.weight": (agents, shape.observation_size, hidden),
        "first.bias": (agents, hidden),
        "second.weight": (agents, hidden, hidden),
        "second.bias": (agents, hidden),
        "third.weight": (agents, hidden, shape.actions),
        "third.bias": (agents, shape.actions),
    }


def critic_shapes(shape: MAACShape) -> dict[str, tuple[int, ...]]:
    """Shapes of the critics' parameters. All agents share the weights of the attention: heads x inputs x outputs."""
    agents, hidden, heads, size = shape.agents, shape.hidden_size, shape.heads, shape.key_size
    return {
        "embedding.weight": (agents, shape.observation_size + shape.actions, hidden),
        "embedding.bias": (agents, hidden),
        "state.weight": (agents, shape.observation_size, hidden),
        "state.bias": (agents, hidden),
        "key.weight": (heads, hidden, size),
        "query.weight": (heads, hidden, size),
        "value.weight": (heads, hidden, size),
        "value.bias": (heads, size),
        "hidden.weight": (agents, 2 * hidden, hidden),
        "hidden.bias": (agents, hidden),
        "output.weight": (agents, hidden, shape.actions),
        "output.bias": (agents, shape.actions),
    }


def initial_parameters(
    shape: MAACShape, generator: np.random.Generator
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Policies and critics: uniform within 1 / sqrt(inputs), zeros for inputs and outputs that an agent does not have.

    Parameters
    ----------
    shape
        Sizes.
    generator
        Where the numbers come from.

    Returns
    -------
    Two dicts of float32 arrays, with the shapes of `policy_shapes` and `critic_shapes`.
    """
    observed, present = shape.observed, shape.present
    both = np.concatenate((observed, present), axis=1)
    inputs = {"first": observed, "embedding": both, "state": observed}
    outputs = {"third": present, "output": present}

    def drawn(shapes: dict[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
        found = {}
        for name, sizes in shapes.items():
            layer, _, kind = name.partition(".")
            values = generator.uniform(-1, 1, sizes)
            rows = shapes[f"{layer}.weight"][-2]
            counts = inputs[layer].sum(axis=1) if layer in inputs else np.full(sizes[0], rows)
            values /= np.sqrt(counts).reshape(-1, *[1] * (len(sizes) - 1))
            if kind == "weight" and layer in inputs:
                values *= inputs[layer][:, :, np.newaxis]
            if layer in outputs:
                values *= outputs[layer].reshape(sizes[0], *[1] * (len(sizes) - 2), sizes[-1])
            found[name] = values.astype(np.float32)
        return found

    return drawn(policy_shapes(shape)), drawn(critic_shapes(shape))
