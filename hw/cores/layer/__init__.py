"""A multilayer perceptron's layers as a pipeline: forward, loss, backward and gradient stages."""
