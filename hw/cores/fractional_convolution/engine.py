"""The engine of fractionally strided convolutions."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..forwarding import forward_port
from ..memory.ports import ReadPort
from ..pipeline import delay
from ..replicated import replicated
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from .column_walk import ColumnWalk
from .config import FractionalConvolutionConfig
from .conv_core import ConvCore
from .layouts import (
    column_command,
    command_layout,
    connect_command,
    operands_layout,
    output_layout,
    pixel_command,
    row_command,
)
from .pad_accumulate import PadAccumulate
from .pixel_walk import PixelWalk
from .row_reader import RowReader
from .scratchpad import Scratchpad
from .task_sequencer import TaskSequencer

__all__ = ["FractionalConvolutionEngine"]

# Passes that wait before the parts behind the task sequencer: two have halves of the scratchpad, one is taken.
_QUEUE = StreamBufferConfig(depth=3, latency=1)


class FractionalConvolutionEngine(ConfiguredComponent):
    """Fractionally strided convolutions by kn2row, a channel tile at a time; no inserted or padded zero is multiplied.

    ::

        Y[z, x S1 + a - padding1, y S2 + b - padding2] += X[i, x, y] * W[i, z, a, b]

    which is PyTorch's ``conv_transpose2d``: the kernel is not turned. A product of matrices, pixels by input channels
    and input channels by columns, gives the unit convolutions; a column is a pair of kernel element e = a K2 + b and
    channel z of the tile. Each sum is then added to the output that it belongs to::

        commands ──> TaskSequencer ──> input and weight memory ──> n ConvCores ──> PadAccumulate <──> Scratchpad
              ├────> PixelWalk ───── pixels ──────────────────────────┘   ┌── columns ──┘              │
              ├────> ColumnWalk ──────────────────────────────────────────┘                           │
              └────> RowReader <── output rows ───────────────────────────────────────────────────────┘

    A command is a pass (:class:`.Pass`): a channel tile, whose output pictures a half of the scratchpad holds. Pixel
    tile t has input channel i in input row ``input_row + t * input_channels + i``, column block c in weight row
    ``weight_row + c * input_channels + i``; places of pixels and columns that are not there may hold anything.

    Number format and order: that of ``config.arithmetic``. Integers are exact; a pass whose sums might not fit is
    refused by :class:`.Pass`. In floating point every unit convolution is summed up from +0 on by input channels in
    ascending order, products and sums each rounded to nearest even; an output is summed up from +0 on by kernel
    elements e in ascending order. So the bits do not depend on the size of the array.

    Throughput: with full tiles and blocks ``rows * lanes`` multiplications and additions a cycle from ``input_channels
    >= rows * interval`` on; :mod:`.cycles` has the exact cycles. After a reset ``scratchpad_rows`` cycles pass before
    the first command is taken.

    Back-pressure: commands wait, and outputs and completions wait for ``ready``; at most two passes are begun whose
    words have not all been read. The parts between never wait.

    Parameters
    ----------
    config : FractionalConvolutionConfig

    Members
    -------
    commands : In(stream.Signature(command_layout(config)))
    completions : Out(stream.Signature(1))
        A transfer when all words of a pass have been taken, in the order of the commands.
    busy : Out(1)
        A command is not complete.
    errors : Out
        ``address_out_of_range``: past the end of the input memory, the weight memory or the scratchpad;
        ``nonfinite``: an output is infinite or NaN.
    read_inputs : Out(ReadPort(operands_layout(config, rows), input_rows))
    read_weights : Out(ReadPort(operands_layout(config, lanes), weight_rows))
    outputs : Out(stream.Signature(output_layout(config)))
        The output rows of a pass, picture by picture, each in ``row_words`` words: column * channels + z,
        ``config.outputs`` a word, zeros past the end of a row; or pixel by pixel, zeros after a pixel's channels.

    Source
    ------
    Thesis, section 3.2 (FSCAccel), figures 3.14 to 3.16.
    """

    def __init__(self, config: FractionalConvolutionConfig):
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(command_layout(config))),
                "completions": Out(stream.Signature(1)),
                "busy": Out(1),
                "errors": Out(data.StructLayout({"address_out_of_range": 1, "nonfinite": 1})),
                "read_inputs": Out(ReadPort(operands_layout(config, config.rows), config.input_rows)),
                "read_weights": Out(ReadPort(operands_layout(config, config.lanes), config.weight_rows)),
                "outputs": Out(stream.Signature(output_layout(config))),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.tasks = tasks = TaskSequencer(config)
        m.submodules.pixels = pixels = PixelWalk(config)
        m.submodules.columns = columns = ColumnWalk(config)
        m.submodules.accumulate = accumulate = PadAccumulate(config)
        m.submodules.scratchpad = scratchpad = Scratchpad(config)
        m.submodules.rows = rows = RowReader(config)
        self._take_commands(m, tasks, pixels, columns, rows, scratchpad.ready)
        for name in ("outputs", "completions"):
            forward_port(m, rows, self, name)
        for number, user in enumerate((accumulate, rows)):
            wiring.connect(m, user.read, scratchpad.reads[number])
            wiring.connect(m, user.write, scratchpad.writes[number])
        step = tasks.step
        m.d.comb += [
            self.read_inputs.enable.eq(step.valid),
            self.read_inputs.address.eq(step.input_row),
            self.read_weights.enable.eq(step.valid),
            self.read_weights.address.eq(step.weight_row),
            tasks.freed.eq(rows.freed),
            accumulate.pixel.eq(pixels.pixel),
            accumulate.columns.eq(columns.columns),
            columns.next.eq(pixels.pixel.valid & pixels.pixel.begins_block),
            rows.done.eq(accumulate.done),
            self.errors.address_out_of_range.eq(
                rows.out_of_range
                | step.valid & ((step.input_row >= config.input_rows) | (step.weight_row >= config.weight_rows))
            ),
            self.errors.nonfinite.eq(rows.nonfinite),
        ]
        self._multiply(m, step, pixels, accumulate)
        return m

    def _take_commands(self, m, tasks, pixels, columns, rows, ready):
        """Each part gets its fields in the cycle in which the task sequencer takes the command."""
        command, takes, outstanding = self.commands.payload, Signal(), Signal(4)
        connect_command(m, command, tasks.commands.payload)
        queues = []
        for name, layout, part in (
            ("pixel_commands", pixel_command, pixels),
            ("column_commands", column_command, columns),
            ("row_commands", row_command, rows),
        ):
            m.submodules[name] = queue = StreamBuffer(layout(self._config), _QUEUE)
            connect_command(m, command, queue.i.payload)
            wiring.connect(m, queue.o, part.commands)
            queues.append(queue.i)
        takers = [tasks.commands, *queues]
        m.d.comb += [
            self.commands.ready.eq(ready & Cat(taker.ready for taker in takers).all()),
            takes.eq(self.commands.valid & self.commands.ready),
            *(taker.valid.eq(takes) for taker in takers),
            self.busy.eq(outstanding != 0),
        ]
        m.d.sync += outstanding.eq(outstanding + takes - (self.completions.valid & self.completions.ready))

    def _multiply(self, m, step, pixels, accumulate):
        """Operands to the conv cores, and what the cores are told when."""
        config = self._config
        depth = config.arithmetic.multiplier_depth
        inputs = Signal(operands_layout(config, config.rows), reset_less=True)
        weights = Signal(operands_layout(config, config.lanes), reset_less=True)
        clear, capture = Signal(), Signal()
        m.d.sync += [inputs.eq(self.read_inputs.data), weights.eq(self.read_weights.data)]
        m.d.comb += [
            clear.eq(delay(m, step.first, 2 + depth, "first")),
            # A reset forgets everything that is on its way.
            capture.eq(delay(m, step.last, 2 + depth + config.arithmetic.adder_depth, "last", reset_less=False)),
            pixels.capture.eq(capture),
        ]
        for number in range(config.cores):
            m.submodules[f"core_{number}"] = core = replicated(ConvCore(config), name="core")
            m.d.comb += [
                core.pixels.eq(inputs),
                core.clear.eq(clear),
                core.capture.eq(capture),
                core.shift.eq(pixels.pixel.valid),
            ]
            for column in range(config.columns):
                place = number * config.columns + column
                m.d.comb += [core.weights[column].eq(weights[place]), accumulate.sums[place].eq(core.sums[column])]
