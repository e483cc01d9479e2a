"""Write-back path: equality with the reference, every kind of row mixed at random."""

import numpy as np
import pytest

from rewardware.hw.cores.array.config import WritebackConfig
from rewardware.hw.cores.array.writeback import WritebackPath
from rewardware.hw.cores.array.writeback_ports import writeback_control
from rewardware.hw.cores.quantization.parameters import slot_parameters
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.array.writeback import write_back
from rewardware.sw.reference.quantization.ranges import QuantizationParameters

from ..bench_play import Expected
from ..stimulus import WORD_CORNERS, mixed, spaced

SLOTS = 5
FACTOR_LANE = 1
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


def padded(values, length):
    """``values``, then zeros."""
    return np.concatenate([values, np.zeros((length - len(values), *values.shape[1:]), values.dtype)])


@pytest.mark.parametrize(("cores", "lanes", "interval"), [(2, 4, 1), (3, 6, 1), (2, 4, 2), (1, 4, 4), (2, 6, 3)])
def test_equals_reference(cores, lanes, interval):
    config = WritebackConfig(cores=cores, lanes=lanes, rows=37, slots=SLOTS, interval=interval, factor_lane=FACTOR_LANE)
    rng = np.random.default_rng(lanes)
    cycles = 200 + 200 * interval
    slots = [random_parameters(rng) for _ in range(SLOTS)]
    slot_words = [encoded(slot_parameters, {name: getattr(slot, name) for name in FIELDS}) for slot in slots]
    controls = [random_control(rng, config) for _ in range(cycles)]
    valid = spaced(rng, cycles, 0.8, interval)
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
        "results__words": [row.data for row in rows],
        "results__mask": [row.mask @ powers for row in rows],
        "arithmetic_saturations": [row.arithmetic_saturations for row in rows],
        "quantizer_saturations": [row.quantizer_saturations for row in rows],
        "results__destination": column["destination"],
        "results__row": column["row"],
        "results__index": column["index"],
        "results__half": column["store_half"],
        "results__parity": column["parity"],
    }
    monitored = {
        "monitor__slot": column["output_slot"],
        "monitor__values": [row.values for row in rows],
        "monitor__mask": [int(row.monitor_mask.flatten() @ (1 << np.arange(cores * lanes))) for row in rows],
    }
    outputs = {name: Expected(np.array(values), component.latency, wanted) for name, values in written.items()}
    outputs |= {
        name: Expected(np.array(values), component.monitor_latency, wanted) for name, values in monitored.items()
    }
    outputs["results__enable"] = Expected(column["core_mask"] * valid, component.latency)
    outputs["monitor__valid"] = Expected(column["monitor"] * valid, component.monitor_latency)
    for name in ("arithmetic_saturations", "quantizer_saturations"):
        assert sum(np.array(written[name])[wanted]) > 20

    # The parameters of a slot are due one cycle after the path asked for it, which it does in every turn of a row.
    layout = writeback_control(config)
    total = cycles + component.latency
    current = np.maximum.accumulate(np.where(padded(valid, total), np.arange(total), 0))
    turning = np.convolve(valid, np.ones(interval, np.int64))[:cycles]
    output_delay = component.monitor_latency - interval
    asked = np.zeros((total, 3), np.int64)
    asking = padded(turning, total) == 1
    asking[output_delay:] &= asking[:-output_delay].copy()
    asking[:output_delay] = False
    for lookup, (slot, delay) in enumerate(
        (("input_slot", 0), ("auxiliary_slot", 0), ("output_slot", output_delay)),
    ):
        asked[delay:, lookup] = column[slot][current[: total - delay]]
    for lookup in range(3):
        outputs[f"lookups__{lookup}__slot"] = Expected(asked[:, lookup], 0, asking)
    lookups = np.array([[slot_words[slot] for slot in row] for row in np.roll(asked, 1, axis=0)])
    simulate(
        component,
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": {
                "valid": padded(valid, total),
                "control": padded(np.array([encoded(layout, control) for control in controls], object), total),
                "low": padded(low.reshape(cycles, -1), total),
                "high": padded(high.reshape(cycles, -1), total),
                "bias": padded(bias, total),
                "auxiliary": padded(auxiliary, total),
            }
            | {f"lookups__{lookup}__parameters": lookups[:, lookup] for lookup in range(3)},
            "outputs": outputs,
        },
        after_noise=True,
    )


def test_units_rest_after_a_row():
    """Results stay, whatever values come in without ``valid`` while the control is the same."""
    config = WritebackConfig(cores=2, lanes=4, rows=37, slots=SLOTS, factor_lane=FACTOR_LANE)
    rng = np.random.default_rng(1)
    cycles = 60
    slot = random_parameters(rng)
    control = random_control(rng, config) | {"lanes": 4, "merge": 0, "core_mask": 3, "operation": 0, "monitor": 1}
    control |= dict.fromkeys(("input_slot", "auxiliary_slot", "output_slot"), 0)
    low, high = mixed(rng, (2, cycles, 2, 4), 57) >> 25
    bias, auxiliary = mixed(rng, (cycles, 4), 32), mixed(rng, (cycles, 2, 4), 16)
    row = write_back(config, control, low[0], high[0], bias[0], auxiliary[0], [slot] * SLOTS)
    component = WritebackPath(config)
    parameters = encoded(slot_parameters, {name: getattr(slot, name) for name in FIELDS})
    simulate(
        component,
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": {
                "valid": padded(np.ones(1, np.int64), cycles),
                "control": np.array([encoded(writeback_control(config), control)] * cycles, object),
                "low": low.reshape(cycles, -1),
                "high": high.reshape(cycles, -1),
                "bias": bias,
                "auxiliary": auxiliary,
            }
            | {f"lookups__{lookup}__parameters": np.array([parameters] * cycles, object) for lookup in range(3)},
            "outputs": {
                "monitor__values": Expected(np.array([row.values] * cycles), component.monitor_latency),
                "results__words": Expected(np.array([row.data] * cycles), component.latency),
            },
        },
        after_noise=True,
    )


def test_bad_configuration_is_refused():
    with pytest.raises(ValueError, match="Lanes must be even, not 5"):
        WritebackConfig(lanes=5)
    with pytest.raises(ValueError, match="^Factor lane must be from 0 to 3, not 4$"):
        WritebackConfig(lanes=4, factor_lane=4)
    with pytest.raises(ValueError, match="Activation fraction must be from 20 to 20, not 16"):
        WritebackConfig(activation_fraction=16)
    with pytest.raises(TypeError, match="Cores must be an integer, not 2.0"):
        WritebackConfig(cores=2.0)
    with pytest.raises(ValueError, match="^Interval must be a divisor of lanes, not 3$"):
        WritebackConfig(lanes=4, interval=3)
    with pytest.raises(ValueError, match="^Interval must be from 1 to 4, not 8$"):
        WritebackConfig(lanes=4, interval=8)
