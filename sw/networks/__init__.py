"""Networks in PyTorch from layers as arrays: initial weights, passes, optimiser."""
