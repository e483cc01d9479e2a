"""MAAC as a device: attentive critics on a pipeline made from a graph."""
