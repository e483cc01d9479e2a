"""Adds rows of sums to what stands in a memory."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..fixed.arithmetic import saturate
from ..float.adder import FloatAdder
from ..float.config import FloatConfig
from ..memory.ports import ReadPort, WritePort
from ..replicated import replicated
from .gemm_config import GemmEngineConfig

__all__ = ["RowAccumulator", "sum_read", "sum_write"]


def _row(config):
    return data.ArrayLayout(signed(config.array.sum_width), config.array.columns)


def sum_read(config: GemmEngineConfig):
    """Signature of a read port of a bank of the accumulators, seen from the engine."""
    return ReadPort(_row(config), config.bank_rows)


def sum_write(config: GemmEngineConfig):
    """Signature of a write port of a bank of the accumulators, seen from the engine."""
    return WritePort(_row(config), config.bank_rows, config.array.columns)


class RowAccumulator(ConfiguredComponent):
    """Adds a row of sums to the one at an address, or writes it there.

    The row is read, added and written in the next cycle, and forwarded by registers to an addition to the same row
    that begins in that cycle: the memory's own rule for it does not matter.

    Number format: integers of ``sum_width`` bits; a sum that needs more is saturated, and ``overflow`` says so. With
    ``config.array.format``, floating point, rounded to nearest even, and ``overflow`` says of an infinite sum or NaN.

    Latency: a cycle. Throughput: a row a cycle, any row. No back-pressure.

    Parameters
    ----------
    config : GemmEngineConfig

    Members
    -------
    enable : In(columns)
        Write enable of each word.
    address : In(range(bank_rows))
    clear : In(1)
        Write the row instead.
    sums : In(data.ArrayLayout(signed(sum_width), columns))
    read : Out(sum_read)
    write : Out(sum_write)
    overflow : Out(1)
        A word that is written in this cycle was saturated, or is infinite or NaN.
    """

    def __init__(self, config: GemmEngineConfig):
        read, write = sum_read(config), sum_write(config)
        super().__init__(
            config,
            {
                "enable": In(config.array.columns),
                "address": In(read.members["address"].shape),
                "clear": In(1),
                "sums": In(_row(config)),
                "read": Out(read),
                "write": Out(write),
                "overflow": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        array = self._config.array
        enable, clear = Signal.like(self.enable), Signal()
        address, met = Signal.like(self.address), Signal(array.columns)
        addend, kept = (Signal(_row(self._config), name=name, reset_less=True) for name in ("addend", "kept"))
        overflows = Signal(array.columns)
        m.d.comb += [
            self.read.enable.eq(self.enable.any()),
            self.read.address.eq(self.address),
            self.write.enable.eq(enable),
            self.write.address.eq(address),
            self.overflow.eq((overflows & enable).any()),
        ]
        m.d.sync += [
            enable.eq(self.enable),
            clear.eq(self.clear),
            address.eq(self.address),
            addend.eq(self.sums),
            met.eq(Mux(self.address == address, enable, 0)),
            kept.eq(self.write.data),
        ]
        for column in range(array.columns):
            before = Signal(signed(array.sum_width), name=f"before_{column}")
            total, overflow = self._add(m, before, addend[column], column)
            m.d.comb += [
                before.eq(Mux(clear, 0, Mux(met[column], kept[column], self.read.data[column]))),
                self.write.data[column].eq(total),
                overflows[column].eq(overflow),
            ]
        return m

    def _add(self, m, before, addend, column):
        """The sum, and whether it overflows."""
        array = self._config.array
        if array.format is None:
            exact = Signal(signed(array.sum_width + 1), name=f"exact_{column}")
            m.d.comb += exact.eq(before + addend)
            return saturate(exact, array.sum_width)
        m.submodules[f"adder_{column}"] = adder = replicated(FloatAdder(FloatConfig(format=array.format, depth=0)))
        m.d.comb += [adder.a.eq(before), adder.b.eq(addend)]
        return adder.result, adder.nonfinite
