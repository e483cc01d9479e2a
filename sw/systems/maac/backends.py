"""Where MAAC's updates compute."""

from ...algorithms.maac.maac_learner import MakeUpdate

__all__ = ["BACKENDS", "update_on"]

BACKENDS = ("torch", "reference")


def update_on(backend: str) -> MakeUpdate:
    """What makes the backend of the updates.

    Parameters
    ----------
    backend
        ``"torch"``: PyTorch's autograd. ``"reference"``: NumPy, in the order of operations of the cores.

    Raises
    ------
    ValueError
        There is no such backend.
    """
    if backend not in BACKENDS:
        raise ValueError(f"Backend must be {' or '.join(BACKENDS)}, not {backend!r}: MAAC has no device yet")
    if backend == "reference":
        from ...algorithms.maac.reference_update import ReferenceMAACUpdate

        return ReferenceMAACUpdate
    from ...algorithms.maac.torch_update import TorchMAACUpdate

    return TorchMAACUpdate
