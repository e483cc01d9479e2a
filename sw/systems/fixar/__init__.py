"""FIXAR."""
