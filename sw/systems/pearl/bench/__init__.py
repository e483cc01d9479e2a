"""Figures of PEARL, measured."""
