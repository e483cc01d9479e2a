"""Convolutions: the computing unit of DYNAMAP, layouts of tensors, transforms."""
