"""Fractionally strided (transposed) convolution: products of pixels and weights, added up where they belong."""
