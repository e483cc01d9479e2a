"""Base of drivers that hold a backend: they can be used until they are closed."""

from typing import Any, ClassVar, Self

from .errors import DeviceError

__all__ = ["Driver"]


class Driver:
    """Holds a backend, can be used with ``with``, and not after it was closed.

    Parameters
    ----------
    backend : object
        With ``config`` and ``close``; it is closed with this.
    """

    # Name of the backend for the message.
    holds: ClassVar[str]

    def __init__(self, backend: Any):
        self.backend, self.config = backend, backend.config
        self._closed = False

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise DeviceError(f"The {self.holds} was closed")

    def close(self) -> None:
        """Give the backend back; whatever is asked of it then is an error."""
        if not self._closed:
            self._closed = True
            self.backend.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
