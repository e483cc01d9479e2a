"""Differences between the families of FPGAs."""
