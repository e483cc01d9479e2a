"""MAAC: actors with attentive critics, on the host so far."""
