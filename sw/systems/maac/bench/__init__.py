"""Figures of MAAC, measured."""
