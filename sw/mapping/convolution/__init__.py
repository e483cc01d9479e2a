"""Mapping of convolutional networks to one engine: an algorithm for each layer, and the array."""
