"""Write-back path: equality with the reference, every kind of row mixed at random."""

import numpy as np
import pytest

from rewardware.hw.cores.array.config import WritebackConfig
from rewardware.hw.cores.array.writeback import WritebackPath, writeback_control
from rewardware.hw.cores.quantization.parameters import slot_parameters
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.array.writeback import write_back
from rewardware.sw.reference.quantization.ranges import QuantizationParameters

from ..bench_play import Expected
from ..stimulus import WORD_CORNERS, flags, mixed

SLOTS = 5
FIELDS = ("minimum", "maximum", "scale", "reciprocal", "shift", "zero_point", "bits", "code_maximum")


def random_parameters(rng):
    magnitude = int(rng.integers(4, 31))
    return QuantizationParameters(
        minimum=-int(rng.integers(1 << magnitude)) * int(rng.integers(2)),
        maximum=int(rng.integers(1 << magnitude)),
        bits=int(rng.integers(8, 17)),
    )


def random_control(rng, config):
    row = int(rng.integers(config.rows))
    control = {name: int(rng.integers(2)) for name in ("half_rule", "select_high", "merge", "destination", "parity")}
    control |= {name: int(rng.integers(2)) for name in ("auxiliary_packed", "auxiliary_high", "monitor", "quantize")}
    control |= {name: int(rng.integers(SLOTS)) for name in ("input_slot", "auxiliary_slot", "output_slot")}
    control |= {name: int(rng.integers(1 << config.cores)) for name in ("core_mask", "sample_valid")}
    control |= {
        "store_half": int(rng.integers(2)),
        "shift": int(rng.integers(1, 32)),
        "bias_shift": int(rng.integers(16)),
        "operation": int(rng.integers(8)),
        "lanes": int(rng.integers(config.lanes + 1)),
        "row": row,
        "index": row % config.lanes,
    }
    return control


def encoded(layout, values):
    return layout.const(values).as_bits()


@pytest.mark.parametrize(("cores", "lanes"), [(2, 4), (3, 6)])
def test_equals_reference(cores, lanes):
    config = WritebackConfig(cores=cores, lanes=lanes, rows=37, slots=SLOTS)
    rng = np.random.default_rng(lanes)
    cycles = 400
    slots = [random_parameters(rng) for _ in range(SLOTS)]
    slot_words = [encoded(slot_parameters, {name: getattr(slot, name) for name in FIELDS}) for slot in slots]
    controls = [random_control(rng, config) for _ in range(cycles)]
    valid = flags(rng, cycles, 0.8)
    shape = (cycles, cores, lanes)
    low, high = mixed(rng, (2, *shape), 57) >> rng.integers(0, 30, (2, cycles, 1, 1))
    bias = mixed(rng, (cycles, lanes), 32)
    auxiliary = mixed(rng, shape, 32, WORD_CORNERS) & 0xFFFF_FFFF
    for cycle, control in enumerate(controls):
        if control["auxiliary_packed"]:
            # Codes have as many bits as their slot says.
            maximum = slots[control["auxiliary_slot"]].code_maximum
            auxiliary[cycle] &= maximum << 16 | maximum
    rows = [
        write_back(config, control, low[cycle], high[cycle], bias[cycle], auxiliary[cycle], slots)
        for cycle, control in enumerate(controls)
    ]

    component = WritebackPath(config)
    powers = 1 << np.arange(lanes)
    column = {name: np.array([control[name] for control in controls]) for name in controls[0]}
    wanted = valid == 1
    written = {
        "write_data": [row.data for row in rows],
        "write_mask": [row.mask @ powers for row in rows],
        "arithmetic_saturations": [row.arithmetic_saturations for row in rows],
        "quantizer_saturations": [row.quantizer_saturations for row in rows],
        "write_destination": column["destination"],
        "write_row": column["row"],
        "write_index": column["index"],
        "write_half": column["store_half"],
        "write_parity": column["parity"],
    }
    monitored = {
        "monitor_slot": column["output_slot"],
        "monitor_values": [row.values for row in rows],
        "monitor_mask": [row.monitor_mask @ powers for row in rows],
    }
    outputs = {name: Expected(np.array(values), component.latency, wanted) for name, values in written.items()}
    outputs |= {
        name: Expected(np.array(values), component.monitor_latency, wanted) for name, values in monitored.items()
    }
    outputs["write_enable"] = Expected(column["core_mask"] * valid, component.latency)
    outputs["monitor_valid"] = Expected(column["monitor"] * valid, component.monitor_latency)
    assert sum(row.arithmetic_saturations for row in rows) > 50 and sum(row.quantizer_saturations for row in rows) > 50

    # The parameters of a slot are due one cycle after the path asked for it.
    layout = writeback_control(config)
    asked = [
        np.concatenate([np.zeros(delay, np.int64), column[slot]])[: cycles + delay]
        for slot, delay in (("input_slot", 1), ("auxiliary_slot", 1), ("output_slot", component.monitor_latency))
    ]
    total = cycles + component.latency
    lookups = np.array([[slot_words[int(slots[min(row, len(slots) - 1)])] for slots in asked] for row in range(total)])

    def padded(values):
        values = np.asarray(values)
        return np.concatenate([values, np.zeros((total - cycles, *values.shape[1:]), values.dtype)])

    simulate(
        component,
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": {
                "valid": padded(valid),
                "control": padded(np.array([encoded(layout, control) for control in controls], object)),
                "low": padded(low),
                "high": padded(high),
                "bias": padded(bias),
                "auxiliary": padded(auxiliary),
                "lookup_parameters": lookups,
            },
            "outputs": outputs,
        },
    )


def test_bad_configuration_is_refused():
    with pytest.raises(ValueError, match="Lanes must be even, not 5"):
        WritebackConfig(lanes=5)
    with pytest.raises(ValueError, match="Activation fraction must be from 20 to 20, not 16"):
        WritebackConfig(activation_fraction=16)
    with pytest.raises(TypeError, match="Cores must be an integer, not 2.0"):
        WritebackConfig(cores=2.0)
