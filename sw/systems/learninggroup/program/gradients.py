"""Programs of LearningGroup: gradients of weights and biases."""

from ....mapping.overlap import Overlap
from .stage import Stage

__all__ = ["Gradients"]


class Gradients(Stage):
    """Gradients of all layers and biases, from the errors that the way back left."""

    def emit(self, overlap: Overlap, steps: int) -> None:
        """Weights of every layer and biases, over all steps and batches."""
        where = self.map
        inputs = {"encoder": where.observation, "communication": where.heard, "input": where.x, "hidden": where.h}
        for key in where.layers:
            # The heads take the hidden state after the step.
            after = where.frame(1, 0) * where.activation_frame + where.h
            self.product_gradient(overlap, key, steps, inputs.get(key.removeprefix("bias/"), after))
