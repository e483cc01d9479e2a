"""Cycles that the sparse data engine takes for a layer, without simulating it."""

from dataclasses import replace
from typing import Any

import numpy as np

from ..reference.sparse.encoding import encoding_cycles

__all__ = ["caching_speedup", "generation_cycles", "sparse_cycles"]


def generation_cycles(config: Any, layer: Any) -> int:
    """Cycles to make the sparse data of a layer once: maxima, encoding, compression. Transposing is not in it."""
    stages = sparse_cycles(config, layer)
    return sum(sum(stages[stage].values()) for stage in ("find", "encode", "compress"))


def caching_speedup(config: Any, layer: Any) -> float:
    """Cycles without caching of bit vectors over cycles with it.

    Without it, the same encoder makes bit vector and non-zero indexes of every row; all else is the same.
    """
    cached, every_row = (replace(config, caching=caching) for caching in (True, False))
    return generation_cycles(every_row, layer) / generation_cycles(cached, layer)


def sparse_cycles(config: Any, layer: Any) -> Any:
    """Cycles by the counters of the engine: ``{stage: {counter: cycles}}``, exact.

    Parameters
    ----------
    config : SparseConfig
    layer : SparseLayer
        From :func:`..reference.sparse.engine.group_layer`.
    """
    groups = len(layer.forward.order)
    counts = [len(own) for own in layer.columns]
    blocks = sum(-(-count // config.lanes) for count in (len(layer.rows), *counts))

    def encoding(inner: Any, outer: Any) -> Any:
        loading, missing, hitting = encoding_cycles(inner, outer, groups, config.lanes, config.caching)
        return {"loading": loading + 6, "index_miss": missing, "index_hit": hitting}

    def walk(own: Any, table: Any) -> Any:
        """A group takes its words, 3 cycles to be read, and 3 more until its first row is there."""
        padded = np.pad(own, ((0, 0), (0, -own.shape[1] % config.lanes)))
        row_words = padded.reshape(groups, -1, config.lanes).any(axis=2).sum(axis=1)[table.group]
        words = row_words * table.inner_count
        cycles = words + 3 + np.where(words > 0, 3, row_words > 0)
        # The last word is compressed while groups without words follow.
        behind = int(cycles[np.flatnonzero(words).max(initial=-1) + 1 :].sum())
        under_way = max(config.parameter_latency + 3 - behind, 0) if words.any() else 0
        return int(cycles.sum()) + 3 + under_way

    compression = max(walk(layer.forward.vectors[core], layer.tables[core][0]) for core in range(config.cores))
    return {
        "find": {"max_index": blocks * groups + 5},
        "encode": encoding(layer.rows, layer.columns),
        "transpose": encoding(np.concatenate(layer.columns), [layer.rows]) | {"tables": 2 * groups + 9},
        "compress": {"compression": compression},
    }
