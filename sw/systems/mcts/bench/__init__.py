"""Figures of the search tree, measured."""
