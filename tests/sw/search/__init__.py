"""Tree search with a network."""
