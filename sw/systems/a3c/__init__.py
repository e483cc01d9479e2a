"""A3C: agents that learn side by side, on the host so far."""
