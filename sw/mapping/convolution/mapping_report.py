"""A mapped network as plain data, and for people."""

from collections.abc import Mapping
from typing import Any

from ...core.tables import aligned
from .array_choice import ArrayChoice
from .cost_graph import Role
from .cost_model_config import CostModelConfig
from .network_mapping import NetworkMapping, least_seconds

__all__ = ["as_text", "report"]


def report(
    mapping: NetworkMapping, baselines: Mapping[str, float], choice: ArrayChoice | None, map_seconds: float
) -> dict[str, Any]:
    """Report of a mapping: the choice for each layer and its cost, times in seconds.

    A layer's ``loading`` is what it takes from the memory, and its ``storing`` what it leaves there. ``ideal_seconds``
    are all multiplications of im2col with every multiplier in use, ``least_seconds`` those of each layer's cheapest
    algorithm.

    Parameters
    ----------
    mapping : NetworkMapping
    baselines : dict of str to float
        Latencies with one algorithm.
    choice : ArrayChoice or None
        Arrays that were compared, if one was looked for.
    map_seconds : float
        Seconds of the search on this machine.
    """
    network, config = mapping.network, mapping.config
    loading: dict[str, float] = {}
    storing: dict[str, float] = {}
    for edge in mapping.edges:
        for total, vertex, seconds in ((loading, edge.second, edge.load), (storing, edge.first, edge.store)):
            if vertex.role == Role.COMPUTE:
                total[vertex.node] = total.get(vertex.node, 0.0) + seconds
    return {
        "network": network.name,
        "array": [config.rows, config.columns],
        "array_by_latency": None if choice is None else list(choice.by_latency),
        "array_by_all_algorithms": None if choice is None else list(choice.by_algorithms),
        "frequency_mhz": config.frequency / 1e6,
        "bandwidth_gb_s": config.bandwidth / 1e9,
        "convolutions": len(network.convolutions),
        "parameters": network.parameters,
        "multiply_accumulates": network.multiply_accumulates,
        "seconds": mapping.seconds,
        "ideal_seconds": network.multiply_accumulates / (config.frequency * config.rows * config.columns),
        "least_seconds": least_seconds(network, config),
        "parts": dict(mapping.parts),
        "baselines": {
            name: {"seconds": seconds, "saved_percent": 100 * (1 - mapping.seconds / seconds)}
            for name, seconds in baselines.items()
        },
        "layers": [
            {
                "name": layer.name,
                "algorithm": str(layer.algorithm),
                "dataflow": str(layer.dataflow),
                "utilisation_percent": 100 * layer.utilisation,
                "computing": layer.seconds,
                "loading": loading.get(layer.name, 0.0),
                "storing": storing.get(layer.name, 0.0),
            }
            for layer in mapping.layers
        ],
        "map_seconds": map_seconds,
        "drains": config.drains,
        "how": f"{_layers(config)}; layers, transfers and poolings one after the other, weights not counted",
    }


def as_text(content: Mapping[str, Any]) -> str:
    """The same for people."""
    rows = [["layer", "algorithm", "dataflow", "utilisation", "computing, us", "loading, us", "storing, us"]]
    for layer in content["layers"]:
        times = [f"{1e6 * layer[name]:.2f}" for name in ("computing", "loading", "storing")]
        share = f"{layer['utilisation_percent']:.1f} %"
        rows.append([layer["name"], layer["algorithm"], layer["dataflow"], share, *times])
    parts = ", ".join(f"{name} {1e3 * seconds:.3f}" for name, seconds in content["parts"].items())
    baselines = [["", "ms", "saved"]]
    for name, found in content["baselines"].items():
        where = "im2col alone" if name == "im2col" else f"{name} where it can be"
        baselines.append([where, f"{1e3 * found['seconds']:.3f}", f"{found['saved_percent']:.1f} %"])
    return "\n".join(
        [
            f"{content['network']} on {_size(content['array'])} at {content['frequency_mhz']:g} MHz, "
            f"{content['bandwidth_gb_s']:g} GB/s",
            "",
            *aligned(rows, left=(0, 1, 2)),
            "",
            f"{content['convolutions']} convolutions and linear layers, {content['parameters']} parameters",
            f"{content['multiply_accumulates']} multiply-accumulates: "
            f"{1e3 * content['ideal_seconds']:.3f} ms with every multiplier in use",
            f"fewest multiplications of any algorithm, layer by layer: {1e3 * content['least_seconds']:.3f} ms",
            f"latency {1e3 * content['seconds']:.3f} ms: {parts}",
            "",
            *aligned(baselines),
            "",
            *_arrays(content),
            f"mapped in {content['map_seconds']:.3f} s; {content['how']}",
        ]
    )


def _arrays(content: Mapping[str, Any]) -> list[str]:
    if content["array_by_latency"] is None:
        return []
    latency, algorithms = (_size(content[f"array_by_{name}"]) for name in ("latency", "all_algorithms"))
    return [f"array of the least latency: {latency}; of the least sum over all algorithms: {algorithms}"]


def _size(array: list[int]) -> str:
    return f"{array[0]} x {array[1]}"


def _layers(config: CostModelConfig) -> str:
    if config.drains is None:
        return "the source's model"
    return f"layers by the exact cycles of the GEMM engine with drain chains: {config.drains}"
