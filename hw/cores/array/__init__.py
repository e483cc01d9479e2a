"""The adaptive array core of FIXAR."""
