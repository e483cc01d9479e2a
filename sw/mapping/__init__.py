"""Mapping of layers to arrays, and design-space exploration."""
