"""Errors of a device."""

__all__ = ["DeviceError", "DeviceFault", "DeviceTimeout"]


class DeviceError(Exception):
    """The device, the link to it, or what came over it is not as it must be."""


class DeviceTimeout(DeviceError):
    """Something did not happen within its limit; the message names the limit and the state."""


class DeviceFault(DeviceError):
    """The device stopped with error flags.

    Parameters
    ----------
    flags : tuple of str
        Their names.
    message : str
    """

    def __init__(self, flags: tuple[str, ...], message: str):
        self.flags = flags
        super().__init__(message)
