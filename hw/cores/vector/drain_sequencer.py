"""Sequence of results at the ends of the drain chains."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..pipeline import delay
from .matrix_config import ACCUMULATORS, MatrixConfig, Product
from .matrix_layouts import result_descriptor_layout

__all__ = ["DrainSequencer", "leaving_layout"]


def leaving_layout(config: MatrixConfig):
    """The results at the ends of the chains in a cycle.

    ``descriptor`` says where they go; the first one is at the end of ``chain``. A weight gradient has one result in a
    cycle, number ``position`` of those that the descriptor is of. ``last`` ends a wave.
    """
    return data.StructLayout(
        {
            "valid": 1,
            "descriptor": result_descriptor_layout(config),
            "chain": range(max(config.blocks, 2)),
            "position": 2,
            "last": 1,
        }
    )


class DrainSequencer(ConfiguredComponent):
    """Moves the drain chains, and says what leaves them.

    Forward and backward the results of a descriptor leave in a cycle; with fewer blocks in use than there are chains,
    the chains are used in turn. A weight gradient has one result in a cycle.

    Accumulator i has its result i cycles after accumulator 0, so its links move i cycles later; at the ends of the
    chains all wait for the last.

    Latency: four cycles from ``load`` to the first result. No back-pressure: between two loads are at least the cycles
    that the results of the first take.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    load : In(1)
        Accumulator 0 of all clusters gives the result of a wave to the chains.
    descriptors : In(stream.Signature(result_descriptor_layout(config)))
        A wave's must be there when its results are.
    shift : Out(4)
        For each accumulator: the links move on.
    leaving : Out(leaving_layout(config))
        When all accumulators are there.
    """

    def __init__(self, config: MatrixConfig):
        super().__init__(
            config,
            {
                "load": In(1),
                "descriptors": In(stream.Signature(result_descriptor_layout(config))),
                "shift": Out(ACCUMULATORS),
                "leaving": Out(leaving_layout(config)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        chains, descriptor = self._config.blocks, self.descriptors.payload
        active, chain, position = Signal(), Signal(2), Signal(2)
        gradient, last_result, next_chain, shift = Signal(), Signal(), Signal(3), Signal()
        m.d.comb += [
            gradient.eq(descriptor.product == Product.GRADIENT),
            last_result.eq(~gradient | (position + 1 == descriptor.count)),
            next_chain.eq(chain + Mux(gradient, 1, 1 << descriptor.blocks)),
            shift.eq(active & (next_chain == chains)),
            self.descriptors.ready.eq(active & last_result),
        ]
        with m.If(active):
            m.d.sync += [
                position.eq(Mux(last_result, 0, position + 1)),
                chain.eq(Mux(next_chain == chains, 0, next_chain)),
            ]
            with m.If(last_result & descriptor.last):
                m.d.sync += active.eq(0)
        with m.If(self.load):
            m.d.sync += [active.eq(1), chain.eq(0), position.eq(0)]
        for accumulator in range(ACCUMULATORS):
            m.d.comb += self.shift[accumulator].eq(delay(m, shift, accumulator, f"shift_{accumulator}"))

        leaving = Signal(leaving_layout(self._config))
        m.d.comb += [
            leaving.valid.eq(active),
            leaving.descriptor.eq(descriptor),
            leaving.chain.eq(chain),
            leaving.position.eq(position),
            leaving.last.eq(active & last_result & descriptor.last),
            self.leaving.eq(delay(m, leaving, ACCUMULATORS - 1, "leaving", reset_less=False)),
        ]
        return m
