"""Whole learners: gradient steps of networks of layers, from samples to new parameters."""
