"""AlphaZero as a system."""
