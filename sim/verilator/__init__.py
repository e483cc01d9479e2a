"""Verilator builds with a cache keyed by content."""
