"""Random number generators."""
