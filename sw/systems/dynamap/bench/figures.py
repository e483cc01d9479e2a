"""The figures of DYNAMAP and FSCAccel beside those of the source."""

from collections.abc import Callable
from functools import partial
from typing import Any

from ....measurement.bench import BenchOfPresets
from . import device_schedules, fractional, mappings, network_cycles

__all__ = ["DynamapBench"]


class DynamapBench(BenchOfPresets):
    """Rows of the bench."""

    system = "dynamap"
    tracked = (
        *(f"beta_gain_s{stride}{ending}" for ending in ("", "_counted") for stride in fractional.STRIDES),
        "gamma",
        "ops_per_cycle_pe",
    )

    def ids(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """The figures that there are, in the order of the specification's table, and further ones after them."""
        strides = fractional.STRIDES
        return {
            **{f"latency_ms_{name}": partial(device_schedules.latency, name) for name in mappings.NETWORKS},
            **{
                f"gain_{name}_{baseline}": partial(mappings.gain, name, baseline)
                for name in mappings.NETWORKS
                for baseline in mappings.BASELINE_IDS
            },
            "map_seconds": mappings.map_seconds,
            "model_error": network_cycles.layer_error,
            **{f"beta_gain_s{stride}": partial(fractional.gain, stride) for stride in strides},
            "gamma": fractional.gamma,
            "ops_per_cycle_pe": fractional.operations,
            "array_scaling": fractional.scaling,
            **{f"latency_ms_{name}_source": partial(mappings.latency, name) for name in mappings.NETWORKS},
            **{f"beta_gain_s{stride}_b1": partial(fractional.gain, stride, 1) for stride in strides},
            "gamma_b1": partial(fractional.gamma, 1),
            "ops_per_cycle_pe_b1": partial(fractional.operations, 1),
            "array_scaling_b1": partial(fractional.scaling, 1),
            "ops_per_cycle_pe_nature": fractional.nature_operations,
            "ops_per_cycle_pe_nature_b1": partial(fractional.nature_operations, 1),
            **{f"beta_gain_s{stride}_counted": partial(fractional.counted_gain, stride) for stride in strides},
            "beta_counted_error": fractional.counted_error,
            "model_error_network": network_cycles.network_error,
            "mapped_gain_counted": network_cycles.mapped_gain,
        }
