"""The write-back path: from drained sums to words and codes in memory."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..bits import count_ones
from ..component import ConfiguredComponent
from ..pipeline import delay
from ..quantization.ports import LookupPort, MonitorPort
from ..quantization.quantizer import ParameterStages
from ..replicated import replicated
from ..time_sharing import collect, hold, serialize
from .config import ACCUMULATOR_WIDTH, WORD_WIDTH, WritebackConfig
from .writeback_lane import WritebackLane
from .writeback_ports import ResultPort, writeback_control

__all__ = ["WritebackPath"]

# Lookup ports.
INPUT, AUXILIARY, OUTPUT = range(3)
# From a slot to its parameters.
LOOKUP_LATENCY = 1


class WritebackPath(ConfiguredComponent):
    """Drained sums of all cores, rescaled, through the activation unit, monitored, quantised, to the memories.

    ::

        sums ------> rescale --.
        bias ------>           +--> activate --> monitor --> quantise --> results
        auxiliary -> dequantise'

    For each core and lane: ``x = rescale(low, high, bias)``, ``y = activate(operation, x, auxiliary)``, and the word
    written is ``y`` or, with ``quantize``, its code in the output slot. Lanes from ``lanes`` on are absent: written
    as zero, or not at all with ``merge``. The factor of MULTIPLY_ADD is in lane 0 the auxiliary value of
    ``config.factor_lane``, elsewhere zero.

    Number format: see :class:`.Rescaler`, :class:`.Dequantizer`, :class:`.ActivationUnit`, :class:`.Quantizer`.

    Latency: ``latency`` cycles from a row to its write request, ``monitor_latency`` to its monitor row, both
    ``interval - 1`` more than with an interval of 1; one row of all cores every ``interval`` cycles or later. No
    back-pressure.

    With an interval above 1 the lanes are time-multiplexed: ``lanes / interval`` units stand for each core. A row is
    taken in the cycle of ``valid`` and leaves whole: one monitor row, one write request.

    Where no row follows, the units keep the values of the last one: they rest while the control and what is looked up
    stay too, and a simulator need not compute them.

    Parameters
    ----------
    config : WritebackConfig

    Members
    -------
    valid : In(1)
    control : In(writeback_control(config))
    low, high : In(signed(57)).array(cores * lanes)
        Core after core.
    bias : In(data.ArrayLayout(signed(32), lanes))
        Shared by the cores.
    auxiliary : In(data.ArrayLayout(32, cores * lanes))
        Rows as read from memory, core after core.
    lookups : Out(LookupPort(slots)).array(3)
        Input, auxiliary and output slot, for as many cycles as the lanes are time-multiplexed.
    results : Out(ResultPort(config))
    monitor : Out(MonitorPort(slots, cores, lanes))
    arithmetic_saturations : Out(range(2 * cores * lanes + 1))
        Values clamped by rescaling or activation in the row being written.
    quantizer_saturations : Out(range(cores * lanes + 1))
        Values of the row being written that were out of their recorded range.

    Source
    ------
    FIXAR, sections III to V.
    """

    def __init__(self, config: WritebackConfig):
        cores, lanes = config.cores, config.lanes
        units = lanes // config.interval
        self._units = [[replicated(WritebackLane(), key=()) for _ in range(units)] for _ in range(cores)]
        sums = In(signed(ACCUMULATOR_WIDTH)).array(cores * lanes)
        super().__init__(
            config,
            {
                "valid": In(1),
                "control": In(writeback_control(config)),
                "low": sums,
                "high": sums,
                "bias": In(data.ArrayLayout(signed(WORD_WIDTH), lanes)),
                "auxiliary": In(data.ArrayLayout(WORD_WIDTH, cores * lanes)),
                "lookups": Out(LookupPort(config.slots)).array(3),
                "results": Out(ResultPort(config)),
                "monitor": Out(MonitorPort(config.slots, cores, lanes)),
                "arithmetic_saturations": Out(range(2 * cores * lanes + 1)),
                "quantizer_saturations": Out(range(cores * lanes + 1)),
            },
        )

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

        # The cycles in which the units begin lanes of a row. The results of the last ones complete it.
        turns = [self.valid]
        for turn in range(1, self._config.interval):
            following = Signal(name=f"turn_{turn}")
            m.d.sync += following.eq(turns[-1])
            turns.append(following)
        begins, complete = Cat(turns).any(), turns[-1]

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
            self.lookups[INPUT].slot.eq(controls[0].input_slot),
            self.lookups[AUXILIARY].slot.eq(controls[0].auxiliary_slot),
            self.lookups[OUTPUT].slot.eq(controls[value_stage - LOOKUP_LATENCY].output_slot),
        ]
        self._connect_units(m, begins, controls[LOOKUP_LATENCY], controls[activation_stage], controls[store_stage - 1])
        self._connect_factors(m, valids[activation_stage])
        self._monitor(m, valids[value_stage], controls[value_stage])
        self._store(m, valids[store_stage], controls[store_stage])
        return m

    def _connect_units(self, m, begins, first, activation, quantized):
        """Everything that goes into the units, in its stage."""
        lanes = self._config.lanes
        bias = self._enter(m, begins, self.bias, "bias")
        m.submodules.output_parameters = output_parameters = ParameterStages()
        m.d.comb += output_parameters.parameters.eq(self.lookups[OUTPUT].parameters)
        for core, units in enumerate(self._units):
            place = slice(core * lanes, (core + 1) * lanes)
            low = self._enter(m, begins, list(self.low)[place], f"low_{core}")
            high = self._enter(m, begins, list(self.high)[place], f"high_{core}")
            auxiliary = self._enter(m, begins, list(self.auxiliary)[place], f"auxiliary_{core}")
            for number, unit in enumerate(units):
                m.submodules[f"lane_{core}_{number}"] = unit
                m.d.comb += [
                    unit.low.eq(low[number]),
                    unit.high.eq(high[number]),
                    unit.half_rule.eq(first.half_rule),
                    unit.select_high.eq(first.select_high),
                    unit.scale.eq(self.lookups[INPUT].parameters.scale),
                    unit.bias.eq(bias[number]),
                    unit.bias_shift.eq(first.bias_shift),
                    unit.shift.eq(first.shift),
                    unit.auxiliary.eq(auxiliary[number]),
                    unit.auxiliary_packed.eq(first.auxiliary_packed),
                    unit.auxiliary_high.eq(first.auxiliary_high),
                    unit.auxiliary_parameters.eq(self.lookups[AUXILIARY].parameters),
                    unit.operation.eq(activation.operation),
                    unit.output_parameters.eq(output_parameters.stages),
                    unit.quantize.eq(quantized.quantize),
                ]

    def _enter(self, m, begins, row, name):
        """The values of a row that the units begin, when the lookup has been answered; between rows the last ones."""
        entered = []
        for number, value in enumerate(serialize(m, self.valid, list(row), self._config.interval, name)):
            register = Signal(value.shape(), name=f"{name}_{number}_entered", reset_less=True)
            with m.If(begins):
                m.d.sync += register.eq(value)
            entered.append(delay(m, register, LOOKUP_LATENCY - 1, f"{name}_{number}"))
        return entered

    def _connect_factors(self, m, complete):
        """The auxiliary value of the factor's lane to lane 0, which is among the last that the units begin."""
        if self._config.factor_lane is None:
            return
        for core, units in enumerate(self._units):
            factor = self._collect(m, core, "auxiliary_value")[self._config.factor_lane]
            m.d.comb += units[0].factor.eq(factor if self._config.interval == 1 else Mux(complete, factor, 0))

    def _collect(self, m, core, output):
        """An output of a core's units, of all lanes."""
        values = [getattr(unit, output) for unit in self._units[core]]
        return collect(m, values, self._config.interval, f"{output}_{core}")

    def _present(self, control):
        """A bit for each lane that is present."""
        return Cat(lane < control.lanes for lane in range(self._config.lanes))

    def _monitor(self, m, valid, control):
        present = Signal(self._config.lanes, name="monitored_lanes")
        cores = range(self._config.cores)
        m.d.comb += [
            present.eq(self._present(control)),
            self.monitor.valid.eq(valid & control.monitor),
            self.monitor.slot.eq(control.output_slot),
            self.monitor.mask.eq(Cat(Mux(control.sample_valid[core], present, 0) for core in cores)),
            self.monitor.values.eq(Cat(self._collect(m, core, "value") for core in cores)),
        ]

    def _store(self, m, valid, control):
        lanes = self._config.lanes
        present = Signal(lanes, name="stored_lanes")
        m.d.comb += present.eq(self._present(control))
        m.d.sync += [
            self.results.enable.eq(Mux(valid, control.core_mask, 0)),
            self.results.destination.eq(control.destination),
            self.results.row.eq(control.row),
            self.results.index.eq(control.index),
            self.results.half.eq(control.store_half),
            self.results.parity.eq(control.parity),
            self.results.mask.eq(Mux(control.merge, present, ~0)),
        ]
        arithmetic, quantizer = [], []
        for core in range(self._config.cores):
            words, rescaler, activation, outside = (
                self._collect(m, core, name)
                for name in ("word", "rescaler_saturated", "activation_saturated", "quantizer_saturated")
            )
            for lane in range(lanes):
                counted = Signal(name=f"counted_{core}_{lane}")
                m.d.comb += counted.eq(valid & control.sample_valid[core] & present[lane])
                m.d.sync += self.results.words[core * lanes + lane].eq(Mux(present[lane], words[lane], 0))
                arithmetic += [counted & rescaler[lane], counted & activation[lane]]
                quantizer.append(counted & outside[lane])
        m.d.sync += [
            self.arithmetic_saturations.eq(count_ones(m, Cat(arithmetic), "arithmetic")),
            self.quantizer_saturations.eq(count_ones(m, Cat(quantizer), "quantizer")),
        ]
