"""The figures of PEARL beside those of the paper and of sum trees in software."""

import functools
from collections.abc import Callable
from typing import Any

from ..mapping.replay_cycles import sample_cycles, update_cycles
from . import bench_sum_trees
from .bench_rows import BenchOfPresets, make_row
from .bench_runtime import dqn_against_stable_baselines3, tuned_config
from .user_lines import EXAMPLES, lines_of_example

__all__ = ["PearlBench"]

FANOUTS = (2, 4, 8, 16)
BATCH = 128
# Of the source's model, section 4.5.2, in percent.
MODEL_ERROR = 12
# Of Table 4.4, about.
USER_LINES = {"dqn": 85}
# Of the comparison with software.
MHZ = 250
ROW_BYTES = 8


class PearlBench(BenchOfPresets):
    """Rows of the bench: ``sample_cycles_k4`` is of preset ``k4``."""

    system = "pearl"

    def ids(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """The figures that there are, in the order of the specification's table."""
        part = functools.partial
        rows: dict[str, Callable[[], dict[str, Any]]] = {
            f"{kind}_cycles_k{fanout}": part(self.cycles, kind, fanout)
            for kind in ("sample", "update")
            for fanout in FANOUTS
        }
        rows |= {f"{kind}_vs_cpu": part(self.against_cpu, kind) for kind in ("sample", "update")}
        rows["model_error_replay"] = self.model_error
        rows["eps_vs_sb3_dqn"] = dqn_against_stable_baselines3
        rows["eps_vs_sb3_dqn_tuned"] = part(dqn_against_stable_baselines3, tuned_config())
        return rows | {"user_lines": self.user_lines}

    def cycles(self, kind: str, fanout: int) -> dict[str, Any]:
        """Of a batch, from the start of the program to its end."""
        counts = _counts(fanout)
        depth = counts.depth
        paper = 2 * fanout * (BATCH + depth) if kind == "sample" else 2 * (BATCH + depth)
        what = {
            "sample": "samples, draws of the device, the total behind them",
            "update": "updates of leaves at random, their old priorities in the answers",
        }
        how = (
            f"preset k{fanout}: {BATCH} {what[kind]}, program included; {counts.leaves} leaves, {depth} levels; all "
            f"answers the reference's; {BATCH} + 8 * {depth} is {BATCH + 8 * depth}"
        )
        return make_row(getattr(counts, kind), "cycles", "counted", how, paper)

    def model_error(self) -> dict[str, Any]:
        """The largest distance of the cycle model from what was counted."""
        models = {"sample": sample_cycles, "update": update_cycles}
        errors = {}
        for fanout in FANOUTS:
            for batch in (BATCH, bench_sum_trees.BATCH):
                counts = _counts(fanout, batch)
                for kind, model in models.items():
                    counted = getattr(counts, kind)
                    errors[fanout, batch, kind] = 100 * abs(model(_preset(fanout), batch) - counted) / counted
        worst = max(errors, key=lambda point: errors[point])
        how = (
            f"most of {len(errors)} batches, of {BATCH} and {bench_sum_trees.BATCH} samples and updates with every "
            f"fanout: k{worst[0]}, {worst[1]} in a batch, {worst[2]}"
        )
        return make_row(round(errors[worst], 2), "%", "model", how, MODEL_ERROR)

    def user_lines(self) -> dict[str, Any]:
        """Of the longest example."""
        lines = {algorithm: lines_of_example(algorithm) for algorithm in EXAMPLES}
        told = ", ".join(f"{algorithm} {count}" for algorithm, count in lines.items())
        how = f"most of the examples in sw/runtime/examples, without blank lines, comments and docstrings: {told}"
        return make_row(max(lines.values()), "lines", "counted", how, USER_LINES["dqn"])

    def against_cpu(self, kind: str) -> dict[str, Any]:
        """The fastest fanout against the fastest tree in software."""
        counts = {fanout: _counts(fanout, bench_sum_trees.BATCH) for fanout in FANOUTS}
        best = min(FANOUTS, key=lambda fanout: getattr(counts[fanout], kind))
        cycles = getattr(counts[best], kind)
        found = bench_sum_trees.fastest_tree(kind, counts[best].leaves)
        how = (
            f"preset k{best}, {MHZ} MHz: {cycles} cycles for {bench_sum_trees.BATCH}, {cycles / MHZ:.2f} us, without "
            f"the link, which has to carry {_kilobytes(kind):.1f} kB; {found['how']}"
        )
        return make_row(round(found["value"] * MHZ / cycles, 1), "times", "measured", how)


def _kilobytes(kind: str) -> float:
    """Kilobytes of a batch's rows, both ways: a batch of samples has none to the device, and the total back."""
    rows = bench_sum_trees.BATCH + 1 if kind == "sample" else 2 * bench_sum_trees.BATCH
    return rows * ROW_BYTES / 1000


def _preset(fanout: int) -> Any:
    from ...hw.soc.presets import load_preset

    return load_preset(f"k{fanout}", "pearl")


@functools.cache
def _counts(fanout: int, batch: int = BATCH) -> Any:
    from .bench_replay import count_batches

    return count_batches(_preset(fanout), batch)
