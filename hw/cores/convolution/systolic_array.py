"""The systolic array: processing elements, and the registers at its edges that make its ports plain vectors."""

from amaranth.hdl import Cat, Module, Signal, Value, signed
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..pipeline import delay
from ..replicated import replicated
from .processing_element import row_layout
from .skew import deskew, skew
from .systolic_array_config import SystolicArrayConfig
from .systolic_row import SystolicRow, south_layout

__all__ = ["SystolicArray", "step_layout"]

# Properties of a pass's step.
step_layout = data.StructLayout({"stationary": 1, "first": 1, "last": 1})


class SystolicArray(ConfiguredComponent):
    """Multiplies matrices in passes: a step a cycle, a dataflow a pass.

    ::

                        north (weights of an NS step)
                          |       |       |
        west ----------> PE --> PE --> PE          row r of a step is r cycles behind row 0, column c another c:
        (operands, and    v       v       v        the triangles of registers for it are inside
        stationary -----> PE --> PE --> PE
        vectors)          v       v       v
                        sums (a row a step), drained (a row of each chain a cycle)

    *Non-stationary* (NS): step k has elements of ``rows`` rows in ``west`` and of ``columns`` columns in ``north``;
    element (r, c) sums up ``west[r] * north[c]`` over the steps of the pass, all of which follow each other without a
    gap. *Stationary* (WS where weights stand, IS where inputs do): element (r, c) holds ``block[r][c]``; a step gives
    ``sums[c]``, the sum over r of ``west[r] * block[r][c]``. The steps need not follow each other.

    A block is loaded a column a cycle: ``load`` comes with column 0, ``preload`` has column c, c cycles later, for as
    many columns as are wanted. The first step of the pass that it is for comes at the earliest one cycle after its
    last column; the load of the next block, at the earliest with that first step.

    The sums of an NS pass leave by ``drains`` chains of L = ``config.chain`` rows, counted from the lowest: chain s
    ends at row ``e = rows - 1 - s * L``. ``drained[s]`` has rows e, e - 1, ... in L cycles, the first of them
    ``drain_latency`` cycles after the last step; rows below 0 mean nothing.

    **When passes follow each other.** In any order of dataflows a pass may begin in the cycle after the last step of
    the one before, but for two cases: a stationary pass waits for its block, and the last steps of two NS passes are L
    cycles or more apart, so NS passes of b >= L steps follow each other without a gap. Sums and drained sums of
    passes of different dataflows may come in the same cycle, on ports of their own.

    Number format: integers, exact, or floating point; see :class:`.SystolicProcessingElement`. Sums of an NS pass are
    formed in the order of its steps, those of a stationary pass in the order of rows.

    Latency: ``latency`` cycles from a step to ``sums``, ``drain_latency`` from the last one to ``drained``.
    Throughput: a step a cycle, ``rows * columns`` products. No back-pressure.

    Parameters
    ----------
    config : SystolicArrayConfig

    Members
    -------
    step : In(step_layout)
        ``last`` of NS passes alone.
    west : In(data.ArrayLayout(signed(operand_width), rows))
    north : In(data.ArrayLayout(signed(operand_width), columns))
        Used in NS steps.
    load : In(1)
    preload : In(data.ArrayLayout(signed(operand_width), rows))
    sums : Out(data.ArrayLayout(signed(sum_width), columns))
    drained : Out(data.ArrayLayout(signed(sum_width), columns)).array(drains)

    Source
    ------
    DYNAMAP, section 3.1.3, "Dataflow-switchable & Stall-free PE design".
    """

    def __init__(self, config: SystolicArrayConfig):
        operand = signed(config.operand_width)
        totals = data.ArrayLayout(signed(config.sum_width), config.columns)
        super().__init__(
            config,
            {
                "step": In(step_layout),
                "west": In(data.ArrayLayout(operand, config.rows)),
                "north": In(data.ArrayLayout(operand, config.columns)),
                "load": In(1),
                "preload": In(data.ArrayLayout(operand, config.rows)),
                "sums": Out(totals),
                "drained": Out(totals).array(config.drains),
            },
        )

    @property
    def latency(self):
        """Cycles from a stationary pass's step to its sums."""
        return self._config.latency

    @property
    def drain_latency(self):
        """Cycles from the last step of a non-stationary pass to its first drained rows."""
        return self._config.drain_latency

    def elaborate(self, platform):
        m = Module()
        config = self._config
        edges = self._west_edge(m)
        # Chains, counted from the lowest, by the row at which they end.
        ends = {config.rows - 1 - chain * config.chain: chain for chain in range(config.drains)}
        above = Signal(south_layout(config), name="north_edge")
        weights = skew(m, Value.cast(self.north), config.operand_width, "north")
        m.d.comb += above.weight.eq(Cat(weights))
        for index, edge in enumerate(edges):
            m.submodules[f"row_{index}"] = row = replicated(SystolicRow(config))
            m.d.comb += [row.west.eq(edge), row.north.weight.eq(above.weight), row.north.sum.eq(above.sum)]
            # A chain begins after the end of the one above.
            if index - 1 not in ends:
                m.d.comb += row.north.drained.eq(above.drained)
            above = row.south
            if index in ends:
                self._drain(m, ends[index], above.drained)
        m.d.comb += Value.cast(self.sums).eq(deskew(m, above.sum, config.sum_width, "sums"))
        return m

    def _west_edge(self, m):
        """For each row what goes into its first element."""
        config = self._config
        operands, preloads = (
            skew(m, Value.cast(port), config.operand_width, name)
            for port, name in ((self.west, "west"), (self.preload, "load"))
        )
        edges = [Signal(row_layout(config), name=f"edge_{row}") for row in range(config.rows)]
        step, load = self.step, self.load
        for row, edge in enumerate(edges):
            m.d.comb += [
                edge.operand.eq(operands[row]),
                edge.preload.eq(preloads[row]),
                edge.stationary.eq(step.stationary),
                edge.first.eq(step.first),
                edge.last.eq(step.last),
                edge.load.eq(load),
            ]
            step = delay(m, step, 1, f"step_{row}", reset_less=False)
            load = delay(m, load, 1, f"load_{row}", reset_less=False)
        for end in range(config.rows - 1, -1, -config.chain):
            # The sum of the chain's lowest row is captured: the row's last step is through three registers.
            release = delay(m, edges[end].last, 3, f"release_{end}", reset_less=False)
            m.d.comb += [edges[row].release.eq(release) for row in range(max(0, end - config.chain + 1), end + 1)]
        return edges

    def _drain(self, m, chain, drained):
        """Rows of sums of a chain, in the cycles of those of the lowest one."""
        config, name = self._config, f"chain_{chain}"
        aligned = Signal.like(drained, name=name)
        m.d.comb += [
            aligned.eq(deskew(m, drained, config.sum_width, name)),
            Value.cast(self.drained[chain]).eq(delay(m, aligned, chain * config.chain, name)),
        ]
