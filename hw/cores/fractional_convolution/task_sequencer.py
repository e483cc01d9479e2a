"""Sequence of pixel tiles and column blocks that the conv cores work on, step by step."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import layout_without, take_fields
from .config import FractionalConvolutionConfig
from .cycles import sums_latency
from .layouts import step_layout, task_command

__all__ = ["TaskSequencer"]


class TaskSequencer(ConfiguredComponent):
    """Issues a step a cycle: tasks in I issue slots, a task being a pixel tile and a column block.

    A pass is walked block by block, each over all tiles. The slots have their turns one after the other; a slot whose
    task has had all its steps takes the next task in its turn, if

    - the sums of that task will be complete when those of the task before have left the conv cores, ``tile_cycles``
      (``last_cycles``) after they were complete,
    - the columns of its block will be known: the column walk takes N cycles for a block, from the first pixel of the
      block before on,
    - a half of the scratchpad is free for its pass.

    So nothing behind ever has to wait: the conv cores have no stall.

    Latency: one cycle from a command to the first task. Throughput: a step a cycle while the three conditions hold,
    also from one pass to the next. Back-pressure: a command is taken when the last task of the one before begins.

    Parameters
    ----------
    config : FractionalConvolutionConfig

    Members
    -------
    commands : In(stream.Signature(task_command(config)))
    freed : In(1)
        A half of the scratchpad has been read.
    step : Out(step_layout(config))
        A register.
    """

    def __init__(self, config: FractionalConvolutionConfig):
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(task_command(config))),
                "freed": In(1),
                "step": Out(step_layout(config)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config, taken = self._config, Signal()
        # All but what is counted on from the first.
        command = Signal(layout_without(task_command(config), "weight_row"), reset_less=True)
        active, begun, starts = Signal(), Signal(), Signal()
        tile, block = Signal.like(command.tiles), Signal.like(command.blocks)
        last_tile, last_block = Signal(), Signal()
        input_row, weight_row = (Signal.like(self.commands.payload[name]) for name in ("input_row", "weight_row"))
        m.d.comb += [
            last_tile.eq(tile + 1 == command.tiles),
            last_block.eq(block + 1 == command.blocks),
            self.commands.ready.eq(~active | starts & last_tile & last_block),
            taken.eq(self.commands.valid & self.commands.ready),
        ]
        allowed = self._allowed(m, command, taken, starts, begun, first=tile == 0, last=last_tile)
        self._issue(m, command, active & allowed, starts, input_row, weight_row)
        with m.If(starts):
            m.d.sync += [begun.eq(1), tile.eq(tile + 1), input_row.eq(input_row + command.input_channels)]
            with m.If(last_tile):
                m.d.sync += [
                    tile.eq(0),
                    input_row.eq(command.input_row),
                    block.eq(block + 1),
                    weight_row.eq(weight_row + command.input_channels),
                ]
                with m.If(last_block):
                    m.d.sync += active.eq(0)
        with m.If(taken):
            m.d.sync += [
                active.eq(1),
                begun.eq(0),
                *take_fields(command, self.commands.payload),
                tile.eq(0),
                block.eq(0),
                input_row.eq(self.commands.payload.input_row),
                weight_row.eq(self.commands.payload.weight_row),
            ]
        return m

    def _allowed(self, m, command, taken, starts, begun, *, first, last):
        """Whether what stands behind the conv cores will have room for the next task when its sums are complete."""
        config, span = self._config, self._config.slots * self._config.input_channels
        cores_wait, columns_wait = (
            Signal(range(span + config.rows * config.reuse + 1)),
            Signal(range(span + config.lanes + 1)),
        )
        halves = Signal(2, init=2)
        allowed = Signal()
        m.d.comb += allowed.eq(
            (cores_wait <= command.span) & (~first | (columns_wait <= command.span)) & (begun | halves.any())
        )
        m.d.sync += [
            cores_wait.eq(Mux(cores_wait == 0, 0, cores_wait - 1)),
            columns_wait.eq(Mux(columns_wait == 0, 0, columns_wait - 1)),
            halves.eq(halves + self.freed - (starts & ~begun)),
        ]
        with m.If(starts):
            m.d.sync += cores_wait.eq(command.span + Mux(last, command.last_cycles, command.tile_cycles) - 1)
            with m.If(first):
                m.d.sync += columns_wait.eq(command.span + config.lanes - 1)
        # The walk over the columns of a new pass takes as long, but begins at once.
        fill = max(0, config.lanes + 1 - sums_latency(config))
        with m.If(taken & ~(starts & first) & (columns_wait <= fill)):
            m.d.sync += columns_wait.eq(fill)
        return allowed

    def _issue(self, m, command, offered, starts, input_row, weight_row):
        """The slots in a ring: the first one has its turn."""
        slot_layout = data.StructLayout(
            {
                "left": command.input_channels.shape(),
                "input_row": command.input_row.shape(),
                "weight_row": weight_row.shape(),
            }
        )
        ring = [Signal(slot_layout, name=f"slot_{number}") for number in range(self._config.slots)]
        head, idle, valid = ring[0], Signal(), Signal()
        now, then = Signal(slot_layout), Signal(slot_layout)
        m.d.comb += [
            idle.eq(head.left == 0),
            starts.eq(offered & idle),
            valid.eq(starts | ~idle),
            now.left.eq(Mux(idle, command.input_channels, head.left)),
            now.input_row.eq(Mux(idle, input_row, head.input_row)),
            now.weight_row.eq(Mux(idle, weight_row, head.weight_row)),
            then.left.eq(Mux(valid, now.left - 1, 0)),
            then.input_row.eq(now.input_row + 1),
            then.weight_row.eq(now.weight_row + 1),
        ]
        m.d.sync += [
            *(slot.eq(following) for slot, following in zip(ring, [*ring[1:], then], strict=True)),
            self.step.valid.eq(valid),
            self.step.input_row.eq(now.input_row),
            self.step.weight_row.eq(now.weight_row),
            self.step.first.eq(starts),
            self.step.last.eq(valid & (then.left == 0)),
        ]
