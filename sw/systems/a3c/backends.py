"""Where A3C's agents are served."""

from ...algorithms.a3c.a3c_learner import MakeService
from ...core.backends import parse_backend

__all__ = ["HOST", "service_on"]

# What computes besides the reference and devices.
HOST = ("torch",)


def service_on(backend: str) -> MakeService:
    """What makes the service of the agents.

    Parameters
    ----------
    backend
        ``"torch"``: PyTorch's autograd. ``"reference"``: NumPy, in the order of operations of the cores.

    Raises
    ------
    ValueError
        There is no such backend; or it is a device, and A3C has none yet.
    """
    where = parse_backend(backend, HOST)
    if where.name in HOST:
        from ...algorithms.a3c.torch_service import TorchAgentsService

        return TorchAgentsService
    if where.place or where.pair:
        # Where device and lockstep will be opened.
        raise ValueError(f"Backend of A3C must be reference or torch, not {backend!r}: its device is not there yet")
    from ...algorithms.a3c.reference_service import ReferenceAgentsService

    return ReferenceAgentsService
