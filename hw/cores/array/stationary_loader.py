"""Loads the stationary rows of a tile."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .commands import ROW_WIDTH, Dataflow
from .engine_config import ArrayEngineConfig
from .layouts import stationary_layout, tile_layout

__all__ = ["StationaryLoader"]


class StationaryLoader(ConfiguredComponent):
    """Asks for the stationary rows of one tile, and with the first tile of a block for its biases, one row a cycle.

    With ``intra_layer`` every core takes a tile of its own, one after the other.

    Latency: the first row is asked for in the cycle after ``start``, the last one in the cycle of ``done``. A tile
    takes ``lanes`` cycles, times the cores with ``intra_layer``, and one more with biases. No back-pressure.

    Parameters
    ----------
    config : ArrayEngineConfig

    Members
    -------
    start : In(1)
        Load ``tile``; only while ``done``.
    tile : In(tile_layout(config))
    done : Out(1)
        No tile is being loaded, or its last row is asked for in this cycle.
    loaded : Out(tile_layout(config))
        The tile that was loaded last.
    stationary : Out(stationary_layout(config))

    Source
    ------
    FIXAR, section V-B.
    """

    def __init__(self, config: ArrayEngineConfig):
        super().__init__(
            config,
            {
                "start": In(1),
                "tile": In(tile_layout(config)),
                "done": Out(1, init=1),
                "loaded": Out(tile_layout(config)),
                "stationary": Out(stationary_layout(config)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        lanes, cores = self._config.lanes, self._config.cores
        tile = Signal(tile_layout(self._config), reset_less=True)
        command = tile.command
        loading, bias = Signal(), Signal()
        row, sample = Signal(ROW_WIDTH), Signal(ROW_WIDTH)
        index, core = Signal(range(lanes)), Signal(range(cores + 1))

        last_row, last_core, tile_ends, wants_bias = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            self.loaded.eq(tile),
            last_row.eq(index == lanes - 1),
            last_core.eq(~command.intra_layer | (core == cores - 1)),
            tile_ends.eq(last_row & last_core),
            wants_bias.eq((command.dataflow == Dataflow.FORWARD) & command.bias & tile.first_inner),
        ]
        # Known a cycle ahead and registered, for much depends on it; a load takes two cycles or more.
        with m.If(loading & ~self.done):
            m.d.sync += self.done.eq(Mux(wants_bias, tile_ends, (index == lanes - 2) & last_core))
        with m.If(loading):
            m.d.sync += [
                row.eq(row + Mux(tile.loads_errors & command.half, 2, 1)),
                sample.eq(sample + Mux(command.half, 2, 1)),
                index.eq(index + 1),
            ]
            with m.If(last_row):
                m.d.sync += [index.eq(0), core.eq(core + 1)]
            with m.If(tile_ends):
                m.d.sync += bias.eq(1)
            with m.If(self.done):
                m.d.sync += loading.eq(0)
        with m.If(self.start):
            m.d.sync += [
                loading.eq(1),
                self.done.eq(0),
                tile.eq(self.tile),
                index.eq(0),
                core.eq(0),
                bias.eq(0),
                sample.eq(self.tile.stationary_sample),
                row.eq(self.tile.stationary_row),
            ]

        m.d.comb += [
            self.stationary.valid.eq(loading),
            self.stationary.row.eq(Mux(bias, command.bias_base + tile.outer, row)),
            self.stationary.index.eq(index),
            self.stationary.bias.eq(bias),
        ]
        self._choose_cores(m, tile, core, sample, bias)
        return m

    def _choose_cores(self, m, tile, core, sample, bias):
        """Choose the cores that take a row, and those that take zeros."""
        command, stationary = tile.command, self.stationary
        m.d.comb += [
            stationary.errors.eq(tile.loads_errors),
            stationary.bank.eq(command.bank),
            stationary.transposed.eq(command.dataflow != Dataflow.FORWARD),
        ]
        for number in range(self._config.cores):
            samples = Signal(10, name=f"samples_{number}")
            no_block = command.intra_layer & (tile.inner + number >= command.inner_count)
            m.d.comb += [
                samples.eq(command.samples - (command.full_cores <= number)),
                stationary.cores[number].eq(~bias & (~command.intra_layer | (core == number))),
                stationary.absent[number].eq(Mux(tile.loads_errors, sample >= samples, no_block)),
            ]
