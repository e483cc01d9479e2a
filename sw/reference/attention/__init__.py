"""Attention of agents to each other, as the hardware computes it."""
