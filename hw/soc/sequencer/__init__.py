"""Instruction sets and the unit that issues them to engines."""
