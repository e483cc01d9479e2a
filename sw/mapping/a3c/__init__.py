"""How many agents and engines A3C's accelerator should have."""
