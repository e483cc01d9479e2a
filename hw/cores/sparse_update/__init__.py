"""Updates of sparse parameters: compressed weights, biases, and the grouping matrices with their gradients."""
