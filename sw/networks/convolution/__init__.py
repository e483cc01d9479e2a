"""Convolutional networks as graphs: read from YAML, imported from PyTorch, and some that come with the package."""
