"""Figures of FIXAR, measured."""
