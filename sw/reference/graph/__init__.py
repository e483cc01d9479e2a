"""Networks as graphs, as the hardware computes them."""
