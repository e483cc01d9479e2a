"""Streams of all heads, shared among lanes, and put together again."""

from amaranth.lib import wiring

from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from ..stream.concatenation import StreamConcatenation, StreamSplit

__all__ = ["join_heads", "share_heads"]


def share_heads(m, name, elements, lanes, size):
    """Gives the heads of a stream to lanes in turn; a single lane gets them all.

    Parameters
    ----------
    m : Module
        Where the parts go.
    name : str
        Name of the parts.
    elements : stream
        Head after head.
    lanes : list of stream
        Streams of the lanes: where the heads of each go.
    size : int
        Numbers of a head.
    """
    if len(lanes) == 1:
        wiring.connect(m, elements, lanes[0])
        return
    m.submodules[f"{name}_split"] = split = StreamSplit(elements.payload.shape(), *[size] * len(lanes))
    wiring.connect(m, elements, split.i)
    for part, lane in zip(split.o, lanes, strict=True):
        wiring.connect(m, part, lane)


def join_heads(m, name, lanes, elements, size, *, waiting=False):
    """Takes heads of lanes in turn; the reverse of :func:`share_heads`.

    Parameters
    ----------
    m : Module
        Where the parts go.
    name : str
        Name of the parts.
    lanes : list of stream
        Streams of the lanes: where the heads of each come from.
    elements : stream
        Where all go, head after head.
    size : int
        Numbers of a head.
    waiting : bool
        Two heads wait behind each lane, for lanes that give a head's numbers one by one.
    """
    if len(lanes) == 1:
        wiring.connect(m, lanes[0], elements)
        return
    m.submodules[f"{name}_joined"] = joined = StreamConcatenation(elements.payload.shape(), *[size] * len(lanes))
    for index, (lane, part) in enumerate(zip(lanes, joined.i, strict=True)):
        if waiting:
            m.submodules[f"{name}_waiting_{index}"] = buffer = StreamBuffer(
                elements.payload.shape(), StreamBufferConfig(depth=2 * size)
            )
            wiring.connect(m, lane, buffer.i)
            lane = buffer.o
        wiring.connect(m, lane, part)
    wiring.connect(m, joined.o, elements)
