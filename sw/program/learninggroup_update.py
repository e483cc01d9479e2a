"""Programs of LearningGroup: RMSprop of weights, biases and grouping matrices."""

from .learninggroup_stage import Stage

__all__ = ["Update"]


class Update(Stage):
    """Update of all parameters, by the gradients that the gradient memories have."""

    def emit(self, program):
        """Grouping matrices, then weights, then biases: gradients have one read port."""
        where = self.map
        layers = [place for name, place in where.layers.items() if not name.startswith("bias/")]
        for place in layers:
            if place.groups == 1:
                continue  # Nothing to choose.
            for columns in (0, 1):
                program.emit(
                    "update_grouping", wait=("matrix",), table=2 * place.group, groups=place.groups, columns=columns,
                    grouping_base=place.grouping + columns * place.row_words,
                    core_words=place.column_words if len(place.cores) > 1 else 0,
                )  # fmt: skip
        for place in layers:
            self.sparse(program, place, wait=("matrix", "update"), walk=1)
        for name, base in where.biases.items():
            place = where.layers[f"bias/{name}"]
            program.emit(
                "update_biases", wait=("matrix", "sparse"), parameter_base=place.parameter, weight_base=place.weight,
                scalar_base=base, columns=place.columns, cores=place.core_mask,
            )  # fmt: skip
