"""A3C: agents that learn side by side, each by its own copy of parameters that all of them change."""
