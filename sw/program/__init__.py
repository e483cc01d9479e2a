"""Compilers from networks to instructions."""
