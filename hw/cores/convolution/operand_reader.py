"""From requests to operands: the read ports of the buffers, and the edges of the array."""

from amaranth.hdl import Module, Mux, Signal, Value, signed
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import layout_of_fields, take_fields
from ..memory.ports import ReadPort
from ..memory.transposable import TransposableReadPort
from .gemm_config import GemmEngineConfig
from .layouts import load_layout, request_layout
from .systolic_array import step_layout

__all__ = ["OperandReader", "input_ports", "weight_ports"]

# Fields of a step and of a load that what was read needs.
STEP = ("valid", "first", "last", "stationary", "input_stationary", "input_half", "weight_half", "count")
LOAD = ("first", "inputs", "half")
# Zero times a number that is not meant could be NaN, so both factors become zeros.
FLOAT_LOAD = (*LOAD, "count")


def input_ports(config: GemmEngineConfig):
    """Read ports of the halves of the input buffer, seen from the engine."""
    return Out(TransposableReadPort(config.input_memory)).array(2)


def weight_ports(config: GemmEngineConfig):
    """Read ports of the halves of the kernel buffer, seen from the engine."""
    row = data.ArrayLayout(signed(config.array.weight_width), config.weights)
    return Out(ReadPort(row, config.weight_rows)).array(2)


class OperandReader(ConfiguredComponent):
    """Reads operands of a step and a vector of the next block in a cycle.

    Operands of rows of the array that are not meant become zeros, and of floating point also those of blocks.

    Latency: ``latency`` = 2 cycles, that of the memories and a register. Throughput: a step and a vector a cycle. No
    back-pressure; a step and a vector must not be read of the same half of a buffer.

    Parameters
    ----------
    config : GemmEngineConfig

    Members
    -------
    request : In(request_layout)
    load : In(load_layout)
    inputs : Out(TransposableReadPort(config.input_memory)).array(2)
    weights : Out(ReadPort(row of weights, weight_rows)).array(2)
    step : Out(step_layout)
    west, north, preload, loads : Out
        As ``west``, ``north``, ``preload`` and ``load`` of :class:`.SystolicArray`.
    out_of_range : Out(1)
        A row past the end of a buffer is read.
    """

    latency = 2

    def __init__(self, config: GemmEngineConfig):
        array = config.array
        operand = signed(array.operand_width)
        super().__init__(
            config,
            {
                "request": In(request_layout(config)),
                "load": In(load_layout(config)),
                "inputs": input_ports(config),
                "weights": weight_ports(config),
                "step": Out(step_layout),
                "west": Out(data.ArrayLayout(operand, array.rows)),
                "north": Out(data.ArrayLayout(operand, array.columns)),
                "preload": Out(data.ArrayLayout(operand, array.rows)),
                "loads": Out(1),
                "out_of_range": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config, request, load = self._config, self.request, self.load
        reads_inputs, reads_weights = Signal(), Signal()
        m.d.comb += [
            reads_inputs.eq(request.enable & ~(request.stationary & request.input_stationary)),
            reads_weights.eq(request.enable & (~request.stationary | request.input_stationary)),
            self.out_of_range.eq(
                (reads_inputs & (request.input_row >= config.input_rows))
                | (reads_weights & (request.weight_row >= config.weight_rows))
                | (load.enable & (load.row >= Mux(load.inputs, config.input_rows, config.weight_rows)))
            ),
        ]
        for half, port in enumerate(self.inputs):
            steps = Signal(name=f"inputs_{half}_steps")
            m.d.comb += [
                steps.eq(reads_inputs & (request.input_half == half)),
                port.enable.eq(steps | (load.enable & load.inputs & (load.half == half))),
                port.row.eq(Mux(steps, request.input_row, load.row)),
                port.index.eq(Mux(steps, request.index, load.index)),
                port.column.eq(steps & ~request.stationary),
                port.lane.eq(request.index),
            ]
        for half, port in enumerate(self.weights):
            steps = Signal(name=f"weights_{half}_steps")
            m.d.comb += [
                steps.eq(reads_weights & (request.weight_half == half)),
                port.enable.eq(steps | (load.enable & ~load.inputs & (load.half == half))),
                port.address.eq(Mux(steps, request.weight_row, load.row)),
            ]
        self._give(m)
        return m

    def _give(self, m):
        """The rows that were read a cycle ago, to the edges of the array."""
        array = self._config.array
        step = Signal(layout_of_fields(request_layout(self._config), STEP))
        floating = array.format is not None
        load = Signal(layout_of_fields(load_layout(self._config), FLOAT_LOAD if floating else LOAD))
        m.d.sync += [*take_fields(step, self.request), *take_fields(load, self.load)]
        streamed_inputs = self._choose(m, self.inputs, step.input_half, array.input_width, "streamed_inputs")
        streamed_weights = self._choose(m, self.weights, step.weight_half, array.weight_width, "streamed_weights")
        loaded_inputs = self._choose(m, self.inputs, load.half, array.input_width, "loaded_inputs")
        loaded_weights = self._choose(m, self.weights, load.half, array.weight_width, "loaded_weights")
        weights_move = Signal()
        m.d.comb += weights_move.eq(step.stationary & step.input_stationary)
        for row in range(array.rows):
            streamed = Mux(weights_move, streamed_weights[row], streamed_inputs[row])
            loaded = Mux(load.inputs, loaded_inputs[row], loaded_weights[row])
            m.d.sync += [
                self.west[row].eq(Mux(row < step.count, streamed, 0)),
                self.preload[row].eq(Mux(row < load.count, loaded, 0) if floating else loaded),
            ]
        m.d.sync += [
            *(self.north[column].eq(streamed_weights[column]) for column in range(array.columns)),
            self.step.stationary.eq(step.stationary),
            self.step.first.eq(step.valid & step.first),
            self.step.last.eq(step.last),
            self.loads.eq(load.first),
        ]

    def _choose(self, m, halves, half, width, name):
        """The row of a half, of signed words."""
        rows = [Value.cast(port.data) for port in halves]
        row = Signal(data.ArrayLayout(signed(width), len(rows[0]) // width), name=name)
        m.d.comb += Value.cast(row).eq(Mux(half, rows[1], rows[0]))
        return row
