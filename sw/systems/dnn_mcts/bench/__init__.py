"""Figures of searches guided by a network, measured."""
