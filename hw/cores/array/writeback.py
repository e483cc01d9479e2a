"""The write-back path: from drained sums to words and codes in memory."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..quantization.parameters import slot_parameters
from ..replicated import replicated
from .config import ACCUMULATOR_WIDTH, WORD_WIDTH, WritebackConfig
from .pipeline import count_ones, delay
from .writeback_lane import WritebackLane

__all__ = ["WritebackPath", "writeback_control"]

# Lookup ports.
INPUT, AUXILIARY, OUTPUT = range(3)
# From a slot to its parameters.
LOOKUP_LATENCY = 1


def writeback_control(config: WritebackConfig):
    """Layout of what holds for one row of all cores.

    Parameters
    ----------
    config : WritebackConfig
    """
    return data.StructLayout(
        {
            "core_mask": config.cores,  # cores that write
            "sample_valid": config.cores,  # cores whose values are counted and monitored
            "half_rule": 1,
            "select_high": 1,
            "shift": 5,
            "bias_shift": 4,
            "operation": 3,
            "input_slot": range(config.slots),  # its scale, for the half rule
            "auxiliary_packed": 1,
            "auxiliary_high": 1,  # which half of packed words
            "auxiliary_slot": range(config.slots),
            "lanes": range(config.lanes + 1),  # lanes that are present
            "merge": 1,  # absent lanes keep what they hold, else they become zero
            "destination": 1,  # 0: activation memory, 1: error memory
            "row": range(config.rows),
            "index": range(config.lanes),  # row mod lanes
            "store_half": 1,  # pack codes, two samples a row
            "parity": 1,  # which of the two
            "output_slot": range(config.slots),
            "monitor": 1,
            "quantize": 1,  # write the code, not the value
        }
    )


class WritebackPath(wiring.Component):
    """Drained sums of all cores, rescaled, through the activation unit, monitored, quantised, to the memories.

    For each core and lane: ``x = rescale(low, high, bias)``, ``y = activate(operation, x, auxiliary)``, and the word
    written is ``y`` or, with ``quantize``, its code in the output slot. Lanes from ``lanes`` on are absent: written
    as zero, or not at all with ``merge``. ``temporal_difference_target`` takes its factor for lane 0 from lane 1; for
    other lanes it is zero.

    Number format: see :class:`Rescaler`, :class:`Dequantizer`, :class:`ActivationUnit`, :class:`Quantizer`.

    Latency: ``latency`` cycles from a row to its write request, ``monitor_latency`` to its monitor row; one row of all
    cores a cycle. No back-pressure.

    Parameters
    ----------
    config : WritebackConfig

    Members
    -------
    valid : In(1)
    control : In(writeback_control(config))
    low, high : In(signed(57)).array(cores, lanes)
    bias : In(signed(32)).array(lanes)
        Shared by the cores.
    auxiliary : In(32).array(cores, lanes)
        Rows as read from memory.
    lookup_slots : Out(range(slots)).array(3)
        Input, auxiliary and output slot.
    lookup_parameters : In(slot_parameters).array(3)
        Their parameters, one cycle later.
    write_enable : Out(cores)
    write_destination, write_row, write_index, write_half, write_parity : out
        Where to; the same for all cores.
    write_mask : Out(lanes)
    write_data : Out(32).array(cores, lanes)
    monitor_valid, monitor_slot : out
    monitor_values : Out(signed(32)).array(cores, lanes)
    monitor_mask : Out(lanes).array(cores)
    arithmetic_saturations : Out(range(2 * cores * lanes + 1))
        Values clamped by rescaling or activation in the row being written.
    quantizer_saturations : Out(range(cores * lanes + 1))
        Values of the row being written that were out of their recorded range.

    Source
    ------
    FIXAR, sections III to V.
    """

    def __init__(self, config: WritebackConfig):
        self._config = config
        cores, lanes = config.cores, config.lanes
        self._lanes = [[replicated(WritebackLane(), key=()) for _ in range(lanes)] for _ in range(cores)]
        super().__init__(
            {
                "valid": In(1),
                "control": In(writeback_control(config)),
                "low": In(signed(ACCUMULATOR_WIDTH)).array(cores, lanes),
                "high": In(signed(ACCUMULATOR_WIDTH)).array(cores, lanes),
                "bias": In(signed(WORD_WIDTH)).array(lanes),
                "auxiliary": In(WORD_WIDTH).array(cores, lanes),
                "lookup_slots": Out(range(config.slots)).array(3),
                "lookup_parameters": In(slot_parameters).array(3),
                "write_enable": Out(cores),
                "write_destination": Out(1),
                "write_row": Out(range(config.rows)),
                "write_index": Out(range(lanes)),
                "write_half": Out(1),
                "write_parity": Out(1),
                "write_mask": Out(lanes),
                "write_data": Out(WORD_WIDTH).array(cores, lanes),
                "monitor_valid": Out(1),
                "monitor_slot": Out(range(config.slots)),
                "monitor_values": Out(signed(WORD_WIDTH)).array(cores, lanes),
                "monitor_mask": Out(lanes).array(cores),
                "arithmetic_saturations": Out(range(2 * cores * lanes + 1)),
                "quantizer_saturations": Out(range(cores * lanes + 1)),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def monitor_latency(self):
        """Cycles from a row of sums to its monitor row."""
        return LOOKUP_LATENCY + self._lanes[0][0].value_latency

    @property
    def latency(self):
        """Cycles from a row of sums to its write request."""
        return LOOKUP_LATENCY + self._lanes[0][0].latency + 1

    def elaborate(self, platform):
        m = Module()
        unit = self._lanes[0][0]
        activation_stage = LOOKUP_LATENCY + unit.activation_start
        value_stage = self.monitor_latency
        store_stage = self.latency - 1

        # The control of each stage; synthesis keeps the fields that are still wanted.
        controls = [self.control]
        valids = [self.valid]
        for stage in range(1, store_stage + 1):
            control = Signal(self.control.shape(), name=f"control_{stage}", reset_less=True)
            valid = Signal(name=f"valid_{stage}")
            m.d.sync += [control.eq(controls[-1]), valid.eq(valids[-1])]
            controls.append(control)
            valids.append(valid)

        m.d.comb += [
            self.lookup_slots[INPUT].eq(self.control.input_slot),
            self.lookup_slots[AUXILIARY].eq(self.control.auxiliary_slot),
            self.lookup_slots[OUTPUT].eq(controls[value_stage - LOOKUP_LATENCY].output_slot),
        ]

        self._connect_lanes(m, controls[LOOKUP_LATENCY], controls[activation_stage], controls[store_stage])
        self._monitor(m, valids[value_stage], controls[value_stage])
        self._store(m, valids[store_stage], controls[store_stage])
        return m

    def _connect_lanes(self, m, first, activation, store):
        """Everything that goes into the lanes, in its stage."""
        bias = [delay(m, value, LOOKUP_LATENCY, f"bias_{lane}") for lane, value in enumerate(self.bias)]
        for core, lanes in enumerate(self._lanes):
            for number, lane in enumerate(lanes):
                name = f"{core}_{number}"
                m.submodules[f"lane_{name}"] = lane
                m.d.comb += [
                    lane.low.eq(delay(m, self.low[core][number], LOOKUP_LATENCY, f"low_{name}")),
                    lane.high.eq(delay(m, self.high[core][number], LOOKUP_LATENCY, f"high_{name}")),
                    lane.half_rule.eq(first.half_rule),
                    lane.select_high.eq(first.select_high),
                    lane.scale.eq(self.lookup_parameters[INPUT].scale),
                    lane.bias.eq(bias[number]),
                    lane.bias_shift.eq(first.bias_shift),
                    lane.shift.eq(first.shift),
                    lane.auxiliary.eq(delay(m, self.auxiliary[core][number], LOOKUP_LATENCY, f"auxiliary_{name}")),
                    lane.auxiliary_packed.eq(first.auxiliary_packed),
                    lane.auxiliary_high.eq(first.auxiliary_high),
                    lane.auxiliary_parameters.eq(self.lookup_parameters[AUXILIARY]),
                    lane.operation.eq(activation.operation),
                    lane.output_parameters.eq(self.lookup_parameters[OUTPUT]),
                    lane.quantize.eq(store.quantize),
                ]
            m.d.comb += lanes[0].neighbor.eq(lanes[1].auxiliary_value)

    def _present(self, control):
        """A bit for each lane that is present."""
        return Cat(lane < control.lanes for lane in range(self._config.lanes))

    def _monitor(self, m, valid, control):
        present = Signal(self._config.lanes, name="monitored_lanes")
        m.d.comb += [
            present.eq(self._present(control)),
            self.monitor_valid.eq(valid & control.monitor),
            self.monitor_slot.eq(control.output_slot),
        ]
        for core, lanes in enumerate(self._lanes):
            m.d.comb += self.monitor_mask[core].eq(Mux(control.sample_valid[core], present, 0))
            m.d.comb += [port.eq(lane.value) for port, lane in zip(self.monitor_values[core], lanes, strict=True)]

    def _store(self, m, valid, control):
        present = Signal(self._config.lanes, name="stored_lanes")
        m.d.comb += present.eq(self._present(control))
        m.d.sync += [
            self.write_enable.eq(Mux(valid, control.core_mask, 0)),
            self.write_destination.eq(control.destination),
            self.write_row.eq(control.row),
            self.write_index.eq(control.index),
            self.write_half.eq(control.store_half),
            self.write_parity.eq(control.parity),
            self.write_mask.eq(Mux(control.merge, present, ~0)),
        ]
        arithmetic, quantizer = [], []
        for core, lanes in enumerate(self._lanes):
            for number, lane in enumerate(lanes):
                counted = Signal(name=f"counted_{core}_{number}")
                m.d.comb += counted.eq(valid & control.sample_valid[core] & present[number])
                m.d.sync += self.write_data[core][number].eq(Mux(present[number], lane.word, 0))
                arithmetic += [counted & lane.rescaler_saturated, counted & lane.activation_saturated]
                quantizer.append(counted & lane.quantizer_saturated)
        m.d.sync += [
            self.arithmetic_saturations.eq(count_ones(arithmetic)),
            self.quantizer_saturations.eq(count_ones(quantizer)),
        ]
