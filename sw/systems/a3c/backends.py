"""Where A3C's agents are served."""

from functools import partial
from typing import Any

from ....hw.soc.a3c.config import A3CSystemConfig
from ...algorithms.a3c.a3c_hyper_parameters import A3CHyperParameters
from ...algorithms.a3c.a3c_learner import MakeService
from ...algorithms.a3c.a3c_shape import A3CShape, Arrays
from ...core.backends import Backend, open_backend, options_at, parse_backend

__all__ = ["HOST", "service_on"]

# Backends besides the reference and devices.
HOST = ("torch",)


def service_on(backend: str, hardware: A3CSystemConfig | None = None, **options: Any) -> MakeService:
    """A function that makes the service of the agents.

    Parameters
    ----------
    backend
        ``"torch"``: PyTorch's autograd. ``"reference"``: NumPy, in the order of operations of the cores. ``"rtl"``,
        ``"uart:PORT"``, ``"transport"``: a device. ``"lockstep"``: reference and RTL, compared.
    hardware
        The device; without, a small one for the network.
    **options
        Options of :func:`...device.open.open_device`.

    Raises
    ------
    ValueError
        There is no such backend; a device for PyTorch.
    """
    where = parse_backend(backend, HOST)
    if where.name in HOST:
        if hardware is not None:
            raise ValueError(f"Backend {backend!r} has no accelerator: omit it")
        from ...algorithms.a3c.torch_service import TorchAgentsService

        return TorchAgentsService
    return partial(_open, where, hardware, options)


def _open(
    where: Backend,
    hardware: A3CSystemConfig | None,
    options: dict[str, Any],
    shape: A3CShape,
    config: A3CHyperParameters,
    parameters: Arrays,
) -> Any:
    from ...algorithms.a3c.reference_service import ReferenceAgentsService
    from .device_service import DeviceAgentsService, hardware_for, require_suitable
    from .lockstep_service import LockstepAgentsService

    built = hardware or hardware_for(shape, config)
    require_suitable(built, shape, config)
    return open_backend(
        where,
        lambda: ReferenceAgentsService(shape, config, parameters, built.width),
        lambda place: DeviceAgentsService(shape, config, parameters, built, place, **options_at(place, options)),
        LockstepAgentsService,
    )
