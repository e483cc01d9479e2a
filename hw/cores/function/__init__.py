"""Nonlinear functions of one variable."""
