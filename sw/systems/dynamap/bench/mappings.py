"""Rows of the bench for mapped networks: latency, what it saves against one algorithm, and the time to map."""

import functools
import time
from dataclasses import replace
from typing import Any

from ....mapping.convolution.cost_model_config import CostModelConfig
from ....mapping.convolution.network_mapping import NetworkMapping, baseline_seconds, least_seconds, map_network
from ....measurement.bench import make_row
from ....networks.convolution.network_file import load_network

__all__ = ["BASELINE_IDS", "NETWORKS", "PAPER_MS", "gain", "latency", "map_seconds", "told_bounds"]

# The network of each identifier in the specification, and the source's array.
NETWORKS = {"googlenet": ("googlenet", (92, 66)), "inceptionv4": ("inception-v4", (95, 64))}
# Drain chains of the GEMM engine, by whose exact cycles layers are counted.
DRAINS = 4
# The source's names of the mapper's baselines.
BASELINE_IDS = {"bl3": "im2col", "bl4": "kn2row", "bl5": "winograd"}
# Tables 3.3 and 3.4, and the text before them.
PAPER_MS = {"googlenet": 1.34, "inceptionv4": 4.39}
PAPER_GAINS: dict[str, dict[str, float]] = {
    "googlenet": {"bl3": 67.5, "bl4": 78, "bl5": 22},
    "inceptionv4": {"bl3": 86, "bl4": 61, "bl5": 17},
}
PAPER_SECONDS = 2


def latency(name: str) -> dict[str, Any]:
    """The latency of a picture by the source's cost model, with the mapping of the least latency."""
    found = _mapped(name, DRAINS)
    config = found.config
    parts = ", ".join(f"{part} {1e3 * seconds:.3f}" for part, seconds in found.parts.items())
    weights = found.network.parameters * config.element_bytes / config.bandwidth
    how = (
        f"{_where(config)}: {parts} ms, one after the other, weights ({1e3 * weights:.3f}) not counted; "
        f"by equation 3.2 {1e3 * _mapped(name, None).seconds:.3f}"
    )
    return make_row(round(1e3 * found.seconds, 3), "ms", "model", how, PAPER_MS[name])


def told_bounds(name: str) -> str:
    """Lower bounds for all mappings on the source's array, as text."""
    network, config = load_network(NETWORKS[name][0]), replace(_config(name, DRAINS), winograd=((2, 3), (4, 3)))
    ideal = network.multiply_accumulates / (config.frequency * config.rows * config.columns)
    return (
        f"with every multiplier in use {1e3 * ideal:.3f} ms by im2col, and {1e3 * least_seconds(network, config):.3f} "
        f"with the fewest multiplications of any algorithm"
    )


def gain(name: str, baseline: str) -> dict[str, Any]:
    """Latency saved against one algorithm for all layers that can have it, in percent."""
    algorithm = BASELINE_IDS[baseline]
    (found, before, saved), (_, _, by_equation) = (_saved(name, algorithm, drains) for drains in (DRAINS, None))
    where = "for all layers" if algorithm == "im2col" else "where it can be, im2col elsewhere"
    how = (
        f"{_where(found.config)}: {1e3 * found.seconds:.3f} ms against {1e3 * before:.3f} with {algorithm} {where}; "
        f"by equation 3.2 {by_equation:.1f} %"
    )
    return make_row(round(saved, 1), "%", "model", how, PAPER_GAINS[name][baseline])


def map_seconds() -> dict[str, Any]:
    """The time to map a network to the source's array: the longer one of both."""
    taken = {}
    for name, (network_name, _) in NETWORKS.items():
        network, config = load_network(network_name), _config(name, DRAINS)
        begun = time.perf_counter()
        map_network(network, config)
        taken[network_name] = time.perf_counter() - begun
    told = ", ".join(f"{name} {1e3 * seconds:.1f} ms" for name, seconds in taken.items())
    return make_row(round(max(taken.values()), 4), "s", "measured", f"{told}; the array is given", PAPER_SECONDS)


def _config(name: str, drains: int | None) -> CostModelConfig:
    _, (rows, columns) = NETWORKS[name]
    return CostModelConfig(rows=rows, columns=columns, drains=drains)


@functools.cache
def _mapped(name: str, drains: int | None) -> NetworkMapping:
    return map_network(load_network(NETWORKS[name][0]), _config(name, drains))


@functools.cache
def _baselines(name: str, drains: int | None) -> dict[str, float]:
    return baseline_seconds(load_network(NETWORKS[name][0]), _config(name, drains))


def _saved(name: str, algorithm: str, drains: int | None) -> tuple[NetworkMapping, float, float]:
    """The mapping, seconds with the one algorithm, and what is saved in percent."""
    found, before = _mapped(name, drains), _baselines(name, drains)[algorithm]
    return found, before, 100 * (1 - found.seconds / before)


def _where(config: CostModelConfig) -> str:
    return (
        f"{config.rows} x {config.columns} with {config.drains} drains at {config.frequency / 1e6:g} MHz, "
        f"{config.bandwidth / 1e9:g} GB/s of external memory"
    )
