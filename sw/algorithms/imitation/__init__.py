"""Learning to act as somebody else does."""
