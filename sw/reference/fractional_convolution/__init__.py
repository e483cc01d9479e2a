"""Fractionally strided convolution, as its engine computes it."""
