"""Where MAAC's updates compute."""

from functools import partial
from typing import Any

import numpy as np

from ....hw.soc.maac.config import MAACSystemConfig
from ...algorithms.maac.maac_config import MAACConfig
from ...algorithms.maac.maac_learner import MakeUpdate
from ...algorithms.maac.maac_shape import MAACShape
from ...core.backends import Backend, open_backend, options_at, parse_backend

__all__ = ["HOST", "update_on"]

Arrays = dict[str, np.ndarray]

# Backends besides the reference and devices.
HOST = ("torch",)


def update_on(backend: str, hardware: MAACSystemConfig | None = None, **options: Any) -> MakeUpdate:
    """A function that makes the backend of the updates.

    Parameters
    ----------
    backend
        ``"torch"``: PyTorch's autograd. ``"reference"``: NumPy, in the order of operations of the cores. ``"rtl"``,
        ``"uart:PORT"``, ``"transport"``: a device. ``"lockstep"``: reference and RTL, compared.
    hardware
        The accelerator; without, one with a unit a layer.
    **options
        Options of :func:`.open.open_device`.

    Raises
    ------
    ValueError
        There is no such backend; an accelerator for PyTorch.
    """
    where = parse_backend(backend, HOST)
    if where.name in HOST:
        if hardware is not None:
            raise ValueError(f"Backend {backend!r} has no accelerator: omit it")
        from ...algorithms.maac.torch_update import TorchMAACUpdate

        return TorchMAACUpdate
    return partial(_open, where, hardware, options)


def _open(
    where: Backend,
    hardware: MAACSystemConfig | None,
    options: dict[str, Any],
    shape: MAACShape,
    config: MAACConfig,
    policies: Arrays,
    critics: Arrays,
) -> Any:
    from ...algorithms.maac.reference_update import ReferenceMAACUpdate
    from .device_update import DeviceMAACUpdate, hardware_for, require_suitable
    from .lockstep_update import LockstepMAACUpdate

    built = hardware or hardware_for(shape)
    require_suitable(built, shape)
    return open_backend(
        where,
        lambda: ReferenceMAACUpdate(
            shape, config, policies, critics, built.networks, updates_policies=built.learner.updates_policies
        ),
        lambda place: DeviceMAACUpdate(shape, config, policies, critics, built, place, **options_at(place, options)),
        LockstepMAACUpdate,
    )
