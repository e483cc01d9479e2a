"""Sparse data on chip: weight grouping, lists of what is unmasked, compression (LearningGroup)."""
