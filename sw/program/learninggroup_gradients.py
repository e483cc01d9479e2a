"""Programs of LearningGroup: gradients of weights and biases."""

from ...hw.cores.vector.matrix_config import Product
from .learninggroup_stage import Stage

__all__ = ["Gradients"]


class Gradients(Stage):
    """Gradients of all layers and biases, from the errors that the way back left."""

    def emit(self, program, steps):
        """Weights of every layer and biases, over all steps and batches."""
        where = self.map
        inputs = {"encoder": where.observation, "communication": where.heard, "input": where.x, "hidden": where.h}
        for name, place in where.layers.items():
            layer = name.removeprefix("bias/")
            # The heads take the hidden state after the step.
            before = inputs.get(layer, where.frame(1, 0) * where.activation_frame + where.h)
            program.emit(
                "matrix", wait=("elementwise",), product=Product.GRADIENT, blocks=(self.blocks - 1).bit_length(),
                reversed=0, ones=int(name != layer), table=2 * place.group, groups=place.groups, owned=place.owned,
                operands=before, errors=self.error(layer, 0, 0), results=0, steps=steps * self.batches,
                operand_stride=where.activation_frame, error_stride=where.error_frame,
            )  # fmt: skip
