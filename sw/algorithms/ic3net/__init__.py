"""IC3Net in PyTorch, and the ways to make its weights sparse."""
