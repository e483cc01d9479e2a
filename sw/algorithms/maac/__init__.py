"""MAAC: actors of their own for several agents, and critics that attend to one another while they learn."""
