"""From the south edge of the array to the accumulators."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value, signed
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..bits import rotate
from ..component import ConfiguredComponent
from ..forwarding import connect_port
from ..layouts import layout_of_fields, take_fields
from ..replicated import replicated
from .gemm_config import GemmEngineConfig
from .layouts import result_layout
from .row_accumulator import RowAccumulator, sum_read, sum_write

__all__ = ["ResultCollector"]


class ResultCollector(ConfiguredComponent):
    """Adds rows of sums to the accumulators: one a cycle of a stationary pass, one of each chain of an NS pass.

    Row n of the accumulators is in bank ``n mod drains`` at address ``n // drains``. Rows of the chains of one cycle
    are L apart, an odd number, so each is in a bank of its own; they are rotated to it.

    Latency: a row is written in the cycle after it comes. Throughput: a row a cycle, or one of each chain. No
    back-pressure; rows of a stationary pass and drained ones never come in one cycle.

    Parameters
    ----------
    config : GemmEngineConfig

    Members
    -------
    result : In(result_layout)
        Comes with ``sums``; of an NS pass, a cycle before the first of its rows.
    sums, drained : In
        As of :class:`.SystolicArray`.
    sum_reads : Out(sum_read).array(drains)
    sum_writes : Out(sum_write).array(drains)
    complete : Out(1)
        The last row of a command is written in this cycle.
    overflow : Out(1)
    out_of_range : Out(1)
        A row past the end of the accumulators came, and was not added.
    """

    def __init__(self, config: GemmEngineConfig):
        array = config.array
        totals = data.ArrayLayout(signed(array.sum_width), array.columns)
        super().__init__(
            config,
            {
                "result": In(result_layout(config)),
                "sums": In(totals),
                "drained": In(totals).array(array.drains),
                "sum_reads": Out(sum_read(config)).array(array.drains),
                "sum_writes": Out(sum_write(config)).array(array.drains),
                "complete": Out(1),
                "overflow": Out(1),
                "out_of_range": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config, array, result = self._config, self._config.array, self.result
        bank_bits = (array.drains - 1).bit_length()
        # The NS pass whose rows leave, how many are still to leave, and the lowest chain's: in the array, in memory.
        of_rows = layout_of_fields(result_layout(config), ("count", "lanes", "clear", "final"))
        drains, left = Signal(of_rows, reset_less=True), Signal(range(array.chain + 1))
        array_row, row = Signal(range(-array.rows, array.rows)), Signal(config.row_width, reset_less=True)
        with m.If(left != 0):
            m.d.sync += [left.eq(left - 1), array_row.eq(array_row - 1), row.eq(row - 1)]
        with m.If(result.valid & result.drains):
            m.d.sync += [
                *take_fields(drains, result),
                left.eq(array.chain),
                array_row.eq(array.rows - 1),
                row.eq(result.sum_row + array.rows - 1),
            ]
        streams, meant = Signal(), Signal(of_rows)
        m.d.comb += [streams.eq(result.valid & ~result.drains), *take_fields(meant, drains)]
        with m.If(streams):
            m.d.comb += take_fields(meant, result)
        m.d.sync += self.complete.eq(meant.final & (streams | (left == 1)))
        lanes = Signal(array.columns)
        m.d.comb += lanes.eq(Cat(column < meant.lanes for column in range(array.columns)))

        there, rows, sums = self._of_banks(m, left != 0, array_row, row, drains.count, bank_bits)
        overflows, behind = Signal(array.drains), Signal(array.drains)
        for bank in range(array.drains):
            m.submodules[f"bank_{bank}"] = unit = replicated(RowAccumulator(config))
            mine, number = Signal(name=f"mine_{bank}"), Signal(config.row_width, name=f"number_{bank}")
            m.d.comb += [
                mine.eq(Mux(streams, result.sum_row[:bank_bits] == bank, there[bank])),
                number.eq(Mux(streams, result.sum_row, rows[bank])),
                behind[bank].eq(mine & (number >= config.sum_rows)),
                unit.enable.eq(Mux(mine & ~behind[bank], lanes, 0)),
                unit.address.eq(number[bank_bits:]),
                unit.clear.eq(meant.clear),
                Value.cast(unit.sums).eq(Mux(streams, Value.cast(self.sums), sums[bank])),
                overflows[bank].eq(unit.overflow),
            ]
            connect_port(m, unit.read, self.sum_reads[bank], Out)
            connect_port(m, unit.write, self.sum_writes[bank], Out)
        m.d.comb += [self.overflow.eq(overflows.any()), self.out_of_range.eq(behind.any())]
        return m

    def _of_banks(self, m, draining, array_row, row, count, bank_bits):
        """For each bank, whether it gets a drained row, which, and the sums."""
        array = self._config.array
        there, rows, sums = ([None] * array.drains for _ in range(3))
        for chain, drained in enumerate(self.drained):
            of_array = Signal(range(-2 * array.rows, array.rows), name=f"row_of_array_{chain}")
            is_there, of_memory, words = (
                Signal(shape, name=f"{name}_{chain}")
                for name, shape in (("there", 1), ("row", row.shape()), ("words", len(Value.cast(drained))))
            )
            m.d.comb += [
                of_array.eq(array_row - chain * array.chain),
                is_there.eq(draining & (of_array >= 0) & (of_array < count)),
                of_memory.eq(row - chain * array.chain),
                words.eq(drained),
            ]
            # In the order of the banks that follow that of the lowest chain's row.
            place = -chain * array.chain % array.drains
            there[place], rows[place], sums[place] = is_there, of_memory, words
        distance = row[:bank_bits]
        return tuple(
            rotate(m, words, distance, name) for words, name in ((there, "there"), (rows, "rows"), (sums, "sums"))
        )
