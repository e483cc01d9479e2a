"""The write-back path: from drained sums to words and codes in memory."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..pipeline import count_ones, delay
from ..quantization.parameters import slot_parameters
from ..replicated import replicated
from ..time_sharing import collect, hold, serialize
from .config import ACCUMULATOR_WIDTH, WORD_WIDTH, WritebackConfig
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

    Latency: ``latency`` cycles from a row to its write request, ``monitor_latency`` to its monitor row, both
    ``interval - 1`` more than with an interval of 1; one row of all cores every ``interval`` cycles or later. No
    back-pressure.

    With an interval above 1 the lanes take turns: ``lanes / interval`` units stand for each core. A row is taken in
    the cycle of ``valid`` and leaves whole: one monitor row, one write request.

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
        Input, auxiliary and output slot, for as many cycles as the lanes take turns.
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
        units = lanes // config.interval
        self._units = [[replicated(WritebackLane(), key=()) for _ in range(units)] for _ in range(cores)]
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
        return LOOKUP_LATENCY + self._units[0][0].value_latency + self._config.interval - 1

    @property
    def latency(self):
        """Cycles from a row of sums to its write request."""
        return LOOKUP_LATENCY + self._units[0][0].latency + self._config.interval

    def elaborate(self, platform):
        m = Module()
        unit = self._units[0][0]
        activation_stage = LOOKUP_LATENCY + unit.activation_start
        value_stage = LOOKUP_LATENCY + unit.value_latency
        store_stage = LOOKUP_LATENCY + unit.latency

        # The row's last turn, in which its results are complete.
        complete = self.valid
        for turn in range(1, self._config.interval):
            following = Signal(name=f"turn_{turn}")
            m.d.sync += following.eq(complete)
            complete = following

        # The control of each stage; synthesis keeps the fields that are still wanted.
        controls = [hold(m, self.valid, self.control, self._config.interval, "control")]
        valids = [complete]
        for stage in range(1, store_stage + 1):
            control = Signal(self.control.shape(), name=f"control_{stage}", reset_less=True)
            valid = Signal(name=f"valid_{stage}")
            m.d.sync += [control.eq(controls[-1]), valid.eq(valids[-1])]
            controls.append(control)
            valids.append(valid)

        m.d.comb += [
            self.lookup_slots[INPUT].eq(controls[0].input_slot),
            self.lookup_slots[AUXILIARY].eq(controls[0].auxiliary_slot),
            self.lookup_slots[OUTPUT].eq(controls[value_stage - LOOKUP_LATENCY].output_slot),
        ]

        self._connect_units(m, controls[LOOKUP_LATENCY], controls[activation_stage], controls[store_stage])
        self._connect_neighbors(m, valids[activation_stage])
        self._monitor(m, valids[value_stage], controls[value_stage])
        self._store(m, valids[store_stage], controls[store_stage])
        return m

    def _connect_units(self, m, first, activation, store):
        """Everything that goes into the units, in its stage."""
        bias = self._enter(m, self.bias, "bias")
        for core, units in enumerate(self._units):
            low = self._enter(m, self.low[core], f"low_{core}")
            high = self._enter(m, self.high[core], f"high_{core}")
            auxiliary = self._enter(m, self.auxiliary[core], f"auxiliary_{core}")
            for number, unit in enumerate(units):
                m.submodules[f"lane_{core}_{number}"] = unit
                m.d.comb += [
                    unit.low.eq(low[number]),
                    unit.high.eq(high[number]),
                    unit.half_rule.eq(first.half_rule),
                    unit.select_high.eq(first.select_high),
                    unit.scale.eq(self.lookup_parameters[INPUT].scale),
                    unit.bias.eq(bias[number]),
                    unit.bias_shift.eq(first.bias_shift),
                    unit.shift.eq(first.shift),
                    unit.auxiliary.eq(auxiliary[number]),
                    unit.auxiliary_packed.eq(first.auxiliary_packed),
                    unit.auxiliary_high.eq(first.auxiliary_high),
                    unit.auxiliary_parameters.eq(self.lookup_parameters[AUXILIARY]),
                    unit.operation.eq(activation.operation),
                    unit.output_parameters.eq(self.lookup_parameters[OUTPUT]),
                    unit.quantize.eq(store.quantize),
                ]

    def _enter(self, m, row, name):
        """A row of values in turns, when the lookup has been answered."""
        values = serialize(m, self.valid, row, self._config.interval, name)
        return [delay(m, value, LOOKUP_LATENCY, f"{name}_{number}") for number, value in enumerate(values)]

    def _connect_neighbors(self, m, complete):
        """The auxiliary value of lane 1 to lane 0, whose turn is the last."""
        for core, units in enumerate(self._units):
            values = self._collect(m, core, "auxiliary_value")
            if self._config.interval == 1:
                m.d.comb += units[0].neighbor.eq(values[1])
            else:
                m.d.comb += units[0].neighbor.eq(Mux(complete, values[1], 0))

    def _collect(self, m, core, output):
        """An output of a core's units, of all lanes."""
        values = [getattr(unit, output) for unit in self._units[core]]
        return collect(m, values, self._config.interval, f"{output}_{core}")

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
        for core in range(self._config.cores):
            values = self._collect(m, core, "value")
            m.d.comb += self.monitor_mask[core].eq(Mux(control.sample_valid[core], present, 0))
            m.d.comb += [port.eq(value) for port, value in zip(self.monitor_values[core], values, strict=True)]

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
        for core in range(self._config.cores):
            words, rescaler, activation, outside = (
                self._collect(m, core, name)
                for name in ("word", "rescaler_saturated", "activation_saturated", "quantizer_saturated")
            )
            for lane in range(self._config.lanes):
                counted = Signal(name=f"counted_{core}_{lane}")
                m.d.comb += counted.eq(valid & control.sample_valid[core] & present[lane])
                m.d.sync += self.write_data[core][lane].eq(Mux(present[lane], words[lane], 0))
                arithmetic += [counted & rescaler[lane], counted & activation[lane]]
                quantizer.append(counted & outside[lane])
        m.d.sync += [
            self.arithmetic_saturations.eq(count_ones(arithmetic)),
            self.quantizer_saturations.eq(count_ones(quantizer)),
        ]
