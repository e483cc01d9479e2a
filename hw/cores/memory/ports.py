"""Memory ports as interfaces."""

from amaranth.hdl import Shape
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..checks import require_integer

__all__ = ["ReadPort", "WritePort"]


class _RowPort(wiring.Signature):
    """A port of a memory of rows; ports with the same members and parameters are equal."""

    def __init__(self, shape, depth, enable, data, parameter):
        require_integer("Depth", depth, 1)
        self._shape, self._depth, self._parameter = shape, depth, parameter
        super().__init__({"enable": enable, "address": Out(range(max(depth, 2))), "data": data})

    @property
    def shape(self):
        """Shape of a row."""
        return self._shape

    @property
    def depth(self):
        """Number of rows."""
        return self._depth

    def __eq__(self, other):
        return type(other) is type(self) and self._parameter == other._parameter and self.members == other.members


class ReadPort(_RowPort):
    """A port that reads a row, seen from its user: ``Out`` at an engine, ``In`` at a memory.

    ``data`` belongs to the ``address`` of ``latency`` cycles ago, if ``enable`` was set then, and stays until the next
    read. With a latency of 0 ``data`` follows ``address`` in the same cycle, whatever ``enable`` is.

    Parameters
    ----------
    shape : shape-like
        A row.
    depth : int
        Number of rows.
    latency : int
        Cycles from ``address`` to ``data`` (0 to 16): a memory has 2 at most, what stands behind it may take more.

    Members
    -------
    enable : Out(1)
    address : Out(range(depth))
        At least one bit.
    data : In(shape)

    Raises
    ------
    TypeError, ValueError
        ``depth`` or ``latency`` is no integer, or out of its range.
    """

    def __init__(self, shape, depth: int, latency: int = 1):
        require_integer("Latency", latency, 0, 16)
        super().__init__(shape, depth, Out(1), In(shape), latency)

    @property
    def latency(self):
        """Cycles from ``address`` to ``data``."""
        return self._parameter


class WritePort(_RowPort):
    """A port that writes a row, or some lanes of it, seen from its user: ``Out`` at an engine, ``In`` at a memory.

    Parameters
    ----------
    shape : shape-like
        A row.
    depth : int
        Number of rows.
    lanes : int
        Equal parts of a row, the first in the lowest bits, each with a write enable of its own.

    Members
    -------
    enable : Out(lanes)
    address : Out(range(depth))
        At least one bit.
    data : Out(shape)

    Raises
    ------
    TypeError, ValueError
        ``depth`` or ``lanes`` is no integer, or out of its range, or a row does not divide into the lanes.
    """

    def __init__(self, shape, depth: int, lanes: int = 1):
        require_integer("Lanes", lanes, 1)
        width = Shape.cast(shape).width
        if width % lanes:
            raise ValueError(f"Lanes must divide the {width} bits of a row, not {lanes}")
        super().__init__(shape, depth, Out(lanes), Out(shape), lanes)

    @property
    def lanes(self):
        """Parts of a row with a write enable each."""
        return self._parameter
