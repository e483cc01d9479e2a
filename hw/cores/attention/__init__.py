"""Attention of agents to each other: scores, softmax, weighted sums, and the way back."""
