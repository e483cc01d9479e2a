"""The pooling module: the largest element of a window, or the sum, channel by channel."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .window_reduction_config import WindowReductionConfig

__all__ = ["WindowReduction", "reduced_elements"]


def reduced_elements(config: WindowReductionConfig) -> data.StructLayout:
    """A vector of a window.

    ``elements``: a pixel's channels. ``inside``: a bit for each that counts. ``last``: the window ends with it.
    ``maximum``: the largest is wanted, and not the sum; the same for all vectors of a window.
    """
    return data.StructLayout(
        {
            "elements": data.ArrayLayout(signed(config.width), config.lanes),
            "inside": config.lanes,
            "last": 1,
            "maximum": 1,
        }
    )


class WindowReduction(ConfiguredComponent):
    """Reduces the vectors of a window to one.

    What does not count is never the largest, and adds nothing to a sum; of a window in which nothing counts both are
    the least there can be, and 0. Sums are exact. An average is a sum times a multiplier (:class:`.Requantizer`).

    Latency: none: a result leaves with its window's last vector. Throughput: a vector a cycle. Back-pressure: that of
    ``o``, on a window's last vector.

    Parameters
    ----------
    config : WindowReductionConfig

    Members
    -------
    i : :py:`In(stream.Signature(reduced_elements(config)))`
    o : :py:`Out(stream.Signature(data.ArrayLayout(signed(result_width), lanes)))`

    Source
    ------
    DYNAMAP, section 3.1.3: the pooling module, of the maximum; averages are ours.
    """

    def __init__(self, config: WindowReductionConfig):
        result = data.ArrayLayout(signed(config.result_width), config.lanes)
        super().__init__(
            config, {"i": In(stream.Signature(reduced_elements(config))), "o": Out(stream.Signature(result))}
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        payload, first = self.i.payload, Signal(init=1)
        least = -(1 << config.width - 1)
        m.d.comb += [
            self.o.valid.eq(self.i.valid & payload.last),
            self.i.ready.eq(self.o.ready | ~payload.last),
        ]
        takes = self.i.valid & self.i.ready
        with m.If(takes):
            m.d.sync += first.eq(payload.last)
        results = []
        for lane in range(config.lanes):
            before, kept, result = (
                Signal(signed(config.result_width), name=f"{name}_{lane}") for name in ("before", "kept", "result")
            )
            element = Signal(signed(config.width), name=f"element_{lane}")
            m.d.comb += [
                element.eq(Mux(payload.inside[lane], payload.elements[lane], Mux(payload.maximum, least, 0))),
                before.eq(Mux(first, Mux(payload.maximum, least, 0), kept)),
            ]
            with m.If(payload.maximum):
                m.d.comb += result.eq(Mux(element > before, element, before))
            with m.Else():
                m.d.comb += result.eq(before + element)
            with m.If(takes):
                m.d.sync += kept.eq(result)
            results.append(result)
        m.d.comb += self.o.payload.eq(Cat(results))
        return m
