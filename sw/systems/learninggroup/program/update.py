"""Programs of LearningGroup: RMSprop of weights, biases and grouping matrices."""

from collections.abc import Sequence

from ....mapping.overlap import Operation, Overlap, Span
from .stage import Stage

__all__ = ["Update"]

# Cycles, about: from the last sum of a group to the last entry that is written, and of a group besides its terms.
UPDATE_LATENCY = 80
GROUP_CYCLES = 16
# A sum takes one term in so many cycles.
TERM_CYCLES = 4


class Update(Stage):
    """Update of all parameters, by the gradients that the gradient memories have."""

    def emit(self, overlap: Overlap) -> None:
        """Update each layer's grouping matrices and weights, then the biases; then wait for all updates."""
        where = self.map
        layers = [key for key in where.layers if not key.startswith("bias/")]
        for key in layers:
            if where.layers[key].groups > 1:  # With one there is nothing to choose.
                self._grouping(overlap, key, 0)
                self._grouping(overlap, key, 1)
            self._weights(overlap, key)
        for key in where.biases:
            self._biases(overlap, key)
        # Weights are under way when the walk over them has ended; a command without columns waits for them.
        self._operate(
            overlap, "update_biases", "update", UPDATE_LATENCY, parameter_base=0, weight_base=0, scalar_base=0,
            columns=0, cores=0, reads=[self._parameters(key) for key in layers],
        )  # fmt: skip

    def _grouping(self, overlap: Overlap, key: str, columns: int) -> None:
        place = self.map.layers[key]
        terms = max(place.rows, place.columns) + place.groups
        self._operate(
            overlap, "update_grouping", "update", TERM_CYCLES * terms + GROUP_CYCLES * place.groups + UPDATE_LATENCY,
            table=2 * place.group, groups=place.groups, columns=columns,
            grouping_base=place.grouping + columns * place.row_words,
            core_words=place.column_words if len(place.cores) > 1 else 0,
            reads=[self.gradient(key), self.sparse_data(key)],
        )  # fmt: skip

    def _weights(self, overlap: Overlap, key: str) -> None:
        place = self.map.layers[key]
        self._operate(
            overlap, "group", "sparse", place.weight_words * self.hardware.update_interval,
            find=0, encode=0, transpose=0, compress=0, walk=1, **self.sparse_fields(place),
            reads=[self.gradient(key), self.sparse_data(key)], writes=[self._parameters(key)],
        )  # fmt: skip

    def _biases(self, overlap: Overlap, key: str) -> None:
        place = self.map.layers[f"bias/{key}"]
        self._operate(
            overlap, "update_biases", "update", place.columns + UPDATE_LATENCY, parameter_base=place.parameter,
            weight_base=place.weight, scalar_base=self.map.biases[key], columns=place.columns, cores=place.core_mask,
            reads=[self.gradient(f"bias/{key}")],
        )  # fmt: skip

    def _operate(
        self, overlap: Overlap, instruction: str, engine: str, cycles: int, *, reads: Sequence[Span],
        writes: Sequence[Span] = (), **fields: int,
    ) -> None:  # fmt: skip
        overlap.add(
            Operation(
                instruction=instruction, engine=engine, stream=0, cycles=cycles, latency=0, reads=reads, writes=writes,
                ports=frozenset({"read gradient"}), fields=fields,
            )
        )  # fmt: skip

    def _parameters(self, key: str) -> Span:
        """All weights of a layer."""
        return Span(f"weights of {key}", 0, 1)
